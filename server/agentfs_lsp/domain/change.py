"""A change of files, as values: what is there, what is proposed, and the pieces that differ.

Offsets are code points in the base text. Line ends are `\\n`, `\\r\\n` and `\\r`, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace the code points [start, end) of a text by `text`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Sequence[Splice]) -> str:
    """`text` with every splice made; they are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for splice in splices:
        pieces.append(text[at : splice.start])
        pieces.append(splice.text)
        at = splice.end
    pieces.append(text[at:])
    return "".join(pieces)
