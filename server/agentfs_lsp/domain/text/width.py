"""The display width of text in character cells."""

from __future__ import annotations

_TAB_COLUMNS = 8

_SHOWN_AS_CODES = "\u070f\u200c\u200d\ufffe\uffff"
"""Neovim shows these as `<200d>`. The others that any editor shows that way are escaped earlier."""

_CODE_COLUMNS = 6


def shortened(text: str, most: int) -> str:
    """At most `most` columns: the start and, as it distinguishes files better, more of the end."""
    if width_of(text) <= most:
        return text
    begin = fitting(text, most // 3)
    end = fitting(text[::-1], most - most // 3 - 2)[::-1]
    return f"{begin}…{end}"


def width_of(text: str) -> int:
    """An upper bound for columns and for UTF-16 units: most non-ASCII characters count as two."""
    if text.isascii() and "\t" not in text:
        return len(text)
    return sum(
        _TAB_COLUMNS if one == "\t" else _CODE_COLUMNS if one in _SHOWN_AS_CODES else 2 - one.isascii()
        for one in text
    )


def fitting(text: str, columns: int) -> str:
    """As much of the start of `text` as fits into this many columns, at least one character."""
    width = 0
    for at, character in enumerate(text):
        width += width_of(character)
        if at and width > columns:
            return text[:at]
    return text
