"""Whether a text holds a change, all or some of it, with any other edits beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.line_ends import splices_towards
from agentfs_lsp.domain.splices import Splice, is_partly_made
from agentfs_lsp.domain.text.byte_order_mark import marked_like
from agentfs_lsp.domain.text.lines import (
    blocks_of_lines,
    is_ended,
    line_start,
    normalize,
    split_lines,
    without_end,
)
from agentfs_lsp.service.proposal.change import FileChange

Places = list[tuple[int, int]]


def holds_all(change: FileChange, text: str) -> bool:
    """Whether a text contains everything the change inserted and nothing it removed, with any edits
    elsewhere. An editor that ignores versions may have applied the change at another place."""
    places = removed_places(change.base.text.shown, change.hunks)
    return may_hold_all(change, text) and any(differences_at(change.base.text.shown, text, places))


def may_hold_all(change: FileChange, text: str) -> bool:
    """The same, or the text is the base with other edits: lines that repeat do not tell which."""
    base, shown = change.base.text.shown, change.shown
    if normalize(text) == normalize(base):
        return False
    places = put_in_places(base, shown, change.hunks)
    insides = _without_edges(places, [bool(hunk.text) for hunk in change.hunks])
    text = formed_like(shown, text)
    return not any(differences_at(shown, text, insides)) and not _is_misapplied(change, places, text)


def holds_some(change: FileChange, text: str) -> bool:
    """Whether a text differs from the base in the changed lines themselves, not just next to them: it holds
    part of the change or an edited version of it."""
    base = normalize(change.base.text.shown)
    hunks = diff(base, normalize(change.shown))
    insides = _without_edges(removed_places(base, hunks), [hunk.start < hunk.end for hunk in hunks])
    touching = differences_at(base, formed_like(base, text), insides)
    # A line typed between removed lines that are back does not come from the change.
    return any(splice.start < splice.end or hunks[at].start == hunks[at].end for at, splice in touching)


def _is_misapplied(change: FileChange, places: Places, text: str) -> bool:
    """Whether a line that a hunk removed, or a second copy of what it inserted, stands right next to the
    inserted text: then an editor may have applied it at another place, or twice."""
    base, shown = change.base.text.shown, change.shown
    splices = [splice for splice in splices_towards(shown, text) if splice.text.strip()]
    for hunk, (start, end) in zip(change.hunks, places, strict=True):
        beside = [splice for splice in splices if splice.start <= end and splice.end >= start]
        if beside:
            taken_out = set(filter(str.strip, _lines_of(base[hunk.start : hunk.end])))
            if any(line in taken_out for splice in beside for line in _lines_of(splice.text)):
                return True
            if any(hunk.text.startswith(one.text) or hunk.text.endswith(one.text) for one in beside):
                return True
    return False


def has_new_line(change: FileChange, text: str) -> bool:
    """Whether a text has one of the change's new lines where it differs from the base."""
    put_in = {line for hunk in change.hunks for line in _lines_of(hunk.text)}
    splices = splices_towards(change.base.text.shown, text)
    return any(line in put_in for splice in splices for line in _lines_of(splice.text))


def brings_a_line(change: FileChange, text: str) -> bool:
    """Whether a text has any line of the change that the base lacks. Slower than a search for a few."""
    put_in = {line for hunk in change.hunks for line in _lines_of(hunk.text) if line.strip()}
    found = put_in.intersection(_lines_of(text))
    return bool(found) and bool(found.difference(_lines_of(change.base.text.shown)))


def _without_edges(places: Places, have_lines: Iterable[bool]) -> Places:
    """The places without their edges, since anything may be typed next to them. A place left empty by the
    change keeps its edges: new text there may replace its lines."""
    return [
        (start + 1, end - 1) if has_lines else (start, end)
        for (start, end), has_lines in zip(places, have_lines, strict=True)
    ]


def formed_like(known: str, text: str) -> str:
    """The text without a final line end that the editor may have added on save, and with a byte-order mark
    only if `known` has one."""
    text = marked_like(known, text)
    return text if is_ended(known) else without_end(text)


MAX_LINES = 16
"""Maximum number of a change's new lines to search for in a text."""


def new_lines(change: FileChange) -> tuple[str, ...]:
    """The change's first new lines, without line ends, that do not occur in the base."""
    base = normalize(change.base.text.shown)
    brought = (line for hunk in change.hunks for line in _lines_of(hunk.text) if line.strip())
    return tuple(line for line in islice(brought, MAX_LINES) if not has_line(base, line))


def _lines_of(text: str) -> Iterator[str]:
    """Its lines without line ends, lazily."""
    for block in blocks_of_lines(text, 0, len(text)):
        for line in block:
            yield without_end(line)


def has_line(text: str, line: str) -> bool:
    """Whether a text with LF line ends has this line."""
    return f"\n{line}\n" in text or text.startswith(f"{line}\n") or text.endswith(f"\n{line}") or text == line


def is_part(text: str, base: str, accepted: str) -> bool:
    base = normalize(base)
    return is_partly_made(normalize(text), base, diff(base, accepted))


def removed_places(base: str, hunks: Sequence[Splice]) -> Places:
    """Where the hunks are in the base. A pure insertion or removal among identical lines could lie anywhere
    among them, so its place covers them all."""
    return [_possible_range(base, hunk.start, hunk.end, hunk.text) for hunk in hunks]


def put_in_places(base: str, shown: str, hunks: Sequence[Splice]) -> Places:
    """As `removed_places`, but in `shown`, the text after the hunks."""
    places: Places = []
    shift = 0
    for hunk in hunks:
        start = hunk.start + shift
        places.append(_possible_range(shown, start, start + len(hunk.text), base[hunk.start : hunk.end]))
        shift += len(hunk.text) - (hunk.end - hunk.start)
    return places


def _possible_range(text: str, start: int, end: int, other: str) -> tuple[int, int]:
    """The lines [start, end), extended by as far as the stretch could slide up or down. `other`: the text in
    its place after the change."""
    if (start < end) == bool(other):
        return start, end
    lines = split_lines(other or text[start:end])
    for line in cycle(lines):
        if not line or not text.startswith(line, end):
            break
        end += len(line)
    for line in cycle(reversed(lines)):
        if not line or not text.endswith(line, 0, start) or line_start(text, start - 1) != start - len(line):
            break
        start -= len(line)
    return start, end


def differences_at(old: str, new: str, places: Places) -> Iterator[tuple[int, Splice]]:
    """Where `new` differs from `old` at the places, which are in order: each place's number, and the
    difference."""
    first = 0
    for splice in splices_towards(old, new):
        while first < len(places) and places[first][1] < splice.start:
            first += 1
        for at in range(first, len(places)):
            if places[at][0] > splice.end:
                break
            yield at, splice
