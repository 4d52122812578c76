"""Typographic variants of characters (docs/protocol.md#7-agentfsedit, level `unicode`).

These are typographic quotes, dashes, no-break spaces, and composed or decomposed letters. Characters that
change the meaning of a text are not included: compatibility forms (full width, ligatures), ellipses,
guillemets, invisible characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from unicodedata import category, combining, normalize

from agentfs_lsp.domain.matching.splicing import differing_elements

_TYPED = {"'": "‘’‚‛′", '"': "“”„‟″", "-": "‐‑‒–—―−", " ": "\u00a0\u2007\u202f"}
_ASCII = re.compile("[\0-\x7f]")
_BLOCK = 1 << 18
_SHORT = 16
_SHORTEST_RUN = 31
"""More combining marks in a row than Unicode's stream-safe text format allows."""

_TOKEN = re.compile(r"\w[\w\u0300-\u036f]*|[^\w][\u0300-\u036f]*")


def fold(text: str) -> str:
    """`text` in typewriter characters. Line ends stay; the number of code points may change."""
    if text.isascii():
        return text
    return _fold_short(text) if len(text) <= _SHORT else _fold(text)


def _fold(text: str) -> str:
    text = _composed(text)
    for typed, variants in _TYPED.items():
        for variant in variants:
            text = text.replace(variant, typed)
    return text


_fold_short = lru_cache(1 << 14)(_fold)
"""A long line is folded character by character, and word by word, of which it has few different ones."""


def _composed(text: str) -> str:
    """`text` in the form NFC, except for long runs of combining marks: those are no text, and to order them
    takes time squared, in one call that holds the interpreter."""
    pieces: list[str] = []
    for block in _blocks(text):
        if not _marks().search(block[::_SHORTEST_RUN]):  # a run has a character at one of these places
            pieces.append(normalize("NFC", block))
            continue
        at = 0
        for run in _long_runs().finditer(block):
            pieces += (normalize("NFC", block[at : run.start()]), run[0])
            at = run.end()
        pieces.append(normalize("NFC", block[at:]))
    return "".join(pieces)


def _blocks(text: str) -> Iterator[str]:
    """`text` in blocks, between which other threads run. An ASCII character begins each, since none becomes
    one with what is before it."""
    start = 0
    while found := _ASCII.search(text, start + _BLOCK):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]


@cache
def _marks() -> re.Pattern[str]:
    """A combining mark. All characters of the planes with the rarer marks count as such: `re` is slow with a
    class of single characters there, and holds the interpreter for a minute of 60 MB."""
    split = "\u0f73\u0f75\u0f81"  # no marks themselves, but they are taken apart into marks
    marks = (mark for mark in map(chr, range(0x300, 0x10000)) if combining(mark) or mark in split)
    return re.compile(f"[{''.join(marks)}\U00010000-\U0001ffff]")


@cache
def _long_runs() -> re.Pattern[str]:
    return re.compile(f"{_marks().pattern}{{{_SHORTEST_RUN},}}")


class Columns:
    """Maps columns of `fold(line)` to those of the line. Scans the line only once, since a file on one line
    may have thousands of places. `units`: `folding_units` of a text with this line."""

    def __init__(self, line: str, units: re.Pattern[str]) -> None:
        self._line = line
        self._same = _composed(line) == line
        if self._same:
            return
        found = [(it.start(), it.lastindex == 1) for it in units.finditer(line)]
        starts = [start for start, _ in found]
        pieces = [fold(line[a:b]) for a, b in pairwise([*starts, len(line)])]
        if "".join(pieces) != fold(line):
            found, starts, pieces = [(0, False)], [0], [fold(line)]
        self._starts = [*starts, len(line)]
        self._one_by_one = [it for _, it in found]
        self._folded = list(accumulate(map(len, pieces), initial=0))

    def unfolded(self, column: int) -> int | None:
        """The column for `column` of the folded line; None inside a unit that folds as one."""
        if self._same:
            return column
        number = bisect_right(self._folded, column) - 1
        start, column = self._starts[number], column - self._folded[number]
        if not column:
            return start
        if self._one_by_one[number]:
            return start + column
        piece = self._line[start : self._starts[number + 1]]
        found = bisect_right(range(len(piece) + 1), column, key=lambda at: len(fold(piece[:at]))) - 1
        return start + found if fold(piece[:found]) == fold(piece)[:column] else None


def folding_units(text: str) -> re.Pattern[str]:
    """Finds the parts of a line that fold by themselves: runs of characters that each become one (group 1),
    and other characters with the marks behind them. Only for lines of this text."""
    characters = sorted(set(text))
    marks = "".join(re.escape(it) for it in characters if not _begins_anew(it))
    others = "".join(re.escape(it) for it in characters if len(fold(it)) != 1)
    ahead = f"(?![{marks}])" if marks else ""
    run = f"[^{marks}{others}]+" if marks or others else ".+"
    return re.compile(f"({run}{ahead})|.{f'[{marks}]*' if marks else ''}", re.DOTALL)


def _begins_anew(character: str) -> bool:
    """Whether it never folds together with the preceding character: no mark, and no part of a Hangul
    syllable."""
    return character < "\u0300" or not (category(character)[0] == "M" or "\u1160" <= character <= "\u11ff")


def keep_characters(old: Sequence[str], new: Sequence[str], snapshot: Sequence[str]) -> list[str]:
    """The new lines with the file's own characters wherever the request left a word or a sign unchanged.

    `snapshot` folds to the same as `old`. A one-line paragraph thus keeps its quotes when a word changes."""
    if not new:
        return []  # and not the one empty line that joining and splitting would make of it
    was, wanted = _tokens(old), _tokens(new)
    held = _tokens(snapshot)
    if [fold(token) for token in was] != [fold(token) for token in held]:
        return list(new)
    pieces: list[str] = []
    at = 0
    for a0, a1, b0, b1 in differing_elements(was, wanted):
        pieces += held[at:a0] + wanted[b0:b1]
        at = a1
    return "".join(pieces + held[at:]).split("\n")


def _tokens(lines: Sequence[str]) -> list[str]:
    return _TOKEN.findall("\n".join(lines))
