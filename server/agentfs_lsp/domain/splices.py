"""Changes of files as values: the base, the proposed text, and the differences.

Offsets are code points in the base text. Line endings are `\\n`, `\\r\\n`, and `\\r`, and nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_CHOICES = 100
"""In repetitive texts, how many possible alignments to follow."""


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace the code points [start, end) of a text by `text`."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Sequence[Splice], start: int = 0, end: int | None = None) -> str:
    """[start, end) of `text` with the splices in it applied, which are in order and do not overlap."""
    pieces: list[str] = []
    at = start
    for splice in splices:
        pieces.append(text[at : splice.start])
        pieces.append(splice.text)
        at = splice.end
    pieces.append(text[at:end])
    return "".join(pieces)


def produced(splices: Sequence[Splice]) -> Iterator[tuple[int, int]]:
    """Where each splice's text is in the text that they produce, as [start, end)."""
    shift = 0
    for splice in splices:
        start = splice.start + shift
        yield start, start + len(splice.text)
        shift += len(splice.text) - (splice.end - splice.start)


def compose(first: Sequence[Splice], second: Sequence[Splice]) -> tuple[Splice, ...]:
    """Combine `first` and then `second`, which applies to the result, into splices of the original text. All
    are in order and do not overlap; splices that touch are joined."""
    composed: list[Splice] = []
    shift = 0  # how far `first` has shifted the intermediate text so far
    i = j = 0
    while i < len(first) or j < len(second):
        begins = [first[i].start + shift] if i < len(first) else []
        begins += [second[j].start] if j < len(second) else []
        begin = end = min(begins)  # in the intermediate text, as all places below
        start, at = begin - shift, begin
        pieces: list[str] = []
        inner = deque[tuple[int, str]]()  # the texts of `first` in this group, not yet passed
        while True:
            if i < len(first) and first[i].start + shift <= end:
                one = first[i]
                inner.append((one.start + shift, one.text))
                end = max(end, one.start + shift + len(one.text))
                shift += len(one.text) - (one.end - one.start)
                i += 1
            elif j < len(second) and second[j].start <= end:
                two = second[j]
                pieces += (*_taken(inner, at, two.start), two.text)
                at, end = two.end, max(end, two.end)
                j += 1
            else:
                break
        pieces += _taken(inner, at, end)
        composed.append(Splice(start, end - shift, "".join(pieces)))
    return tuple(composed)


def _taken(inner: deque[tuple[int, str]], start: int, end: int) -> Iterator[str]:
    """The text of [start, end) in `inner`; drops what lies before it."""
    while inner:
        begin, text = inner[0]
        yield text[max(start - begin, 0) : max(end - begin, 0)]
        if begin + len(text) > end:
            return
        inner.popleft()


def is_partly_made(text: str, base: str, splices: Sequence[Splice]) -> bool:
    """Whether `text` is `base` with some of the splices applied, at least one, and nothing else."""
    reached = {0}  # how far into `text` the base can be aligned, by every choice that fits so far
    at = 0
    for splice in splices:
        kept, removed = base[at : splice.start], base[splice.start : splice.end]
        starts = [offset + len(kept) for offset in reached if text.startswith(kept, offset)]
        pieces = (removed, splice.text)
        reached = {
            start + len(piece) for start in starts for piece in pieces if text.startswith(piece, start)
        }
        if not reached or len(reached) > MAX_CHOICES:
            return False
        at = splice.end
    rest = base[at:]
    return text != base and text.endswith(rest) and len(text) - len(rest) in reached
