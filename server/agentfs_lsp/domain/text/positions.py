"""Converts between columns in the editor's code units and offsets in code points.

Lone surrogates, which represent undecodable bytes, count as one unit of UTF-16 and three of UTF-8.
"""

from __future__ import annotations

from typing import Literal

from agentfs_lsp.domain.text.lines import line_of, line_start

Encoding = Literal["utf-16", "utf-8", "utf-32"]

_CONTINUATION = bytes(range(0x80, 0xC0))


def units(text: str, encoding: Encoding) -> int:
    """The length of `text` in code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def offset_at(line_text: str, character: int, encoding: Encoding) -> int:
    """The offset of column `character` in a line given without its line end.

    A column past the end means the end; one inside a character means its start."""
    head = line_text[: max(character, 0)]
    if encoding == "utf-32" or head.isascii():
        return len(head)
    if encoding == "utf-8":
        data = head.encode("utf-8", "surrogatepass")
        whole = len(data[:character].translate(None, _CONTINUATION))
        return whole - (data[character : character + 1] in _CONTINUATION and character < len(data))
    data = head.encode("utf-16-le", "surrogatepass")
    inside = character * 2 < len(data) and data[character * 2 + 1] & 0xFC == 0xDC
    if inside and data[character * 2 - 1] & 0xFC == 0xD8:
        character -= 1
    return len(data[: character * 2].decode("utf-16-le", "surrogatepass"))


class PositionCounter:
    """Computes positions of ascending offsets in a single pass over the text."""

    def __init__(self, text: str, encoding: Encoding) -> None:
        self._text = text
        self._encoding = encoding
        self._at = 0
        self._line = 0

    def at(self, offset: int) -> tuple[int, int]:
        """The 0-based (line, character) of `offset`, with the column in code units. It must not be less than
        the previous one."""
        start = line_start(self._text, offset)
        if start > self._at:
            self._line += line_of(self._text[self._at : start], start - self._at) - 1
            self._at = start
        return self._line, units(self._text[start:offset], self._encoding)
