"""Messages that fit what the editor shows of one (docs/protocol.md#92-the-message-rung).

Nothing is left out: what does not fit one page goes on with the next. Each page ends with the same line,
since some editors show only the end.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentfs_lsp.adapters.review.message_limits import MessageLimits

LINE_END = "⏎"
"""Stands for a line end where the editor joins lines; in the text itself it is escaped there."""

_TAB_COLUMNS = 8

_SHOWN_AS_CODES = "\u070f\u200c\u200d\ufffe\uffff"
"""Neovim shows these as `<200d>`. All others that any editor shows so are escaped before."""

_CODE_COLUMNS = 6


def paged(lines: Iterable[str], last_line: str, limits: MessageLimits) -> Iterator[str]:
    """The lines in pages, each with `last_line` at its end. Made as they are asked for."""
    if limits.joins_lines:
        lines = (line.replace(LINE_END, "\\u23ce") + f" {LINE_END}" for line in lines)
    rows = limits.rows - _rows(last_line, limits.columns)
    characters = limits.characters - width_of(last_line)
    longest = min(rows * (limits.columns - 1) - limits.prefix, characters - 1)
    page: list[str] = []
    rows_left = characters_left = 0
    for line in _cut(lines, longest):
        taken = _rows(line, limits.columns)
        if page and (taken > rows_left or width_of(line) + 1 > characters_left):
            yield "\n".join([*page, last_line])
            page = []
        if not page:
            rows_left, characters_left = rows, characters
            taken = _rows(line, limits.columns, limits.prefix)
        page.append(line)
        rows_left -= taken
        characters_left -= width_of(line) + 1
    yield "\n".join([*page, last_line])


def shortened(text: str, most: int) -> str:
    """At most `most` columns of it: the begin and, since that tells files apart, more of the end."""
    if width_of(text) <= most:
        return text
    begin = _fitting(text, most // 3)
    end = _fitting(text[::-1], most - most // 3 - 2)[::-1]
    return f"{begin}…{end}"


def width_of(text: str) -> int:
    """Columns at most, and UTF-16 units at most: most of what is not ASCII counts as two."""
    if text.isascii() and "\t" not in text:
        return len(text)
    return sum(
        _TAB_COLUMNS if one == "\t" else _CODE_COLUMNS if one in _SHOWN_AS_CODES else 2 - one.isascii()
        for one in text
    )


def _cut(lines: Iterable[str], longest: int) -> Iterator[str]:
    """Lines too long for a page, in pieces that are not. A line may be of any length: of the rest of it no
    more is looked at than fits, every character being a column wide at least."""
    for line in lines:
        at = 0
        while True:
            piece = _fitting(line[at : at + longest], longest)
            yield piece
            at += len(piece)
            if at == len(line):
                break


def _fitting(text: str, columns: int) -> str:
    """As much of its begin as is so wide, and no less than a character."""
    width = 0
    for at, character in enumerate(text):
        width += width_of(character)
        if at and width > columns:
            return text[:at]
    return text


def _rows(line: str, columns: int, prefix: int = 0) -> int:
    width = width_of(line) + prefix
    if width > columns and not line.isascii():
        columns -= 1  # a character of two columns that would begin in a row's last one begins the next row
    return max(1, ceil(width / columns))
