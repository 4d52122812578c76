"""Narrows the part of a text in which a block of lines can match, without splitting the text into lines.

The excluded parts cannot contain the block, ignoring whitespace around lines. The included parts may
contain it, and are searched by `search`. The number of lines to examine is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.matching.occurrences import Backwards
from agentfs_lsp.domain.text.lines import line_end, line_start

_AROUND = " \t\r\n"
_EFFORT = 2_500  # lines, about a microsecond each
_FREE = 200  # characters searched at the cost of one line: long lines are slow to search again
_NEAR = 6


def where_possible(text: str, block: Sequence[str], effort: int = _EFFORT) -> tuple[int, int]:
    """The range [start, end) of whole lines of `text` that contains every possible place of `block`, plus one
    line on either side; empty if there is none. The block's lines have no surrounding whitespace, and at
    least one is not empty.

    Searches inwards from both ends for the block's longest line, until the adjacent lines fit too; a block of
    common lines thus does not include the whole text."""
    anchor = max(range(len(block)), key=lambda at: len(block[at]))
    longest, below, above = block[anchor], block[anchor:][:_NEAR], block[:anchor][: -_NEAR - 1 : -1]
    fee = len(longest) // _FREE
    first = text.find(longest)
    while first >= 0 and effort > 0 and (looked := _refuted(text, first, below, above)):
        effort -= looked + fee
        first = text.find(longest, line_end(text, first))
    if first < 0:
        return 0, 0
    last = first
    if text.find(longest, first + 1) >= 0:
        backwards = Backwards(text, longest)
        last = backwards.before(len(text))
        while last > first and effort > 0 and (looked := _refuted(text, last, below, above)):
            effort -= looked + fee
            last = max(first, backwards.before(line_start(text, last)))
    start, end = line_start(text, first), line_end(text, last)
    for _ in range(anchor + 1):  # a block may start after the end of the previous line
        start = line_start(text, max(start - 1, 0))
    for _ in range(len(block) - anchor):
        end = line_end(text, end)
    return start, end


def _refuted(text: str, offset: int, below: Sequence[str], above: Sequence[str]) -> int:
    """0 if the line at `offset` and those after it can be `below`, and those before it, upwards, `above`;
    else how many lines it took to refute that."""
    looked = 0
    start = at = line_start(text, offset)
    for line in below:
        looked += 1
        end = line_end(text, at)
        if text[at:end].strip(_AROUND) != line:
            return looked
        at = end
    for line in above:
        looked += 1
        end, start = start, line_start(text, max(start - 1, 0))
        if text[start:end].strip(_AROUND) != line:
            return looked
    return 0
