"""Matching never guesses: for any texts, an edit lands where it was meant, or nothing changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.elision import find_placeholder
from agentfs_lsp.domain.errors import (
    CountMismatch,
    DomainError,
    NoMatch,
    NothingChanges,
    OverlappingMatches,
    SeveralMatches,
)
from agentfs_lsp.domain.matching.matching import Match, find
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.lines import normalize

ANY = st.text(st.characters(), max_size=40)
# Few letters, for repetitive texts; includes everything that the levels ignore.
CRAMPED = st.text(st.sampled_from("ab \t\r\n\"“'’-–\u00a0e\u0301é\u0323"), max_size=30)
PLAIN = st.text(st.sampled_from("ab \n"), max_size=24)
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "x = 1", "return", "}", "", "# “note” – é"])
LINES = st.lists(st.tuples(st.integers(0, 3), WORDS), min_size=1, max_size=12)
EOLS = st.sampled_from(["\n", "\r\n", "\r"])


def attempt(text: str, old: str, new: str, **options: object) -> Match | DomainError:
    try:
        return find(text, old, new, **options)
    except DomainError as error:
        return error


def starts(text: str, old: str) -> list[int]:
    return [at for at in range(len(text)) if text.startswith(old, at)]


def overlapping_count(text: str, old: str) -> int:
    return len(starts(text, old))


@given(st.one_of(ANY, CRAMPED), st.one_of(ANY, CRAMPED), st.one_of(ANY, CRAMPED), st.booleans())
def test_matching_is_deterministic(text: str, old: str, new: str, replace_all: bool) -> None:
    first = attempt(text, old, new, replace_all=replace_all)
    again = attempt(text, old, new, replace_all=replace_all)
    assert first == again or repr(first) == repr(again)


@given(CRAMPED, CRAMPED, st.integers(0, 30), st.integers(0, 30), st.booleans())
def test_a_piece_of_the_text_is_found_or_refused_never_missed(
    text: str, new: str, start: int, size: int, replace_all: bool
) -> None:
    old = text[start : start + size]
    found = attempt(text, old, new, replace_all=replace_all)
    whole = text[start + size : start + size + 1] not in ("\n", "\u0301", "\u0323") and old[:1] != "\n"
    if old and old != new and whole:
        assert not isinstance(found, NoMatch)


@given(CRAMPED, CRAMPED, CRAMPED, st.booleans())
def test_splices_are_ordered_apart_and_change_text(text: str, old: str, new: str, replace_all: bool) -> None:
    found = attempt(text, old, new, replace_all=replace_all)
    if isinstance(found, Match):
        at = 0
        for splice in found.splices:
            assert at <= splice.start <= splice.end <= len(text)
            assert text[splice.start : splice.end] != splice.text
            at = splice.end
        assert apply_splices(text, found.splices) != text


@given(PLAIN, PLAIN.filter(bool), PLAIN, PLAIN)
def test_one_exact_place_is_replaced_as_text_replace_does(head: str, old: str, tail: str, new: str) -> None:
    text = head + old + tail
    found = attempt(text, old, new)
    if old != new and overlapping_count(text, old) == 1:
        assert isinstance(found, Match)
        assert (found.level, found.replacements) == ("exact", 1)
        assert apply_splices(text, found.splices) == text.replace(old, new)


@given(PLAIN.filter(bool), st.lists(PLAIN, min_size=3, max_size=5), PLAIN, st.booleans())
def test_exact_places_count_and_are_replaced(
    old: str, between: list[str], new: str, replace_all: bool
) -> None:
    text = old.join(between)
    count = overlapping_count(text, old)
    found = attempt(text, old, new, replace_all=replace_all)
    if old == new:
        assert isinstance(found, NothingChanges)
    elif not replace_all:
        assert isinstance(found, SeveralMatches)
        assert (found.count, found.level) == (count, "exact")
    elif any(text.startswith(old, a + d) for a in starts(text, old) for d in range(1, len(old))):
        assert isinstance(found, OverlappingMatches)
        assert found.count == count
    else:
        assert isinstance(found, Match)
        assert found.replacements == count
        assert apply_splices(text, found.splices) == text.replace(old, new)


@given(PLAIN, PLAIN, PLAIN, st.integers(1, 5))
def test_the_expected_count_holds_or_nothing_changes(text: str, old: str, new: str, expected: int) -> None:
    found = attempt(text, old, new, expected_count=expected)
    if isinstance(found, Match):
        assert found.replacements == expected
    if isinstance(found, CountMismatch):
        assert found.count != expected


@given(LINES, st.data())
def test_what_is_not_replaced_stays_as_it_was(lines: list[tuple[int, str]], data: st.DataObject) -> None:
    """Blocks of a file with odd line ends and whitespace, requested with noise: the rest stays untouched."""
    file = [
        (" " * 4 * depth + word + data.draw(st.sampled_from(["", " ", "\t"])), data.draw(EOLS))
        for depth, word in lines
    ]
    first = data.draw(st.integers(0, len(file) - 1))
    last = data.draw(st.integers(first, len(file) - 1))
    text = "".join(line + end for line, end in file)
    shift = " " * data.draw(st.integers(0, 4))
    wanted = [
        shift + line.strip().replace("“", '"').replace("”", '"')
        if data.draw(st.booleans())
        else shift + line.rstrip()
        for line, _ in file[first : last + 1]
    ]
    found = attempt(text, "\n".join(wanted), "replaced")
    if not isinstance(found, Match):
        return
    result = apply_splices(text, found.splices)
    head = "".join(line + end for line, end in file[:first])
    begin, end = found.splices[0].start, found.splices[-1].end
    if sum(line.strip() == wanted[0].strip() for line, _ in file) == 1 and len(wanted[0].strip()) > 1:
        assert len(head) <= begin, "another place than the one meant"
    assert result == text[:begin] + result[begin : len(result) - (len(text) - end)] + text[end:]
    assert normalize(result).count("replaced") == 1


@given(LINES, st.data())
def test_noise_a_level_allows_finds_the_place(lines: list[tuple[int, str]], data: st.DataObject) -> None:
    """One line is unique; the block around it is requested with other whitespace and line ends."""
    at = data.draw(st.integers(0, len(lines) - 1))
    file = [" " * 4 * depth + word for depth, word in lines]
    file[at] = "        unique()"
    first, last = data.draw(st.integers(0, at)), data.draw(st.integers(at, len(file) - 1))
    eol, shift = data.draw(EOLS), " " * data.draw(st.integers(0, 6))
    blanks = data.draw(st.sampled_from(["", " ", "\t "]))
    text = eol.join([*file, ""])
    block = [shift + line + blanks if line.strip() else line for line in file[first : last + 1]]
    new = [line.replace("unique", "changed") for line in block]
    found = find(text, "\n".join(block), "\n".join(new))
    indent = "        "
    changed = indent + "changed()" + (blanks if found.level not in ("exact", "eol") else "")
    assert apply_splices(text, found.splices) == eol.join([*file[:at], changed, *file[at + 1 :], ""])


@given(st.lists(WORDS, min_size=2, max_size=8), st.data())
def test_a_block_with_one_other_word_is_nowhere(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words) - 1))
    block = [*words[:at], "elsewhere()", *words[at + 1 :]]
    with pytest.raises(NoMatch):
        find("\n".join(words), "\n".join(block), "new")


@given(st.one_of(ANY, CRAMPED), st.one_of(ANY, CRAMPED))
def test_looking_for_text_left_out_never_fails_and_points_into_content(content: str, original: str) -> None:
    found = find_placeholder(content, original)
    assert found is None or found.marker in normalize(content).split("\n")[found.line - 1]
