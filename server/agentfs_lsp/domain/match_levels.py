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
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.indentation import BLANKS, find_shift, indent_of
from agentfs_lsp.domain.lines import normalise
from agentfs_lsp.domain.occurrences import every_occurrence, occurrences
from agentfs_lsp.domain.splicing import Place, as_given
from agentfs_lsp.domain.typography import fold, keep_characters, unfolded_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentfs_lsp.domain.splicing import Revise

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
    def lines(self) -> list[str]:
        """The text's lines without their ends; the last is empty where the text ends in a line end."""
        return self.plain.split("\n")

    @cached_property
    def starts(self) -> list[int]:
        """For each line its offset in the text."""
        if self.plain is self.text:
            return self.plain_starts
        if len(self.text) - len(self.plain) == len(self.lines) - 1:
            return list(accumulate((len(line) + 2 for line in self.lines[:-1]), initial=0))
        starts, at = [0], 0
        for line in self.lines[:-1]:
            at += len(line)
            at += 2 if self.text.startswith("\r\n", at) else 1
            starts.append(at)
        return starts

    @cached_property
    def plain_starts(self) -> list[int]:
        """For each line its offset in the plain text."""
        return list(accumulate((len(line) + 1 for line in self.lines[:-1]), initial=0))

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

    def place(self, line: int, start: int, end: int, revise: Revise = as_given) -> Place:
        """The block from column `start` of a line (0-based) to column `end` of the line where it ends."""
        starts, last = self.starts, line + len(self.block) - 1
        begins = [starts[line] + start, *starts[line + 1 : last + 1]]
        ends = [starts[at] + len(self.lines[at]) for at in range(line, last)] + [starts[last] + end]
        return Place(tuple(zip(begins, ends, strict=True)), revise)

    @cached_property
    def whole_lines(self) -> list[int]:
        """The lines (0-based) where the block's inner lines stand, blanks and tabs around each aside.

        Lines become letters, so that a block is found among 100,000 lines in one search for a word.
        """
        inner = [line.strip(BLANKS) for line in self.inner]
        if max(inner, key=len) not in self.plain or len(inner) >= sys.maxunicode:
            return []
        letters: dict[str, str] = {}
        wanted = "".join([letters.setdefault(line, chr(len(letters) + 1)) for line in inner])
        spelt = "".join([letters.get(line.strip(BLANKS), "\0") for line in self.lines])
        last = len(self.lines) - (len(self.block) - self.lead)
        return [at for at in every_occurrence(spelt, wanted) if self.lead <= at <= last]


def _exact(search: Search) -> Iterator[Place]:
    segments = [(0, len(search.old))]
    if len(search.block) > 1:
        ends = [found.span() for found in _END.finditer(search.old)]
        begins = [0, *(end for _, end in ends)]
        segments = list(zip(begins, [*(start for start, _ in ends), len(search.old)], strict=True))
    for at in occurrences(search.text, search.old):
        yield Place(tuple([(at + start, at + end) for start, end in segments]))


def _eol(search: Search) -> Iterator[Place]:
    if search.plain is search.text and search.plain_old == search.old:
        return
    for at in occurrences(search.plain, search.plain_old):
        line = bisect_right(search.plain_starts, at) - 1
        last = line + len(search.block) - 1
        end = at + len(search.plain_old) - search.plain_starts[last]
        yield search.place(line, at - search.plain_starts[line], end)


def _trailing_whitespace(search: Search) -> Iterator[Place]:
    indents = [indent_of(line) for line in search.inner if line.strip(BLANKS)]
    for at in search.whole_lines:
        there = search.lines[at : at + len(search.inner)]
        if [indent_of(line) for line in there if line.strip(BLANKS)] == indents:
            yield _whole(search, at)


def _indentation(search: Search) -> Iterator[Place]:
    for at in search.whole_lines:
        shift = find_shift(search.lines[at : at + len(search.inner)], search.inner)
        if shift:
            yield _whole(search, at, shift.revise)


def _whole(search: Search, at: int, revise: Revise = as_given) -> Place:
    """The block whose inner lines are the whole lines from `at` on."""
    line = at - search.lead
    start = len(search.lines[line]) if search.lead else 0
    ends_line = len(search.block) > 1 and not search.block[-1]
    return search.place(
        line, start, 0 if ends_line else len(search.lines[line + len(search.block) - 1]), revise
    )


def _unicode(search: Search) -> Iterator[Place]:
    folded, wanted = fold(search.plain), fold(search.plain_old)
    if folded is search.plain and wanted == search.plain_old:
        return
    starts = list(accumulate((len(line) + 1 for line in folded.split("\n")[:-1]), initial=0))
    for at in occurrences(folded, wanted):
        line = bisect_right(starts, at) - 1
        last = line + len(search.block) - 1
        start = unfolded_column(search.lines[line], at - starts[line])
        end = unfolded_column(search.lines[last], at + len(wanted) - starts[last])
        if start is not None and end is not None:
            yield search.place(line, start, end, keep_characters)


def _if_loose(look: Callable[[Search], Iterator[Place]]) -> Callable[[Search], Iterator[Place]]:
    return lambda search: look(search) if search.loose else iter(())


LEVELS: tuple[tuple[Level, Callable[[Search], Iterator[Place]]], ...] = (
    ("exact", _exact),
    ("eol", _if_loose(_eol)),
    ("trailing_whitespace", _if_loose(_trailing_whitespace)),
    ("indentation", _if_loose(_indentation)),
    ("unicode", _if_loose(_unicode)),
)
