"""A text and the block of lines to find in it, as shared by the levels (docs/protocol.md#7-agentfsedit).

Each view is computed when it is first needed, so that an exact match splits and copies nothing. `levels`
defines what counts as a match.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, count, repeat
from operator import add

from agentfs_lsp.domain.matching.indentation import BLANKS, Shift, find_shift, indent_of
from agentfs_lsp.domain.matching.narrowing import where_possible
from agentfs_lsp.domain.matching.occurrences import Backwards, every_occurrence
from agentfs_lsp.domain.matching.splicing import Place, Revise, as_given, uniform_line_end
from agentfs_lsp.domain.matching.typography import Columns, fold, folding_units
from agentfs_lsp.domain.text.lines import LINE_END, line_end, line_start, normalize, offset_of_line, with_eol


class Search:
    """`text` with its own line ends, and `old`, whose lines without ends are `block`. Places are offset by
    `base`, the start of `text` in the original."""

    def __init__(self, text: str, old: str, base: int = 0) -> None:
        self.text = text
        self._base = base
        self.old = old
        self.plain_old = normalize(old)
        self.block = self.plain_old.split("\n")
        self._columns: dict[int, Columns] = {}

    @cached_property
    def plain(self) -> str:
        """The text with LF line ends; the text itself if it has no others."""
        return normalize(self.text)

    @cached_property
    def line_end(self) -> str:
        """The text's only kind of line end; "" if mixed or none."""
        return uniform_line_end(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The text's lines without line ends; the last is "" if the text ends with a line end."""
        return self.text.split(self.line_end) if self.line_end else self.plain.split("\n")

    @cached_property
    def folded(self) -> str:
        """The plain text, folded to typewriter characters."""
        return fold(self.plain)

    def start(self, line: int) -> int:
        """The offset of a 0-based line."""
        return self._base + self._starts[line]

    @cached_property
    def _starts(self) -> list[int]:
        if self.line_end:
            return _starts(self.lines, len(self.line_end))
        # As long as the text, with one character at the end of every line.
        marked = self.text.replace("\r\n", "\0\n").replace("\r", "\n")
        return _starts(marked.split("\n"))

    @cached_property
    def plain_starts(self) -> list[int]:
        """Each line's offset in the plain text."""
        return _starts(self.lines)

    @cached_property
    def folded_starts(self) -> list[int]:
        """Each line's offset in the folded text."""
        return self.plain_starts if self.folded is self.plain else _starts(self.folded.split("\n"))

    def columns(self, line: int) -> Columns:
        """The columns of a 0-based line and its folded text. Caches the latest lines only: the text may have
        very many."""
        known = self._columns.get(line)
        if known is None:
            if len(self._columns) > 1:
                self._columns.clear()
            known = self._columns[line] = Columns(self.lines[line], self._folding_units)
        return known

    @cached_property
    def _folding_units(self) -> re.Pattern[str]:
        return folding_units(self.text)

    @cached_property
    def pieces(self) -> list[tuple[int, int]]:
        """The lines of the block as given: offsets, without line ends."""
        return pieces_of(self.old)

    @cached_property
    def converted(self) -> str:
        """The block with the text's only kind of line end."""
        return with_eol(self.plain_old, self.line_end)

    @property
    def loose(self) -> bool:
        """Whether levels below `exact` apply. Not to invisible text, nor to text that ends in half of a
        `\\r\\n`: that asks for the very character."""
        return not self.old.isspace() and not self.old.endswith("\r")

    @property
    def lead(self) -> int:
        """1 if the block's first line is only the end of the line before, whatever that contains; else 0."""
        return int(len(self.block) > 1 and not self.block[0])

    @property
    def inner(self) -> list[str]:
        """The block without an empty first and last line, which only say that a line ends there."""
        trail = len(self.block) > 1 and not self.block[-1]
        return self.block[self.lead : len(self.block) - trail]

    def place(self, line: int, column: int, end: int, revise: Revise = as_given) -> Place:
        """The block from `column` of a 0-based line to column `end` of its last line."""
        last = line + len(self.block) - 1
        begins = [self.start(at) for at in range(line, last + 1)]
        ends = [begin + len(self.lines[line + at]) for at, begin in enumerate(begins[:-1])]
        return Place(
            tuple(zip([begins[0] + column, *begins[1:]], [*ends, begins[-1] + end], strict=True)), revise
        )

    @cached_property
    def region(self) -> Search:
        """The search limited to where the block's inner lines can be, so that a large file need not be split
        into lines."""
        begin, end = where_possible(self.text, self._inner_cores)
        return Search(self.text[begin:end], self.old, begin)

    @cached_property
    def plain_region(self) -> Search:
        """The search limited to lines that contain the block in the plain text."""
        return self._region_of(self.plain, self.plain_old)

    @cached_property
    def folded_region(self) -> Search:
        """The search limited to lines that contain the folded block in the folded text."""
        return self._region_of(self.folded, fold(self.plain_old))

    def _region_of(self, view: str, wanted: str) -> Search:
        """`view` has the text's lines with LF line ends."""
        found = view.find(wanted)
        if found < 0:
            return Search("", self.old)
        last = found if view.find(wanted, found + 1) < 0 else Backwards(view, wanted).before(len(view))
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
        """The 0-based lines where the block's inner lines match without surrounding whitespace. Lines become
        letters, so that one string search finds the block."""
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
        """The `whole_lines` whose indentation is shifted uniformly or not at all, with the shift.

        The first line with an indent determines its shift; all others are compared as one string, at all
        places with the same indents together, so that blocks of thousands of lines may match at as many."""
        if not self.whole_lines:
            return {}
        begin, inner = self.whole_lines[0], self.inner
        lines = self.lines[begin : self.whole_lines[-1] + len(inner)]
        snapshot, letters = _spelt_by_indent(lines), _spelt_by_indent(inner)
        firsts = [letters.index(letter) for letter in dict.fromkeys(letters.replace(_NO_SAY, ""))]
        by_indents: dict[str, list[int]] = {}
        for at in self.whole_lines:
            indents = "".join([snapshot[at - begin + first] for first in firsts])
            by_indents.setdefault(indents, []).append(at - begin)
        found: dict[int, Shift] = {}
        for indents, places in by_indents.items():
            shift = find_shift([lines[places[0] + it] for it in firsts], [inner[it] for it in firsts])
            if shift is not None:
                made = str.maketrans("".join([letters[it] for it in firsts]), indents)
                for there in _fitting(snapshot, letters.translate(made), places):
                    found[begin + there] = shift
        return {at: found[at] for at in self.whole_lines if at in found}


_NO_SAY = "\0"


def _fitting(snapshot: str, wanted: str, places: Sequence[int]) -> list[int]:
    """The places where `snapshot` has `wanted`: one by one, unless one search of all of it costs less."""
    if len(places) * len(wanted) > len(snapshot):
        everywhere = set(every_occurrence(snapshot, wanted))
        return [there for there in places if there in everywhere]
    return [there for there in places if snapshot.startswith(wanted, there)]


def _spelt_by_indent(lines: Sequence[str]) -> str:
    """One letter per line, equal for equal indents; blank lines, which don't matter, are `_NO_SAY`."""
    letters: dict[str, str] = {}
    return "".join(
        [
            letters.setdefault(indent, chr(len(letters) + 1)) if len(indent) < len(line) else _NO_SAY
            for line, indent in zip(lines, map(indent_of, lines), strict=True)
        ]
    )


def _starts(lines: Sequence[str], line_end: int = 1) -> list[int]:
    """Where each line starts if a line end has this many characters."""
    return list(map(add, accumulate(map(len, lines[:-1]), initial=0), count(0, line_end)))


def pieces_of(text: str) -> list[tuple[int, int]]:
    """The lines of `text` as offsets, without line ends."""
    ends = [found.span() for found in LINE_END.finditer(text)]
    begins = [0, *(end for _, end in ends)]
    return list(zip(begins, [*(start for start, _ in ends), len(text)], strict=True))
