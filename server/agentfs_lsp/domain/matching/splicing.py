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
from agentfs_lsp.domain.text.lines import normalise

_END = re.compile(r"\r\n?|\n")

Revise = Callable[[Sequence[str], Sequence[str], Sequence[str]], list[str] | None]
"""(the request's old lines, its new ones, the file's in place of the old) -> what to write; None: unknown."""


def as_given(_old: Sequence[str], new: Sequence[str], _present: Sequence[str]) -> list[str] | None:
    """The new lines as they came: nothing in the file says otherwise."""
    return list(new)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: for each of its lines the offsets [start, end) in the file's text, without the
    line end. The first and the last may be parts of lines."""

    segments: tuple[tuple[int, int], ...]
    revise: Revise = as_given

    @property
    def start(self) -> int:
        return self.segments[0][0]

    @property
    def end(self) -> int:
        return self.segments[-1][1]


class Splicer:
    """Replaces one block by one new text, at as many places as there are, given in rising order."""

    def __init__(self, text: str, block: Sequence[str], new: str, line_end: str) -> None:
        """`line_end` is what `uniform_line_end` says of the text; not looked at where `new` is one line."""
        self._text = text
        self._block = block
        self._new = normalise(new).split("\n")
        self._stretches = differing_elements(block, self._new)
        self._surroundings = _Surroundings(text, new, line_end if len(self._new) > 1 else "\n")
        self._made: tuple[str, list[Splice]] = ("", [])

    def splices(self, place: Place) -> list[Splice] | None:
        """The splices of one place, none empty; None where the new lines can't be fitted to it."""
        if place.revise is not as_given or not self._surroundings.uniform:
            return self._splices(place)
        # Hundreds of thousands of places mostly read the same: what was made for one serves the next.
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
            lines[:1] = self._new[:1]  # it goes on the line before the block, which nothing is known of
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
        """The line ends to put in: those of the lines replaced, then for ever that of the surroundings."""
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
    """The line end of the line that an offset is on, asked for rising offsets."""

    def __init__(self, text: str, request: str, line_end: str) -> None:
        self._text = text
        self._last = -1
        self.uniform = line_end
        if not line_end:
            self._last = max(text.rfind("\n"), text.rfind("\r"))
            if self._last < 0:  # the file has none to go by
                asked = _END.search(request)
                self.uniform = asked.group() if asked else "\n"
        self._next: re.Match[str] | None = None

    def line_end(self, at: int) -> str:
        if self.uniform:
            return self.uniform
        if at > self._last:
            return "\r\n" if self._text[self._last - 1 : self._last + 1] == "\r\n" else self._text[self._last]
        if self._next is None or self._next.start() < at:
            self._next = _END.search(self._text, at)
        return self._next.group() if self._next else "\n"


def uniform_line_end(text: str) -> str:
    """The only line end in `text`; empty where they are mixed or there is none."""
    if "\r" not in text:
        return "\n" if "\n" in text else ""
    if "\n" not in text:
        return "\r"
    pairs = text.count("\r\n")
    return "\r\n" if pairs == text.count("\n") == text.count("\r") else ""


def differing_elements(old: Sequence[str], new: Sequence[str]) -> list[Stretch]:
    """The stretches in which two sequences differ; something common lies between any two."""
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
            end = "\r\n"  # else an empty line would be lost: the two would be one line end
        pieces += (end, line)
    return "".join(pieces)


def shortened(text: str, splice: Splice) -> Splice:
    """The same change without what it would replace by itself at its begin and end: a byte that did not
    decode, say, is not put in anew."""
    start, end, put = splice.start, splice.end, splice.text
    head = common_head(text, put, (start, end, 0, len(put)))
    tail = common_tail(text, put, (start + head, end, head, len(put)))
    return Splice(start + head, end - tail, put[head : len(put) - tail])
