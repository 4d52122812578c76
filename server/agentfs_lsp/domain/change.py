"""A change of files, as values: what is there, what is proposed, and the pieces that differ.

Offsets are code points in the base text. Line ends are `\\n`, `\\r\\n` and `\\r`, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_CHOICES = 100
"""In texts that repeat themselves, what is made of what is followed in at most so many ways."""


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


def is_partly_made(text: str, base: str, splices: Sequence[Splice]) -> bool:
    """Whether `text` is `base` with some of the splices made, at least one, and nothing else."""
    reached = {0}  # how far into `text` the base is accounted for, by every choice that fits so far
    at = 0
    for splice in splices:
        kept, removed = base[at : splice.start], base[splice.start : splice.end]
        starts = [offset + len(kept) for offset in reached if text.startswith(kept, offset)]
        pieces = (removed, splice.text)
        reached = {
            start + len(piece) for start in starts for piece in pieces if text.startswith(piece, start)
        }
        if not reached or len(reached) > MOST_CHOICES:
            return False
        at = splice.end
    rest = base[at:]
    return text != base and text.endswith(rest) and len(text) - len(rest) in reached
