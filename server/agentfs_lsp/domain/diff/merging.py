"""A three-way merge by lines, to apply a change to a text that has changed since (docs/protocol.md#8-lock).

The changes of both sides are compared hunk by hunk. There are no conflict markers and no guesses: if both
sides changed the same or adjacent lines differently, that is a conflict, and nothing is merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.lines import line_of

MAX_CLASHES = 20
"""Maximum number of clashes reported; one already prevents the merge."""


@dataclass(frozen=True, slots=True)
class Merge:
    """`splices`: whole lines of `theirs` to replace, in order, without those already made. `clashes`: 1-based
    lines of `theirs` that both sides changed; if there are any, don't use `splices`."""

    splices: tuple[Splice, ...]
    clashes: tuple[int, ...]


def merge(base: str, ours: str, theirs: str) -> Merge:
    """Apply the change from `base` to `ours` to `theirs`, which also derives from `base`.

    Line ends count as content, so unify them first if they may differ. Takes as long as two diffs, which are
    bounded."""
    splices: list[Splice] = []
    clashes: list[int] = []
    for group in _groups(diff(base, ours), diff(base, theirs)):
        start, end = group.start + group.shift, group.end + group.shift_behind
        wanted = apply_splices(base, group.ours, group.start, group.end)
        made = apply_splices(base, group.theirs, group.start, group.end)
        if not group.theirs:
            splices.append(Splice(start, end, wanted))
        elif wanted != made and len(clashes) < MAX_CLASHES:
            clashes.append(line_of(theirs, start))
    return Merge(tuple(splices), tuple(clashes))


@dataclass(slots=True)
class _Group:
    """Changes of both sides that touch, at [start, end) of the base. `shift` and `shift_behind` convert
    offsets of the base before and after the group to those of `theirs`."""

    start: int
    end: int
    ours: list[Splice]
    theirs: list[Splice]
    shift: int
    shift_behind: int


def _groups(ours: tuple[Splice, ...], theirs: tuple[Splice, ...]) -> Iterator[_Group]:
    """The groups that contain a change of ours."""
    mine = at = shift = 0
    while mine < len(ours):
        start, end = ours[mine].start, ours[mine].end
        while at < len(theirs) and theirs[at].end < start:
            shift += _growth(theirs[at])
            at += 1
        group = _Group(start, end, [ours[mine]], [], shift, shift)
        mine += 1
        while True:
            if at < len(theirs) and theirs[at].start <= group.end:
                group.theirs.append(theirs[at])
                group.start, group.end = min(group.start, theirs[at].start), max(group.end, theirs[at].end)
                shift += _growth(theirs[at])
                at += 1
            elif mine < len(ours) and ours[mine].start <= group.end:
                group.ours.append(ours[mine])
                group.end = max(group.end, ours[mine].end)
                mine += 1
            else:
                break
        group.shift_behind = shift
        yield group


def _growth(splice: Splice) -> int:
    return len(splice.text) - (splice.end - splice.start)
