"""Each level finds exactly what it allows, wherever it is: compared with the naive way, which examines every
line or character."""

import re
from itertools import accumulate
from unicodedata import is_normalized

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.matching.indentation import find_shift
from agentfs_lsp.domain.matching.levels import LEVELS
from agentfs_lsp.domain.matching.narrowing import where_possible
from agentfs_lsp.domain.matching.search import Search
from agentfs_lsp.domain.matching.typography import Columns, fold, folding_units

BLANKS = st.sampled_from(["", "", "", " ", "\t", "  ", "    ", " \t "])
# Words that are parts of each other, and characters that only resemble line ends or spaces.
WORDS = st.sampled_from(["a", "aa", "a a", "b", "}", "", "", "\x0c", "a\u2028", "é\u00a0"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
LINE = st.tuples(BLANKS, WORDS, BLANKS).map("".join)
# Letters, combining marks with and without a base, and parts of syllables.
MARKED = st.sampled_from(
    ["e", "\u0301", "\u0327", "\u201c", "\uac00", "\u1161", "\u11a8", "\u09c7", "\u09be"]
)
FILE_LINES = st.lists(LINE, min_size=1, max_size=24)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and a block: mostly some of its lines with other whitespace, perhaps amid empty lines."""
    lines = draw(FILE_LINES) * draw(st.integers(1, 3))
    ends = st.just(draw(ENDS)) if draw(st.booleans()) else ENDS
    text = "".join(line + draw(ends) for line in lines) + draw(st.sampled_from(["", "a", "  a"]))
    first = draw(st.integers(0, len(lines) - 1))
    size = draw(st.integers(1, 16))
    shift = draw(BLANKS)
    block = [shift + line + draw(BLANKS) for line in lines[first : first + size]]
    if draw(st.booleans()):
        block[draw(st.integers(0, len(block) - 1))] = draw(LINE)
    block = [*draw(st.sampled_from([[], [], [""], ["", ""]])), *block]
    return text, draw(ENDS).join([*block, *draw(st.sampled_from([[], [""], ["", ""]]))])


def split(text: str) -> tuple[list[str], list[int]]:
    """Lines without line ends, and the offset of each."""
    parts = re.split(r"(\r\n?|\n)", text)
    starts = list(accumulate(map(len, parts), initial=0))
    return parts[::2], starts[:-1:2]


def standing(lines: list[str], inner: list[str]) -> list[int]:
    """The lines at which these start, ignoring surrounding spaces and tabs."""
    cores, wanted = ([it.strip(" \t") for it in some] for some in (lines, inner))
    return [at for at in range(len(lines) - len(inner) + 1) if cores[at : at + len(inner)] == wanted]


def plainly(text: str, old: str) -> list[tuple[int, int, bool]]:
    """The block's places, start and end, and whether its indentation differs there."""
    lines, starts = split(text)
    block, _ = split(old)
    lead, trail = len(block) > 1 and not block[0], len(block) > 1 and not block[-1]
    inner = block[lead : len(block) - trail]
    found = []
    for at in standing(lines, inner):
        first, last = at - lead, at - lead + len(block) - 1
        shift = find_shift(lines[at : at + len(inner)], inner)
        if first >= 0 and last < len(lines) and shift is not None:
            start = starts[first] + (len(lines[first]) if lead else 0)
            found.append((start, starts[last] + (0 if trail else len(lines[last])), bool(shift)))
    return found


@given(cases())
def test_the_levels_find_the_places_that_the_plain_way_finds(case: tuple[str, str]) -> None:
    text, old = case
    search = Search(text, old)
    if not old or not search.loose:
        return
    expected = plainly(text, old)
    for level, wanted in ("trailing_whitespace", (False,)), ("indentation", (False, True)):
        looking = next(it for it in LEVELS if it.level == level)
        places = [looking.place(search, number) for number in looking.find(search)]
        found = [(place.start, place.end) for place in places]
        assert found == [(start, end) for start, end, shifted in expected if shifted in wanted]


@given(
    st.lists(st.sampled_from(["a", "b", "'", " ", "\n", "\n"]), max_size=30).map("".join),
    st.integers(1, 3),
    st.integers(0, 30),
    st.integers(1, 8),
    st.sampled_from(["\n", "\r\n"]),
)
def test_typographic_variants_are_found(text: str, times: int, start: int, size: int, end: str) -> None:
    text *= times
    old = text[start : start + size].replace("'", "\u2019").replace(" ", "\u00a0")
    if old.isascii() or not Search(text, old).loose:
        return
    plain = text
    text = text.replace("\n", end)
    search = Search(text, old)
    looking = next(it for it in LEVELS if it.level == "unicode")
    found = [looking.place(search, number) for number in looking.find(search)]
    wanted = plain[start : start + size]
    starts = [at for at in range(len(plain)) if plain.startswith(wanted, at)]
    assert [place.start for place in found] == [len(plain[:at].replace("\n", end)) for at in starts]
    assert {text[place.start : place.end] for place in found} <= {wanted.replace("\n", end)}


@given(st.lists(MARKED, max_size=12).map("".join))
def test_columns_are_those_of_the_longest_begin_that_folds_to_as_much(line: str) -> None:
    columns = Columns(line, folding_units(line))
    for column in range(len(fold(line)) + 1):
        begin = max(at for at in range(len(line) + 1) if len(fold(line[:at])) <= column)
        wanted = begin if fold(line[:begin]) == fold(line)[:column] else None
        assert columns.unfolded(column) == (column if is_normalized("NFC", line) else wanted)


@given(cases(), st.integers(0, 40))
def test_no_place_is_left_out_however_little_is_looked_at(case: tuple[str, str], effort: int) -> None:
    text, old = case
    block = Search(text, old).inner
    if not old.strip():
        return
    start, end = where_possible(text, [line.strip(" \t") for line in block], effort)
    lines, starts = split(text)
    assert {start, end} <= {*starts, len(text)}
    if found := standing(lines, block):
        behind = found[-1] + len(block) + 1
        assert start <= starts[max(found[0] - 1, 0)]
        assert end >= (starts[behind] if behind < len(starts) else len(text))
