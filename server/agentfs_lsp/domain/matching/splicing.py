"""Converts a match into the splices that replace it (docs/protocol.md#7-agentfsedit).

Old and new text are compared line by line, and only lines that differ are changed. The others keep the
file's bytes, at every level. Inserted line endings are those of the surroundings, not the request's,
unless the file has none.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from agentfs_lsp.domain.diff.alignment import Effort, Stretch, common_head, common_tail, differing
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import LINE_END, first_eol, normalize

Revise = Callable[[Sequence[str], Sequence[str], Sequence[str]], list[str] | None]
"""(request's old lines, its new lines, the file's lines in their place) -> lines to write; None: unknown."""


def as_given(_old: Sequence[str], new: Sequence[str], _present: Sequence[str]) -> list[str] | None:
    """The new lines unchanged."""
    return list(new)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block is: the offsets [start, end) of each of its lines in the file, without the line end. The
    first and the last may be partial lines."""

    segments: tuple[tuple[int, int], ...]
    revise: Revise = as_given

    @property
    def start(self) -> int:
        return self.segments[0][0]

    @property
    def end(self) -> int:
        return self.segments[-1][1]


class Splicer:
    """Replaces a block by a new text at any number of places, given in ascending order."""

    def __init__(self, text: str, block: Sequence[str], new: str, line_end: str) -> None:
        """`line_end`: see `uniform_line_end`; unused if `new` is one line."""
        self._text = text
        self._block = block
        self._new = normalize(new).split("\n")
        self._stretches = differing_elements(block, self._new)
        self._surroundings = _Surroundings(text, new, line_end if len(self._new) > 1 else "\n")
        self._made: tuple[str, list[Splice]] = ("", [])

    def splices(self, place: Place) -> list[Splice] | None:
        """The splices of one place, none empty; None if the new lines can't be fitted to it."""
        if place.revise is not as_given or not self._surroundings.uniform:
            return self._splices(place)
        # Up to hundreds of thousands of places mostly have the same text: reuse the previous result.
        at, there = place.start, self._text[place.start : place.end]
        if there != self._made[0]:
            self._made = (
                there,
                [Splice(made.start - at, made.end - at, made.text) for made in self._splices(place) or []],
            )
        return [Splice(at + made.start, at + made.end, made.text) for made in self._made[1]]

    def _splices(self, place: Place) -> list[Splice] | None:
        splices = []
        for stretch in self._stretches:
            splice = self._splice(place, stretch)
            if splice is None:
                return None
            splice = shortened(self._text, splice)
            if splice.text or splice.start < splice.end:
                splices.append(splice)
        return splices

    def _splice(self, place: Place, stretch: Stretch) -> Splice | None:
        a0, a1, b0, b1 = stretch
        segments = place.segments
        snapshot = [self._text[start:end] for start, end in segments[a0:a1]]
        lines = place.revise(self._block[a0:a1], self._new[b0:b1], snapshot)
        if lines is None:
            return None
        if b0 == 0 < b1 and len(self._block) > 1 and not self._block[0]:
            lines[:1] = self._new[:1]  # it continues the line before the block, which is unknown
        ends = self._line_ends(place, stretch)
        if a0 < a1 and lines:
            return Splice(segments[a0][0], segments[a1 - 1][1], _joined(lines, ends))
        if lines and a0 < len(segments):
            return Splice(segments[a0][0], segments[a0][0], _joined([*lines, ""], ends))
        if lines:
            return Splice(place.end, place.end, _joined(["", *lines], ends))
        if a1 < len(segments):
            return Splice(segments[a0][0], segments[a1][0], "")
        return Splice(segments[a0 - 1][1], place.end, "")

    def _line_ends(self, place: Place, stretch: Stretch) -> Iterator[str]:
        """The line ends to insert: those of the replaced lines, then the surroundings' for ever."""
        a0, a1, _, _ = stretch
        segments = place.segments
        for at in range(a0, a1 - 1):
            yield self._text[segments[at][1] : segments[at + 1][0]]
        nearest = (a1 - 1, a0 - 1) if a0 < a1 else (a0 - 1, a0)
        inside = [at for at in nearest if 0 <= at < len(segments) - 1]
        if inside:
            end = self._text[segments[inside[0]][1] : segments[inside[0] + 1][0]]
        else:
            end = self._surroundings.line_end(place.end)
        while True:
            yield end


class _Surroundings:
    """The line end of the line that contains an offset, for ascending offsets."""

    def __init__(self, text: str, request: str, line_end: str) -> None:
        self._text = text
        self._last = -1
        self.uniform = line_end
        if not line_end:
            self._last = max(text.rfind("\n"), text.rfind("\r"))
            if self._last < 0:  # the file has none
                self.uniform = first_eol(request)
        self._next: re.Match[str] | None = None

    def line_end(self, at: int) -> str:
        if self.uniform:
            return self.uniform
        if at > self._last:
            return "\r\n" if self._text[self._last - 1 : self._last + 1] == "\r\n" else self._text[self._last]
        if self._next is None or self._next.start() < at:
            self._next = LINE_END.search(self._text, at)
        return self._next.group() if self._next else "\n"


def uniform_line_end(text: str) -> str:
    """The only kind of line end in `text`; "" if mixed or none."""
    if "\r" not in text:
        return "\n" if "\n" in text else ""
    if "\n" not in text:
        return "\r"
    pairs = text.count("\r\n")
    return "\r\n" if pairs == text.count("\n") == text.count("\r") else ""


def differing_elements(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """The stretches in which two sequences differ, with something in common between any two."""
    if len(old) == len(new) == 1:
        return [(0, 1, 0, 1)] if old[0] != new[0] else []
    if len(old) > sys.maxunicode:
        return [(0, len(old), 0, len(new))]
    letters: dict[str, str] = {}
    spelt = "".join([letters.setdefault(element, chr(len(letters))) for element in old])
    foreign = chr(len(letters))
    return differing(spelt, "".join([letters.get(element, foreign) for element in new]), Effort())


def _joined(lines: Sequence[str], ends: Iterator[str]) -> str:
    pieces = ["", lines[0]]
    for line in lines[1:]:
        end = next(ends)
        if end == "\n" and pieces[-2:] == ["\r", ""]:
            end = "\r\n"  # otherwise the two would become one line end, losing an empty line
        pieces += (end, line)
    return "".join(pieces)


def shortened(text: str, splice: Splice) -> Splice:
    """The same change without common text at its start and end, so that an undecodable byte, say, is not
    inserted anew."""
    start, end, put = splice.start, splice.end, splice.text
    head = common_head(text, put, (start, end, 0, len(put)))
    tail = common_tail(text, put, (start + head, end, head, len(put)))
    return Splice(start + head, end - tail, put[head : len(put) - tail])
