"""All occurrences of one string in another, including overlapping ones, in linear time.

An occurrence never begins or ends inside a user-perceived character: not between `\\r` and `\\n`, and not
before a combining mark that belongs to its last letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining

_BLOCK = 1 << 16


def occurrences(text: str, wanted: str) -> Iterator[int]:
    """The ascending offsets of `wanted` (not empty) in `text`, whole characters only."""
    places = every_occurrence(text, wanted)
    if text.isascii() and wanted[0] != "\n" and wanted[-1] != "\r":
        return places
    size = len(wanted)
    return (at for at in places if not (_splits_line_end(text, at) or _splits_letter(text, at + size)))


def every_occurrence(text: str, wanted: str) -> Iterator[int]:
    """The ascending offsets of `wanted` (not empty) anywhere in `text`."""
    size = len(wanted)
    at = text.find(wanted)
    while at >= 0:
        yield at
        following = text.find(wanted, at + 1)
        step = following - at
        if 0 < step < size:
            # Overlapping occurrences repeat their last `step` characters. Searching afresh from each would be
            # quadratic in a run such as "aaaa…"; comparing just those is not.
            tail = wanted[size - step :]
            while text.startswith(tail, at + size):
                at += step
                yield at
            following = text.find(wanted, at + 1)
        at = following


class Backwards:
    """Finds `wanted` (not empty) in `text` from its end, by searching reversed blocks: unlike `str.find`,
    `str.rfind` takes time text × wanted for some texts, and holds the interpreter in one call meanwhile."""

    def __init__(self, text: str, wanted: str) -> None:
        self._text = text
        self._wanted = wanted[::-1]
        self._start, self._end, self._reversed = len(text), len(text), ""

    def before(self, end: int) -> int:
        """The last offset where it ends at `end` or before; -1 if there is none. `end` never rises from call
        to call."""
        size = len(self._wanted)
        while (found := self._reversed.find(self._wanted, max(0, self._end - end))) < 0:
            if not self._start:
                return found
            self._end = min(end, self._start + size - 1)
            self._start = max(0, self._end - max(_BLOCK, 2 * size))
            self._reversed = self._text[self._start : self._end][::-1]
        return self._end - found - size


def _splits_line_end(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at] == "\n" and text[at - 1] == "\r"


def _splits_letter(text: str, at: int) -> bool:
    return at < len(text) and (combining(text[at]) != 0 or _splits_line_end(text, at))
