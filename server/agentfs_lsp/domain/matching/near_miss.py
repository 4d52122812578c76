"""Hints about a block that was not found: the closest lines, and the cause if it is certain.

The hints are for the model's next attempt (docs/protocol.md#7-agentfsedit) and never determine an edit.
The effort is bounded: lines vote by what they have in common, the twenty positions with most votes are
compared, and only the beginning of long lines counts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import islice, repeat
from typing import Literal, NamedTuple

from agentfs_lsp.domain.errors import NearMiss, NoMatch
from agentfs_lsp.domain.matching.indentation import BLANKS
from agentfs_lsp.domain.matching.levels import too_long_to_fold
from agentfs_lsp.domain.matching.occurrences import every_occurrence
from agentfs_lsp.domain.matching.search import Search
from agentfs_lsp.domain.matching.splicing import differing_elements
from agentfs_lsp.domain.matching.typography import fold

_PLACES = 3
_LINES = 6
_WIDTH = 240  # characters shown of a line
_COMPARED = 400  # characters compared of a block
_CANDIDATES = 20
_SMALL = 100  # in a file with this few lines every one is compared
_HITS = 200  # a word or line that occurs more often says little
_WORDS = 8
_CLOSE = 0.5

_WORD = re.compile(r"\w{3,}")
_NUMBERED = tuple(re.compile(rf"[ ]*\d+{mark}", re.ASCII) for mark in (r" \| ?", r"\t", "→", r"[:|] ?"))
_ESCAPED = re.compile(r"\\([nrt\"'`\\/])")
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}
_CASEFOLD_LIMIT = 2_000_000  # characters; above this only ASCII folds fast enough

_Cause = Literal["typography", "line_numbers", "over_escaped", "letter_case"]


class _Candidate(NamedTuple):
    rank: float
    similarity: float
    line: int  # 0-based


def explain(search: Search) -> NoMatch:
    """The NoMatch to raise for a block that was not found.

    `detail` is independent of the language: for "drifted" the 1-based lines of old_string that differ from
    the file, with the first of them ("old_string 3, 5-7 | return x"), else empty."""
    for cause, reading in _READINGS:
        line = reading(search)
        if line is not None:
            return NoMatch((_shown(search, line, len(search.block)),), cause)
    places = _closest(search)
    near = tuple(_shown(search, place.line, len(search.block)) for place in places)
    lacking = _lacking(search, places[0].line) if places else []
    if lacking:
        return NoMatch(near, "drifted", f"old_string {_ranges(lacking)} | {_first(search, lacking)}")
    return NoMatch(near)


# --- causes that another reading of the request proves ----------------------------------------------------


def _without_numbers(search: Search) -> int | None:
    lines = search.block[:-1] if not search.block[-1] else search.block
    for prefix in _NUMBERED:
        found = [prefix.match(line) for line in lines]
        if all(found):
            bare = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
            return _whole_lines_where(search.plain, "\n".join(bare))
    return None


def _unescaped(search: Search) -> int | None:
    if "\\" not in search.plain_old:
        return None
    meant = _ESCAPED.sub(lambda it: _MEANT.get(it[1], it[1]), search.plain_old)
    return _line_where(search.plain, meant) if meant != search.plain_old else None


def _in_typewriter(search: Search) -> int | None:
    return _line_where(search.folded, fold(search.plain_old)) if too_long_to_fold(search) else None


def _in_other_case(search: Search) -> int | None:
    too_long = not search.plain.isascii() and len(search.plain) > _CASEFOLD_LIMIT
    if too_long or search.plain_old in search.plain:
        return None
    return _line_where(search.plain.casefold(), search.plain_old.casefold())


def _whole_lines_where(text: str, wanted: str) -> int | None:
    """As `_line_where`, but matches whole lines only: a number and a sign within a line prove nothing."""
    if wanted.strip():
        for at in islice(every_occurrence(text, wanted), _HITS):
            end = at + len(wanted)
            if text[at - 1 : at] in ("", "\n") and text[end : end + 1] in ("", "\n"):
                return text.count("\n", 0, at)
    return None


def _line_where(text: str, wanted: str) -> int | None:
    """The 0-based line of the first `wanted` in `text`; None if there is none or it is meaningless."""
    at = text.find(wanted) if wanted.strip() else -1
    return text.count("\n", 0, at) if at >= 0 else None


_READINGS: tuple[tuple[_Cause, Callable[[Search], int | None]], ...] = (
    ("typography", _in_typewriter),
    ("line_numbers", _without_numbers),
    ("over_escaped", _unescaped),
    ("letter_case", _in_other_case),
)


# --- the closest lines ------------------------------------------------------------------------------------


def _closest(search: Search) -> list[_Candidate]:
    """Up to three places that resemble the block, closest first, not overlapping."""
    votes = _votes_of_lines(search) or _votes_of_words(search)
    similarity = _similarity(_excerpt(search.block))
    size = len(search.block)
    candidates = _CANDIDATES
    if len(search.lines) <= _SMALL:
        votes, candidates = dict.fromkeys(range(len(search.lines)), 0.0) | votes, _SMALL
    ranked = []
    for line, weight in nlargest(candidates, votes.items(), key=lambda it: (it[1], -it[0])):
        begin = min(max(line, 0), len(search.lines) - 1)
        close = similarity(_excerpt(search.lines[begin : begin + size]))
        ranked.append(_Candidate(max(close, min(weight / _visible(search), 1.0)), close, begin))
    chosen: list[_Candidate] = []
    for candidate in sorted(ranked, key=lambda it: (-it.rank, -it.similarity, it.line)):
        apart = all(abs(candidate.line - other.line) >= max(size, 2) for other in chosen)
        if candidate.rank >= _CLOSE and apart and len(chosen) < _PLACES:
            chosen.append(candidate)
    return chosen


def _votes_of_lines(search: Search) -> dict[int, float]:
    """For each possible first line: how many of the block's lines are in place, weighting rare ones."""
    wanted: dict[str, int] = {}
    for k, line in enumerate(search.block):
        if _WORD.search(line):
            wanted.setdefault(line.strip(BLANKS), k)
    hits: dict[str, list[int]] = defaultdict(list)
    for at, core in enumerate(map(str.strip, search.lines, repeat(BLANKS))):
        if core in wanted:
            hits[core].append(at)
    votes: defaultdict[int, float] = defaultdict(float)
    for core, lines in hits.items():
        for at in lines[:_HITS]:
            votes[at - wanted[core]] += 1 if len(lines) == 1 else 0.5
    return votes


def _votes_of_words(search: Search) -> dict[int, float]:
    """As `_votes_of_lines`, by the block's longest words, if none of its lines occurs whole."""
    words: dict[str, int] = {}
    for k, line in enumerate(search.block):
        for word in _WORD.findall(line[: _COMPARED * 10]):
            words.setdefault(word, k)
    votes: defaultdict[int, float] = defaultdict(float)
    for word in nlargest(_WORDS, words, key=len):
        places = list(islice(every_occurrence(search.plain, word), _HITS))
        for at in places:
            votes[bisect_right(search.plain_starts, at) - 1 - words[word]] += 1 / (1000 * len(places))
    return votes


def _visible(search: Search) -> int:
    return sum(1 for line in search.block if line.strip()) or 1


def _similarity(wanted: str) -> Callable[[str], float]:
    """Similarity to `wanted`, from 0 to 1: the longest common subsequence relative to both lengths, by
    Hyyrö's bit vectors (2004), which take one step per character."""
    places: dict[str, int] = {}
    for at, character in enumerate(wanted):
        places[character] = places.get(character, 0) | 1 << at
    every = (1 << len(wanted)) - 1

    def alike(text: str) -> float:
        missing = every  # of `wanted`, from what was seen of `text`
        for character in text:
            here = missing & places.get(character, 0)
            missing = (missing + here | missing - here) & every
        common = len(wanted) - missing.bit_count()
        return 2 * common / (len(wanted) + len(text)) if wanted or text else 1.0

    return alike


def _excerpt(lines: Sequence[str]) -> str:
    """The part of a block to compare: its start, without indentation."""
    taken: list[str] = []
    room = _COMPARED
    for line in lines:
        if room <= 0:
            break
        taken.append(line[: _COMPARED * 2].strip(BLANKS)[:room])
        room -= len(taken[-1]) + 1
    return "\n".join(taken)


# --- what drifted -----------------------------------------------------------------------------------------


def _lacking(search: Search, line: int) -> list[int]:
    """The block's 0-based lines that differ at `line`; empty if less than half of them match."""
    block = [it.rstrip(BLANKS) for it in search.block]
    there = [it.rstrip(BLANKS) for it in search.lines[line : line + len(block) + _LINES]]
    gone: list[int] = []
    parted: list[int] = []
    for a0, a1, b0, _ in differing_elements(block, there):
        if a0 < a1:
            gone += range(a0, a1)
        elif 0 < a0 < len(block) and b0:
            parted += (a0 - 1, a0)  # the file has more between the two
    last = len(block) - 2 if len(block) > 1 and not block[-1] else len(block) - 1
    lacking = sorted({min(at, last) for at in gone + parted})
    missed = set(gone)
    standing = [line for at, line in enumerate(block) if line and at not in missed]
    certain = 2 * len(standing) >= _visible(search) and any(map(_WORD.search, standing))
    return lacking if certain else []


def _ranges(lines: list[int]) -> str:
    """0-based lines as 1-based ranges: "3, 5-7"."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line <= runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(f"{a + 1}-{b + 1}" if a < b else f"{a + 1}" for a, b in runs)


def _first(search: Search, lacking: list[int]) -> str:
    """The first of these lines, with its line end if that is what differs."""
    at = lacking[0]
    ended = at == len(search.block) - 2 and not search.block[-1] and search.block[at] == search.lines[-1]
    return _cut(search.block[at]) + ("\\n" if ended else "")


def _shown(search: Search, line: int, size: int) -> NearMiss:
    lines = search.lines[line : line + min(size, _LINES)]
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return NearMiss(line + 1, tuple(_cut(it) for it in lines))


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[:_WIDTH] + "…"
