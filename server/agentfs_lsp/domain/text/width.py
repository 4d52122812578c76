"""The display width of text in character cells."""

from __future__ import annotations

_TAB_COLUMNS = 8


_SHOWN_AS_CODES = "\u070f\u200c\u200d\ufffe\uffff"
"""Neovim shows these as `<200d>`. All others that any editor shows so are escaped before."""


_CODE_COLUMNS = 6


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


def _fitting(text: str, columns: int) -> str:
    """As much of its begin as is so wide, and no less than a character."""
    width = 0
    for at, character in enumerate(text):
        width += width_of(character)
        if at and width > columns:
            return text[:at]
    return text
