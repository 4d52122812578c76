"""How each matching level finds a block of text (docs/protocol.md#7-agentfsedit).

Whitespace inside a line always counts, so no level joins or splits words; levels combine only as in the table
there. Below "exact", a block needs something visible to match by. Choosing among several places happens
elsewhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from agentfs_lsp.domain.matching.occurrences import occurrences
from agentfs_lsp.domain.matching.search import Search, pieces_of
from agentfs_lsp.domain.matching.splicing import Place, as_given
from agentfs_lsp.domain.matching.typography import fold, keep_characters

Level = Literal["exact", "eol", "trailing_whitespace", "indentation", "unicode"]

_MAX_FOLDED = 4_000_000
"""The most characters that are folded one by one. It takes some seconds, on a worker thread."""


@dataclass(frozen=True, slots=True)
class LevelSearch:
    """A level's search: ascending candidate numbers, and the place a number stands for."""

    level: Level
    find: Callable[[Search], Iterator[int]]
    place: Callable[[Search, int], Place]


def _place_exact(search: Search, at: int) -> Place:
    return Place(tuple([(at + start, at + end) for start, end in search.pieces]))


def _find_eol(search: Search) -> Iterator[int]:
    if search.line_end:
        return occurrences(search.text, search.converted) if search.converted != search.old else iter(())
    region = search.plain_region
    return occurrences(region.plain, region.plain_old)


def _place_eol(search: Search, at: int) -> Place:
    if search.line_end:
        return Place(tuple([(at + start, at + end) for start, end in pieces_of(search.converted)]))
    search = search.plain_region
    line = bisect_right(search.plain_starts, at) - 1
    end = at + len(search.plain_old) - search.plain_starts[line + len(search.block) - 1]
    return search.place(line, at - search.plain_starts[line], end)


def _find_trailing_whitespace(search: Search) -> Iterator[int]:
    return (at for at, shift in search.region.shifts.items() if not shift)


def _place_whole_lines(search: Search, at: int) -> Place:
    search = search.region
    shift = search.shifts[at]
    line = at - search.lead
    start = len(search.lines[line]) if search.lead else 0
    ends_line = len(search.block) > 1 and not search.block[-1]
    end = 0 if ends_line else len(search.lines[line + len(search.block) - 1])
    return search.place(line, start, end, shift.revise if shift else as_given)


def _find_unicode(search: Search) -> Iterator[int]:
    if search.folded is search.plain and fold(search.plain_old) == search.plain_old:
        return
    region = search.folded_region
    if too_long_to_fold(search):
        return
    for at in occurrences(region.folded, fold(region.plain_old)):
        if None not in _unfolded(region, at):
            yield at


def too_long_to_fold(search: Search) -> bool:
    """Whether `unicode` has matches, but too long a text from the first of their lines to the last to find
    out where each character is."""
    if not search.loose:
        return False
    text = search.folded_region.text
    return len(text) > _MAX_FOLDED and not text.isascii()  # else each character is where it was


def _place_unicode(search: Search, at: int) -> Place:
    search = search.folded_region
    line, start, end = _unfolded(search, at)
    assert start is not None
    assert end is not None
    return search.place(line, start, end, keep_characters)


def _unfolded(search: Search, at: int) -> tuple[int, int | None, int | None]:
    """The line at which a place in the folded text starts, and its columns in the file's own lines."""
    starts = search.folded_starts
    line = bisect_right(starts, at) - 1
    last = line + len(search.block) - 1
    end = at + len(fold(search.plain_old))
    return (
        line,
        search.columns(line).unfolded(at - starts[line]),
        search.columns(last).unfolded(end - starts[last]),
    )


LEVELS = (
    LevelSearch("exact", lambda search: occurrences(search.text, search.old), _place_exact),
    LevelSearch("eol", _find_eol, _place_eol),
    LevelSearch("trailing_whitespace", _find_trailing_whitespace, _place_whole_lines),
    LevelSearch("indentation", lambda search: iter(search.region.shifts), _place_whole_lines),
    LevelSearch("unicode", _find_unicode, _place_unicode),
)
