"""Narrows the part of a text in which a block of lines can match, without splitting the text into lines.

The excluded parts cannot contain the block, ignoring whitespace around lines. The included parts may
contain it, and are searched by `search`. The number of lines to examine is bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.lines import line_end, line_start

if TYPE_CHECKING:
    from collections.abc import Sequence

_AROUND = " \t\r\n"
_EFFORT = 2_500  # lines, of about a microsecond each
_FREE = 200  # characters looked for at the cost of a line, for a long line takes long to be looked for again
_NEAR = 6


def where_possible(text: str, block: Sequence[str], effort: int = _EFFORT) -> tuple[int, int]:
    """[start, end) of the lines of `text` between which all places of `block` are, and one line more on
    either side; empty where there is no place. The lines of the block have no blanks and tabs around them,
    and one of them is not empty.

    Only where the longest line occurs is looked at, from the begin and from the end of the text on, until the
    lines next to it are there too: so a block of common lines does not make the whole text possible.
    """
    anchor = max(range(len(block)), key=lambda at: len(block[at]))
    longest, below, above = block[anchor], block[anchor:][:_NEAR], block[:anchor][: -_NEAR - 1 : -1]
    fee = len(longest) // _FREE
    first = text.find(longest)
    while first >= 0 and effort > 0 and (looked := _refuted(text, first, below, above)):
        effort -= looked + fee
        first = text.find(longest, line_end(text, first))
    if first < 0:
        return 0, 0
    last = text.rfind(longest)
    while last > first and effort > 0 and (looked := _refuted(text, last, below, above)):
        effort -= looked + fee
        last = max(first, text.rfind(longest, first, line_start(text, last)))
    start, end = line_start(text, first), line_end(text, last)
    for _ in range(anchor + 1):  # a block may begin behind the end of the line before it
        start = line_start(text, max(start - 1, 0))
    for _ in range(len(block) - anchor):
        end = line_end(text, end)
    return start, end


def _refuted(text: str, offset: int, below: Sequence[str], above: Sequence[str]) -> int:
    """0 where the line at `offset` and those after it can be `below`, and those before it, upwards, `above`;
    else the number of lines looked at to know better."""
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
