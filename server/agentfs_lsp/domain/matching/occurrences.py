"""All occurrences of one string in another, including overlapping ones, in linear time.

An occurrence never begins or ends inside a user-perceived character: not between `\\r` and `\\n`, and not
before a combining mark that belongs to its last letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import combining


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


def _splits_line_end(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at] == "\n" and text[at - 1] == "\r"


def _splits_letter(text: str, at: int) -> bool:
    return at < len(text) and (combining(text[at]) != 0 or _splits_line_end(text, at))
