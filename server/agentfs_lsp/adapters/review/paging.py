"""Splits messages into pages that the editor shows completely (docs/protocol.md#92-the-message-rung).

Nothing is omitted: what does not fit continues on the next page. Each page ends with the same line,
because some editors show only the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentfs_lsp.adapters.review.message_limits import MessageLimits
from agentfs_lsp.domain.text.markdown import escape_markup, escape_start
from agentfs_lsp.domain.text.width import fitting, shortened, width_of

BEHIND = ": "
"""What Vim writes after the last line."""

LINE_END, BLANK, TAB = "⏎", "␣", "⇥"
"""Stand for line ends, blanks and tabs if the editor joins lines; escaped in the text itself."""

CONTINUED = "⋯"
"""Stands behind a piece of a line if the editor may show messages as Markdown, which could make a table or a
heading of what is around the piece, or take the backslash at its end."""

_SIGNS = str.maketrans({"\t": TAB} | {sign: f"\\u{ord(sign):04x}" for sign in (LINE_END, BLANK, TAB)})
_JOINED = re.compile("^ | {2,}| $")
_ITEM = re.compile(r"(?<=^[-+]) ")


def paged(lines: Iterable[str], last_line: str, limits: MessageLimits) -> Iterator[str]:
    """The lines in pages, each with `last_line` at its end; generated lazily."""
    rows = limits.rows - _rows(last_line + BEHIND, limits)
    characters = limits.characters - width_of(last_line)
    full_rows = (rows - 1) // 2 if limits.wraps_at_words else rows - 1
    if limits.wraps_at_words and not limits.joins_lines:
        full_rows = 0  # wrapped here: Helix makes no room for rows that end between words
    longest = min((full_rows + 1) * (limits.columns - 1) - limits.prefix - 1, characters - 1)
    page: list[str] = []
    rows_left = characters_left = 0
    for line in _cut(lines, longest, limits):
        taken = _rows(line, limits)
        if page and (taken > rows_left or width_of(line) + 1 > characters_left):
            yield "\n".join([*page, last_line])
            page = []
        if not page:
            rows_left, characters_left = rows, characters
            taken = _rows(line, limits, limits.prefix)
        page.append(line)
        rows_left -= taken
        characters_left -= width_of(line) + 1
    yield "\n".join([*page, last_line])


def joined(line: str) -> str:
    """The line for an editor that joins lines, whose end is seen there, and all of whose blanks are."""
    return f"{_signed(line.translate(_SIGNS))} {LINE_END}"


def last_line_for(line: str, limits: MessageLimits) -> str:
    """The last line of each page, as this editor gets it."""
    return shortened(escape_markup(line), limits.last_line_columns) if limits.marks_up else line


def fits(message: str, limits: MessageLimits) -> bool:
    """Whether the editor certainly shows the whole message."""
    lines = message.split("\n")
    rows = sum(_rows(line, limits) for line in lines)
    return rows <= limits.rows and len(message.encode("utf-16-le")) <= 2 * limits.characters


def says(last_line: str, text: str, limits: MessageLimits) -> bool:
    """Whether the last line, in which no blank is signed, shows this text as it is."""
    return text in last_line and not (limits.joins_lines and _signed(text.translate(_SIGNS)) != text)


def _signed(piece: str) -> str:
    """The piece of a line, with signs for blanks that would be one with others or with a line end."""
    return _JOINED.sub(lambda run: BLANK * len(run[0]), piece)


def _cut(lines: Iterable[str], longest: int, limits: MessageLimits) -> Iterator[str]:
    """Cut lines too long for a page into pieces that fit. A line may be of any length, so look only at as
    much of the rest as fits: every character is at least a column wide."""
    joins, marks_up = limits.joins_lines, limits.marks_up
    if joins:
        longest -= width_of(f"{BLANK} {LINE_END}")  # what the signs may add
    if marks_up:
        longest -= len("\\x23") - 1
    for line in lines:
        whole = _whole(line, limits)
        at = 0
        while True:
            piece = fitting(whole[at : at + longest], longest)
            at += len(piece)
            is_last = at == len(whole)
            shown = _signed(piece) if joins else piece
            if marks_up:
                shown = _ITEM.sub(BLANK, escape_start(shown)) + ("" if is_last else CONTINUED)
            if joins and is_last:  # a blank behind these would make an item of a list
                shown += LINE_END if marks_up and shown in ("-", "+") else f" {LINE_END}"
            yield shown
            if is_last:
                break


def _whole(line: str, limits: MessageLimits) -> str:
    """The line with all that is escaped or signed wherever it is cut."""
    if not limits.joins_lines:
        return line
    line = line.translate(_SIGNS)
    if limits.marks_up:
        line = escape_markup(line.replace(CONTINUED, f"\\u{ord(CONTINUED):04x}"))
    return _signed(line)


def _rows(line: str, limits: MessageLimits, prefix: int = 0) -> int:
    """An upper bound. A full row takes another one in Vim; of any two rows that end between words, both
    together are wider than one."""
    width, columns = width_of(line) + prefix, limits.columns
    if not line.isascii():
        columns -= 1  # a double-width character that would start in the last column goes to the next row
    wrapped = width // columns
    return 1 + (2 * wrapped if limits.wraps_at_words else wrapped)
