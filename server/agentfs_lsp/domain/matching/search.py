"""A text and the block of lines to find in it, as shared by the levels (docs/protocol.md#7-agentfsedit).

Each view is computed when it is first needed, so that an exact match splits and copies nothing. `levels`
defines what counts as a match.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from itertools import accumulate, count, repeat
from operator import add
from typing import TYPE_CHECKING

from agentfs_lsp.domain.matching.indentation import BLANKS, Shift, find_shift, indent_of
from agentfs_lsp.domain.matching.narrowing import where_possible
from agentfs_lsp.domain.matching.occurrences import every_occurrence
from agentfs_lsp.domain.matching.splicing import Place, Revise, as_given, uniform_line_end
from agentfs_lsp.domain.matching.typography import Columns, fold
from agentfs_lsp.domain.text.lines import line_end, line_start, normalise, offset_of_line, with_eol

if TYPE_CHECKING:
    from collections.abc import Sequence

_END = re.compile(r"\r\n?|\n")


class Search:
    """`text` with its own line ends, and `old`, which is `block` as lines without their ends. Places are told
    from `base` on: where `text` begins in what was asked about."""

    def __init__(self, text: str, old: str, base: int = 0) -> None:
        self.text = text
        self._base = base
        self.old = old
        self.plain_old = normalise(old)
        self.block = self.plain_old.split("\n")
        self._columns: dict[int, Columns] = {}

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
            return self._base + self._lengths[line] + line * len(self.line_end)
        return self._base + self._mixed_starts[line]

    @cached_property
    def _lengths(self) -> list[int]:
        """The characters before each line, line ends not counted."""
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def _mixed_starts(self) -> list[int]:
        # As long as the text, with one character at the end of every line.
        marked = self.text.replace("\r\n", "\0\n").replace("\r", "\n")
        return _starts(marked.split("\n"))

    @cached_property
    def plain_starts(self) -> list[int]:
        """For each line its offset in the plain text."""
        return _starts(self.lines)

    @cached_property
    def folded_starts(self) -> list[int]:
        """For each line its offset in the folded text."""
        return self.plain_starts if self.folded is self.plain else _starts(self.folded.split("\n"))

    def columns(self, line: int) -> Columns:
        """The columns of a line (0-based), for those of its folded text. Kept while the same lines are asked
        for, not for ever: there may be as many as the text has."""
        known = self._columns.get(line)
        if known is None:
            if len(self._columns) > 1:
                self._columns.clear()
            known = self._columns[line] = Columns(self.lines[line])
        return known

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        """The lines of the block as it came: offsets in it, line ends left out."""
        return pieces_of(self.old)

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
    def region(self) -> Search:
        """The search in that part of the text alone where the block's inner lines can be. A large file is not
        split into lines for the sake of a few."""
        begin, end = where_possible(self.text, self._inner_cores)
        return Search(self.text[begin:end], self.old, begin)

    @cached_property
    def plain_region(self) -> Search:
        """The search in the lines alone that hold the block in the plain text."""
        return self._region_of(self.plain, self.plain_old)

    @cached_property
    def folded_region(self) -> Search:
        """The search in the lines alone that hold the folded block in the folded text."""
        return self._region_of(self.folded, fold(self.plain_old))

    def _region_of(self, view: str, wanted: str) -> Search:
        """`view` has the text's lines with `\n` line ends."""
        found = view.find(wanted)
        if found < 0:
            return Search("", self.old)
        last = found if view.find(wanted, found + 1) < 0 else view.rfind(wanted)
        if view is self.text:
            begin, end = line_start(view, found), line_end(view, line_end(view, last + len(wanted)))
        else:
            first = view.count("\n", 0, found)
            lines = view.count("\n", found, last) + len(self.block) + 1
            begin = offset_of_line(self.text, first + 1)
            end = offset_of_line(self.text, lines + 1, begin)
        return Search(self.text[begin:end], self.old, begin)

    @cached_property
    def whole_lines(self) -> list[int]:
        """The lines (0-based) where the block's inner lines stand, blanks and tabs around each aside. Lines
        become letters, so that the block is found in one search for a word."""
        inner = self._inner_cores
        if len(inner) >= sys.maxunicode:
            return []
        letters: dict[str, str] = {}
        wanted = "".join([letters.setdefault(line, chr(len(letters) + 1)) for line in inner])
        spelt = "".join(map(letters.get, map(str.strip, self.lines, repeat(BLANKS)), repeat("\0")))
        last = len(self.lines) - (len(self.block) - self.lead)
        return [line for line in every_occurrence(spelt, wanted) if self.lead <= line <= last]

    @property
    def _inner_cores(self) -> list[str]:
        return [line.strip(BLANKS) for line in self.inner]

    @cached_property
    def shifts(self) -> dict[int, Shift]:
        """Those of `whole_lines` where the indentation is shifted evenly, or not at all, and how.

        What a shift makes of an indent is told by the first line that has it; all other lines are compared as
        one word, so that a block of thousands of lines may stand at as many places.
        """
        if not self.whole_lines:
            return {}
        begin, inner = self.whole_lines[0], self.inner
        lines = self.lines[begin : self.whole_lines[-1] + len(inner)]
        snapshot, letters = _spelt_by_indent(lines), _spelt_by_indent(inner)
        firsts = [letters.index(letter) for letter in dict.fromkeys(letters.replace(_NO_SAY, ""))]
        known: dict[str, tuple[Shift, str] | None] = {}
        found = {}
        for at in self.whole_lines:
            there = at - begin
            indents = "".join([snapshot[there + first] for first in firsts])
            if indents not in known:
                shift = find_shift([lines[there + it] for it in firsts], [inner[it] for it in firsts])
                made = str.maketrans("".join([letters[it] for it in firsts]), indents)
                known[indents] = None if shift is None else (shift, letters.translate(made))
            fitting = known[indents]
            if fitting is not None and snapshot.startswith(fitting[1], there):
                found[at] = fitting[0]
        return found


_NO_SAY = "\0"


def _spelt_by_indent(lines: Sequence[str]) -> str:
    """A letter for each line, the same for the same indent; blank lines, which have no say, are `_NO_SAY`."""
    letters: dict[str, str] = {}
    return "".join(
        [
            letters.setdefault(indent, chr(len(letters) + 1)) if len(indent) < len(line) else _NO_SAY
            for line, indent in zip(lines, map(indent_of, lines), strict=True)
        ]
    )


def _starts(lines: Sequence[str]) -> list[int]:
    """Where each line begins when a line end is one character."""
    return list(map(add, accumulate(map(len, lines[:-1]), initial=0), count()))


def pieces_of(text: str) -> list[tuple[int, int]]:
    """The lines of `text`: offsets, line ends left out."""
    ends = [found.span() for found in _END.finditer(text)]
    begins = [0, *(end for _, end in ends)]
    return list(zip(begins, [*(start for start, _ in ends), len(text)], strict=True))
