"""The line-sized hunks between two texts, or of a text's edits (docs/protocol.md#9-review-and-landing).

A hunk is a `Splice` of whole lines: it begins at the start of a line and ends at the end of a line, in
both texts. Its first and last lines differ, and at least one unchanged line separates two hunks. An edit
knows its offsets, so `widen` compares only the lines that it touches. `unified` renders hunks; `alignment`
aligns sequences.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count, repeat

from agentfs_lsp.domain.diff.alignment import NATIVE, Effort, common_head, common_tail, differing
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import (
    blocks_of_lines,
    count_lines,
    ends_between,
    line_end,
    line_start,
    starts_line,
)

_MAX_LINES = sys.maxunicode - 1  # one letter per line, and one for lines only in `new`


def diff(old: str, new: str) -> tuple[Splice, ...]:
    """The hunks that turn `old` into `new`. Takes less than a second for any two texts of 100,000 lines."""
    return tuple(_hunks(old, new, 0, Effort()))


def widen(old: str, splices: Sequence[Splice]) -> tuple[Splice, ...]:
    """The hunks of edits at any offsets (in order, not overlapping), at the cost of the lines they touch."""
    effort = Effort()
    return tuple(
        hunk
        for whole in _whole_lines(old, splices)
        for hunk in _hunks(old[whole.start : whole.end], whole.text, whole.start, effort)
    )


def counts(old: str, hunks: Sequence[Splice]) -> tuple[int, int]:
    """(lines added, lines removed), as a unified diff shows them (docs/protocol.md#6-agentfswrite)."""
    added = sum(count_lines(hunk.text) for hunk in hunks)
    return added, sum(count_lines(old[hunk.start : hunk.end]) for hunk in hunks)


def _hunks(old: str, new: str, shift: int, effort: Effort) -> Iterator[Splice]:
    """The hunks between two texts of whole lines, with `shift` added to their offsets."""
    head = _common_lines_at_begin(old, new)
    tail = _common_lines_at_end(old, new, head)
    old_end, new_end = len(old) - tail, len(new) - tail
    if head in (old_end, new_end) or ends_between(old, head, old_end) >= _MAX_LINES:
        if head < max(old_end, new_end):
            yield Splice(shift + head, shift + old_end, new[head:new_end])
        return
    if line_end(old, head) == old_end and line_end(new, head) == new_end:  # one line for another
        yield Splice(shift + head, shift + old_end, new[head:new_end])
        return
    letters: dict[str, int] = {}
    old_spelt, old_at = _as_letters(old, head, old_end, letters.setdefault, count())
    foreign = len(old_at)  # lines only in `new` match nothing and share one letter
    new_spelt, new_at = _as_letters(new, head, new_end, letters.get, repeat(foreign))
    letters.clear()  # frees the lines, most of the memory
    for a0, a1, b0, b1 in differing(old_spelt, new_spelt, effort):
        yield Splice(shift + old_at[a0], shift + old_at[a1], new[new_at[b0] : new_at[b1]])


def _as_letters(
    text: str, start: int, stop: int, letter: Callable[[str, int], int], otherwise: Iterator[int]
) -> tuple[str, array[int]]:
    """The lines as a string of one code point each, and where each line starts (and the last ends)."""
    spelt, starts = array("I"), array("Q", [start])
    for lines in blocks_of_lines(text, start, stop):
        spelt.extend(map(letter, lines, otherwise))
        starts.extend(accumulate(map(len, lines), initial=starts.pop()))
    return spelt.tobytes().decode(NATIVE, "surrogatepass"), starts


def _common_lines_at_begin(old: str, new: str) -> int:
    head = common_head(old, new, (0, len(old), 0, len(new)))
    return min(line_start(old, head), line_start(new, head))


def _common_lines_at_end(old: str, new: str, head: int) -> int:
    tail = common_tail(old, new, (head, len(old), head, len(new)))
    begin = len(old) - tail
    if starts_line(old, begin) and starts_line(new, len(new) - tail):
        return tail
    return len(old) - line_end(old, begin)


def _whole_lines(old: str, splices: Sequence[Splice]) -> Iterator[Splice]:
    """The splices extended to whole lines; those that then touch are joined."""
    start = end = -1
    at = 0
    pieces: list[str] = []
    for splice in splices:
        if splice.start > end and (begin := _grown_start(old, splice)) > end:
            if end >= 0:
                yield Splice(start, end, "".join(pieces) + old[at:end])
            start = at = begin
            pieces = []
        pieces += filter(None, (old[at : splice.start], splice.text))
        at = splice.end
        if at >= end:
            before = pieces[-1] if pieces else old[max(start - 1, 0) : start] or "\n"
            end = at if _is_line_boundary(before, old, at) else line_end(old, at)
    if end >= 0:
        yield Splice(start, end, "".join(pieces) + old[at:end])


def _grown_start(old: str, splice: Splice) -> int:
    """The start of the splice's first line, or of the one before if a `\\r` may get its `\\n`."""
    begin = line_start(old, splice.start)
    joins = begin == splice.start and old.endswith("\r", 0, begin) and splice.text[:1] in ("\n", "")
    return line_start(old, begin - 1) if joins else begin


def _is_line_boundary(before: str, old: str, at: int) -> bool:
    """Whether `at` is between two lines of `old`, even with `before` in front of it."""
    ended = before.endswith("\n") or (before.endswith("\r") and not old.startswith("\n", at))
    return ended and starts_line(old, at)
