"""Finds the old text and computes its replacement, without guessing (docs/protocol.md#7-agentfsedit).

Levels are tried in order, each only if the previous one found nothing. Several matches at a level end the
search: a looser level never resolves an ambiguity. Similarity is used only for the hints of `near_miss`.
`levels` defines how a level finds matches; `splicing` converts a match into splices with the line endings
of its surroundings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, pairwise

from agentfs_lsp.domain.diff.line_ends import kept_apart
from agentfs_lsp.domain.errors import (
    CountMismatch,
    EmptyOldString,
    NothingChanges,
    OverlappingMatches,
    SeveralMatches,
    TooManyMatches,
)
from agentfs_lsp.domain.matching.levels import LEVELS, Level
from agentfs_lsp.domain.matching.near_miss import explain
from agentfs_lsp.domain.matching.search import Search
from agentfs_lsp.domain.matching.splicing import Place, Splicer
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import line_of

__all__ = ["Level", "Match", "find"]

MAX_MATCHES = 100_000
"""Each takes 10 µs and 400 bytes, and a file of 64 MiB may have as many as it has bytes."""

_TOLD = 20  # maximum number of lines in an error


@dataclass(frozen=True, slots=True)
class Match:
    """A match: `splices` in order, not overlapping, with offsets in code points of the searched text.

    They contain nothing that old and new have in common. `replacements` counts places."""

    level: Level
    splices: tuple[Splice, ...]
    replacements: int


def find(
    text: str, old: str, new: str, *, replace_all: bool = False, expected_count: int | None = None
) -> Match:
    """The only place of `old` in `text`, or all of them, and the splices that turn it into `new`.

    `text` has the file's own line ends. `expected_count` over 1 implies `replace_all`; 1 means exactly one.
    Raises EmptyOldString, NothingChanges, NoMatch, SeveralMatches, CountMismatch, TooManyMatches,
    OverlappingMatches (docs/protocol.md#7-agentfsedit)."""
    if not old:
        raise EmptyOldString
    if old == new:
        raise NothingChanges
    several = replace_all or (expected_count or 0) > 1
    search = Search(text, old)
    for looking in LEVELS if search.loose else LEVELS[:1]:
        numbers = looking.find(search)
        found = [looking.place(search, it) for it in islice(numbers, MAX_MATCHES if several else _TOLD)]
        if found:
            count = len(found) + sum(1 for _ in islice(numbers, MAX_MATCHES + 1 - len(found)))
            if count > MAX_MATCHES:
                raise TooManyMatches(MAX_MATCHES)
            if several and any(one.end > other.start for one, other in pairwise(found)):
                raise OverlappingMatches(count, _lines(search, found))
            if expected_count is not None and count != expected_count:
                raise CountMismatch(expected_count, count, _lines(search, found))
            if count > 1 and not several:
                raise SeveralMatches(count, _lines(search, found), looking.level)
            return Match(looking.level, _splices(search, found, new), count)
    raise explain(search)


def _lines(search: Search, places: list[Place]) -> tuple[int, ...]:
    """The 1-based lines of the first places: the first non-empty line of each."""
    first = next((at for at, line in enumerate(search.block) if line), 0)
    numbers: list[int] = []
    line, counted = 1, 0
    for place in places[:_TOLD]:
        passed = search.text[counted : place.segments[first][0]]
        counted += len(passed)
        line += line_of(passed, len(passed)) - 1
        numbers.append(line)
    return tuple(numbers)


def _splices(search: Search, places: list[Place], new: str) -> tuple[Splice, ...]:
    line_end = search.line_end if "\n" in new or "\r" in new else ""
    splicer = Splicer(search.text, search.block, new, line_end)
    splices: list[Splice] = []
    for place in places:
        made = splicer.splices(place)
        if made is None:
            raise explain(search)
        splices += made
    if not splices:
        raise NothingChanges
    return kept_apart(search.text, splices)
