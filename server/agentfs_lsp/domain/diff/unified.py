"""Renders hunks as a unified diff for display, within limits (docs/protocol.md#6-agentfswrite).

Rendering starts from the hunks and stops at the limits, so its cost does not depend on the size of the
file. Invisible characters are escaped, and so is the start of a line that would read as another file's
header. A patch applies if nothing in it is escaped or truncated.

Line endings: if all line endings of a group of hunks are the same, they are not marked (`\\r\\n` is kept,
as patch tools expect, and `\\r` becomes a plain line ending). If they differ, those other than `\\n` are
shown: `\\r` for `\\r\\n`, and `\\x0d` for a lone carriage return.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from agentfs_lsp.domain.diff.alignment import common_head
from agentfs_lsp.domain.diff.hunks import counts
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.escaping import escape_invisible, escape_to_one_line
from agentfs_lsp.domain.text.lines import count_lines, ends_between, line_end, line_start, normalize
from agentfs_lsp.domain.text.textfile import eol_of

TRUNCATED = "\n... (truncated)"
_NO_END = "\\ No newline at end of file\n"
_NOWHERE = "/dev/null"
_ENDS_ALIKE = {"\n": "\n", "\r\n": "\r\n", "\r": "\n", "": "\n"}
_ENDS_DIFFERENT = {"\n": "\n", "\r\n": "\\r\n", "\r": "\\x0d\n", "": "\n"}

_LIKE_HEADERS = {"-": ("-- a/", f"-- {_NOWHERE}"), "+": ("++ b/", f"++ {_NOWHERE}")}
"""By mark: how lines start that would read as the header of another file."""

Operation = Literal["create", "update", "delete"]

_Span = tuple[str, int, int]
"""A text and [start, end) in it."""


@dataclass(frozen=True, slots=True)
class Preview:
    """A unified diff; `truncated` if a line is missing or shortened."""

    text: str
    truncated: bool


def preview(
    old: str,
    hunks: Sequence[Splice],
    path: str,
    *,
    operation: Operation = "update",
    max_lines: int = 100,
    max_bytes: int = 10240,
    max_line_chars: int = 2000,
    context: int = 3,
) -> Preview:
    """The diff of `hunks` (whole lines, from `diff` or `widen`) against `old`, for the file at `path`.

    At most `max_lines` lines and `max_bytes` bytes of UTF-8, then `TRUNCATED`. A line longer than
    `max_line_chars` is shortened to a quarter of that around its change. "" if there is nothing to show."""
    shown: list[str] = []
    size, cut = 0, False
    names = ((line, False) for line in _names(path, operation, hunks))
    for line, part in chain(names, _rendered(old, hunks, context, max_line_chars)):
        size += len(line.encode())
        if len(shown) == max_lines or size > max_bytes:
            return Preview("".join(shown).rstrip("\r\n") + TRUNCATED, truncated=True)
        shown.append(line)
        cut = cut or part
    return Preview("".join(shown), cut)


def whole(
    old: str, hunks: Sequence[Splice], path: str, *, operation: Operation = "update", context: int = 3
) -> str:
    """As `preview`, without limits. Renders each side of a hunk in one go, since there may be millions of
    lines."""
    return "".join(chain(_names(path, operation, hunks), _whole(old, hunks, context)))


def _names(path: str, operation: Operation, hunks: Sequence[Splice]) -> Sequence[str]:
    if operation == "update" and not hunks:
        return ()
    name = escape_to_one_line(path)
    source = _NOWHERE if operation == "create" else f"a/{name}"
    target = _NOWHERE if operation == "delete" else f"b/{name}"
    return f"--- {source}\n", f"+++ {target}\n"


def _whole(old: str, hunks: Sequence[Splice], context: int) -> Iterator[str]:
    for group in _groups(old, hunks, context):
        ends = _ends_of(old, group)
        yield _heading(old, group)
        at = group.start
        for hunk in group.hunks:
            yield _marked(" ", old[at : hunk.start], ends)
            yield _marked("-", old[hunk.start : hunk.end], ends)
            yield _marked("+", hunk.text, ends)
            at = hunk.end
        yield _marked(" ", old[at : group.end], ends)


def _marked(mark: str, lines: str, ends: Mapping[str, str]) -> str:
    """The lines, each rendered by `_shown`."""
    if not lines:
        return ""
    crlf = ends is _ENDS_ALIKE and "\r\n" in lines
    if ends is _ENDS_DIFFERENT:
        lines = lines.replace("\r\n", ends["\r\n"]).replace("\r", ends["\r"])
    shown = _without_headers(mark, escape_invisible(normalize(lines)))
    is_ended = shown.endswith("\n")
    shown = mark + shown.removesuffix("\n").replace("\n", f"\n{mark}")
    if crlf:
        shown = shown.replace("\n", "\r\n") + ("\r" if is_ended else "")
    return f"{shown}\n" if is_ended else f"{shown}\n{_NO_END}"


def _without_headers(mark: str, lines: str) -> str:
    for start in _LIKE_HEADERS.get(mark, ()):
        if start in lines:
            escaped = f"\\x{ord(start[0]):02x}{start[1:]}"
            lines = f"\n{lines}".replace(f"\n{start}", f"\n{escaped}")[1:]
    return lines


@dataclass(frozen=True, slots=True)
class _Group:
    """Hunks shown together: the region of the old text including context, its 1-based line there, and how
    many lines further down it is in the new text."""

    start: int
    end: int
    hunks: Sequence[Splice]
    line: int
    shift: int


def _groups(old: str, hunks: Sequence[Splice], context: int) -> Iterator[_Group]:
    at, line, shift, first = 0, 1, 0, 0
    for index, hunk in enumerate(hunks):
        if index + 1 < len(hunks) and hunks[index + 1].start <= _forward(old, hunk.end, 2 * context):
            continue
        start = _back(old, hunks[first].start, context)
        line += ends_between(old, at, start)
        at = start
        members = hunks[first : index + 1]
        yield _Group(start, _forward(old, hunk.end, context), members, line, shift)
        added, removed = counts(old, members)
        shift += added - removed
        first = index + 1


def _rendered(old: str, hunks: Sequence[Splice], context: int, limit: int) -> Iterator[tuple[str, bool]]:
    """The lines after the file names, each with whether it is shortened."""
    for group in _groups(old, hunks, context):
        ends = _ends_of(old, group)
        yield _heading(old, group), False
        for mark, line, other in _lines(old, group):
            yield from _shown(mark, line, other, ends, limit)


def _heading(old: str, group: _Group) -> str:
    lines = count_lines(old[group.start : group.end])
    added, removed = counts(old, group.hunks)
    new = _range(group.line + group.shift, lines + added - removed)
    return f"@@ -{_range(group.line, lines)} +{new} @@\n"


def _range(line: int, count: int) -> str:
    """The range in patch syntax: an empty one names the line before it, a count of one is omitted."""
    return f"{line - 1},0" if count == 0 else f"{line}" if count == 1 else f"{line},{count}"


def _lines(old: str, group: _Group) -> Iterator[tuple[str, _Span, _Span]]:
    """(mark, line, its counterpart on the other side of the hunk) for every line."""
    at = group.start
    for hunk in group.hunks:
        for line in _spans(old, at, hunk.start):
            yield " ", line, line
        gone, come = (old, hunk.start, hunk.end), (hunk.text, 0, len(hunk.text))
        for mark, side, opposite in (("-", gone, come), ("+", come, gone)):
            others = _spans(*opposite)
            for line in _spans(*side):
                yield mark, line, next(others, ("", 0, 0))
        at = hunk.end
    for line in _spans(old, at, group.end):
        yield " ", line, line


def _shown(
    mark: str, line: _Span, other: _Span, ends: Mapping[str, str], limit: int
) -> Iterator[tuple[str, bool]]:
    text, start, end = line
    eol = next((it for it in ("\r\n", "\n", "\r") if text.endswith(it, start, end)), "")
    end -= len(eol)
    before = behind = ""
    windowed = end - start > limit
    if windowed:
        change = 0 if line is other else common_head(text, other[0], (start, end, *other[1:]))
        width = limit // 4
        skipped = max(0, min(change - width // 4, end - start - width))
        left = end - start - skipped - width
        before = f"[{skipped} characters] " if skipped else ""
        behind = f" [{left} characters]" if left else ""
        start += skipped
        end = start + width
    shown = escape_invisible(text[start:end])
    if not before:
        shown = _without_headers(mark, shown)
    yield f"{mark}{before}{shown}{behind}{ends[eol]}", windowed
    if not eol:
        yield _NO_END, False


def _ends_of(old: str, group: _Group) -> Mapping[str, str]:
    """How this group's line ends are shown."""
    kinds = {eol_of(old[group.start : group.end]), *(eol_of(hunk.text) for hunk in group.hunks)} - {"none"}
    return _ENDS_ALIKE if len(kinds) < 2 and "mixed" not in kinds else _ENDS_DIFFERENT


def _spans(text: str, start: int, end: int) -> Iterator[_Span]:
    """The lines of `text[start:end]` as spans, since they may be of any length."""
    while start < end:
        stop = min(line_end(text, start), end)
        yield text, start, stop
        start = stop


def _back(text: str, offset: int, lines: int) -> int:
    for _ in range(lines):
        offset = line_start(text, offset - 1) if offset else 0
    return offset


def _forward(text: str, offset: int, lines: int) -> int:
    for _ in range(lines):
        offset = line_end(text, offset)
    return offset
