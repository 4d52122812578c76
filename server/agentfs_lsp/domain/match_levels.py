"""How each level looks for a block of text (docs/protocol.md#7-agentfsedit).

| level | what may differ | the block is |
| --- | --- | --- |
| `exact` | nothing | any piece of text |
| `eol` | line ends | any piece of text |
| `trailing_whitespace` | line ends; blanks and tabs at the ends of lines | whole lines |
| `indentation` | the above, and one constant shift of the indentation | whole lines |
| `unicode` | line ends; how quotes, dashes, no-break blanks, marked letters are written | any piece of text |

Blanks inside a line always count, so no level joins or parts words; levels are not added up beyond this
table. Looser than exact, a block needs something visible to be known by. Choosing among places is not done
here.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.indentation import BLANKS, Shift, find_shift, indent_of
from agentfs_lsp.domain.lines import normalise, with_eol
from agentfs_lsp.domain.occurrences import every_occurrence, occurrences
from agentfs_lsp.domain.splicing import Place, Revise, as_given, uniform_line_end
from agentfs_lsp.domain.typography import fold, keep_characters, unfolded_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Level = Literal["exact", "eol", "trailing_whitespace", "indentation", "unicode"]

_END = re.compile(r"\r\n?|\n")


class Search:
    """A text and the block looked for in it. What the levels share is made when it is first needed:
    an exact match splits nothing."""

    def __init__(self, text: str, old: str) -> None:
        self.text = text
        self.old = old
        self.plain_old = normalise(old)
        self.block = self.plain_old.split("\n")

    @cached_property
    def plain(self) -> str:
        """The text with `\\n` line ends; the text itself where it has no others."""
        return normalise(self.text)

    @cached_property
    def line_end(self) -> str:
        """The only line end in the text; empty where they are mixed or there is none."""
        return uniform_line_end(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines without their ends; the last is empty where the text ends in a line end."""
        return self.text.split(self.line_end) if self.line_end else self.plain.split("\n")

    @cached_property
    def cores(self) -> list[str]:
        """The text's lines without the blanks and tabs around."""
        return [line.strip(BLANKS) for line in self.lines]

    @cached_property
    def folded(self) -> str:
        """The plain text as it would be typed."""
        return fold(self.plain)

    def start(self, line: int) -> int:
        """The offset in the text at which a line (0-based) begins."""
        if self.line_end:
            return self._lengths[line] + line * len(self.line_end)
        return self._mixed_starts[line]

    @cached_property
    def _lengths(self) -> list[int]:
        """The characters before each line, line ends not counted."""
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def _mixed_starts(self) -> list[int]:
        starts, at = [0], 0
        for line in self.lines[:-1]:
            at += len(line)
            at += 2 if self.text.startswith("\r\n", at) else 1
            starts.append(at)
        return starts

    @cached_property
    def plain_starts(self) -> list[int]:
        """For each line its offset in the plain text."""
        return _starts(self.lines)

    @cached_property
    def folded_starts(self) -> list[int]:
        """For each line its offset in the folded text."""
        return self.plain_starts if self.folded is self.plain else _starts(self.folded.split("\n"))

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        """The lines of the block as it came: offsets in it, line ends left out."""
        return _pieces(self.old)

    @cached_property
    def converted(self) -> str:
        """The block with the text's only line end."""
        return with_eol(self.plain_old, self.line_end)

    @property
    def loose(self) -> bool:
        """Whether levels below `exact` apply. Not to what cannot be seen; nor to what ends in half of a
        `\\r\\n`: who sends that means the character."""
        return not self.old.isspace() and not self.old.endswith("\r")

    @property
    def lead(self) -> int:
        """1 where the block's first line is but the end of the line before, whatever that holds; else 0."""
        return int(len(self.block) > 1 and not self.block[0])

    @property
    def inner(self) -> list[str]:
        """The block less an empty first and last line: those say only that a line ends there."""
        trail = len(self.block) > 1 and not self.block[-1]
        return self.block[self.lead : len(self.block) - trail]

    def place(self, line: int, column: int, end: int, revise: Revise = as_given) -> Place:
        """The block from `column` of a line (0-based) to column `end` of the line where it ends."""
        last = line + len(self.block) - 1
        begins = [self.start(at) for at in range(line, last + 1)]
        ends = [begin + len(self.lines[line + at]) for at, begin in enumerate(begins[:-1])]
        return Place(
            tuple(zip([begins[0] + column, *begins[1:]], [*ends, begins[-1] + end], strict=True)), revise
        )

    @cached_property
    def whole_lines(self) -> list[int]:
        """The lines (0-based) where the block's inner lines stand, blanks and tabs around each aside.

        Lines become letters, so that a block is found among 100,000 lines in one search for a word.
        """
        inner = [line.strip(BLANKS) for line in self.inner]
        if max(inner, key=len) not in self.text or len(inner) >= sys.maxunicode:
            return []
        letters: dict[str, str] = {}
        wanted = "".join([letters.setdefault(line, chr(len(letters) + 1)) for line in inner])
        spelt = "".join([letters.get(core, "\0") for core in self.cores])
        last = len(self.lines) - (len(self.block) - self.lead)
        return [at for at in every_occurrence(spelt, wanted) if self.lead <= at <= last]

    @cached_property
    def shifts(self) -> dict[int, Shift]:
        """Those of `whole_lines` where the indentation is shifted evenly, or not at all, and how."""
        if not self.whole_lines:
            return {}
        first, size = self.whole_lines[0], len(self.inner)
        lines = self.lines[first : self.whole_lines[-1] + size]
        letters: dict[str, int] = {}
        indents = array("L", [letters.setdefault(indent_of(line), len(letters)) for line in lines])
        # A block that repeats its own lines can stand at very many places; most then look the same.
        known: dict[bytes, Shift | None] = {}
        found = {}
        for at in self.whole_lines:
            look = indents[at - first : at - first + size].tobytes()
            if look not in known:
                known[look] = find_shift(self.lines[at : at + size], self.inner)
            shift = known[look]
            if shift is not None:
                found[at] = shift
        return found


@dataclass(frozen=True, slots=True)
class Looking:
    """How one level looks: numbers that stand for its places, rising, and the place a number stands for."""

    level: Level
    find: Callable[[Search], Iterator[int]]
    place: Callable[[Search, int], Place]


def _find_exact(search: Search) -> Iterator[int]:
    return occurrences(search.text, search.old)


def _place_exact(search: Search, at: int) -> Place:
    return Place(tuple([(at + start, at + end) for start, end in search.pieces]))


def _find_eol(search: Search) -> Iterator[int]:
    if search.line_end:
        return occurrences(search.text, search.converted) if search.converted != search.old else iter(())
    return occurrences(search.plain, search.plain_old)


def _place_eol(search: Search, at: int) -> Place:
    if search.line_end:
        return Place(tuple([(at + start, at + end) for start, end in _pieces(search.converted)]))
    line = bisect_right(search.plain_starts, at) - 1
    end = at + len(search.plain_old) - search.plain_starts[line + len(search.block) - 1]
    return search.place(line, at - search.plain_starts[line], end)


def _find_trailing_whitespace(search: Search) -> Iterator[int]:
    return (at for at, shift in search.shifts.items() if not shift)


def _find_indentation(search: Search) -> Iterator[int]:
    return iter(search.shifts)


def _place_whole_lines(search: Search, at: int) -> Place:
    shift = search.shifts[at]
    line = at - search.lead
    start = len(search.lines[line]) if search.lead else 0
    ends_line = len(search.block) > 1 and not search.block[-1]
    end = 0 if ends_line else len(search.lines[line + len(search.block) - 1])
    return search.place(line, start, end, shift.revise if shift else as_given)


def _find_unicode(search: Search) -> Iterator[int]:
    if search.folded is search.plain and fold(search.plain_old) == search.plain_old:
        return
    for at in occurrences(search.folded, fold(search.plain_old)):
        if None not in _unfolded(search, at):
            yield at


def _place_unicode(search: Search, at: int) -> Place:
    line, start, end = _unfolded(search, at)
    assert start is not None
    assert end is not None
    return search.place(line, start, end, keep_characters)


def _unfolded(search: Search, at: int) -> tuple[int, int | None, int | None]:
    """The line where a place in the folded text begins, and its columns in the file's own lines."""
    starts = search.folded_starts
    line = bisect_right(starts, at) - 1
    last = line + len(search.block) - 1
    end = at + len(fold(search.plain_old))
    return (
        line,
        unfolded_column(search.lines[line], at - starts[line]),
        unfolded_column(search.lines[last], end - starts[last]),
    )


def _starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins when a line end is one character."""
    return [at + number for number, at in enumerate(accumulate(map(len, lines[:-1]), initial=0))]


def _pieces(text: str) -> list[tuple[int, int]]:
    ends = [found.span() for found in _END.finditer(text)]
    begins = [0, *(end for _, end in ends)]
    return list(zip(begins, [*(start for start, _ in ends), len(text)], strict=True))


LEVELS = (
    Looking("exact", _find_exact, _place_exact),
    Looking("eol", _find_eol, _place_eol),
    Looking("trailing_whitespace", _find_trailing_whitespace, _place_whole_lines),
    Looking("indentation", _find_indentation, _place_whole_lines),
    Looking("unicode", _find_unicode, _place_unicode),
)
