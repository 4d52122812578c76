"""What the case files can't show: splices, limits of hints, and very large texts."""

import random
from collections.abc import Sequence

import pytest

from agentfs_lsp.domain.errors import NearMiss, NoMatch, OverlappingMatches, SeveralMatches, TooManyMatches
from agentfs_lsp.domain.matching import levels, search, typography
from agentfs_lsp.domain.matching.indentation import Shift, find_shift
from agentfs_lsp.domain.matching.matching import MAX_MATCHES, find
from agentfs_lsp.domain.splices import Splice, apply_splices

NAMES = ["ape", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]


def test_splices_hold_only_what_differs() -> None:
    text = "one\ntwo\nthree\nfour\n"
    match = find(text, text, "one\n2\nthree\nfour\nfive\n")
    assert match.splices == (Splice(4, 7, "2"), Splice(19, 19, "five\n"))


def test_a_character_that_did_not_decode_is_in_no_splice() -> None:
    match = find("a\ufffd = 1\n", "a\ufffd = 1", "a\ufffd = 2")
    assert match.splices == (Splice(5, 6, "2"),)


def test_thousands_of_places_on_one_line_are_found_quickly() -> None:
    for word, typed in (("cafe\u0301", "caf\u00e9"), ("\u201ccaf\u00e9\u201d", '"caf\u00e9"')):
        line = f"{word} one " * 20_000
        match = find(line, f"{typed} one", f"{typed} two", replace_all=True)
        assert (match.level, match.replacements) == ("unicode", 20_000)
        assert apply_splices(line, match.splices) == f"{word} two " * 20_000


def test_a_run_of_one_letter_is_counted_quickly() -> None:
    with pytest.raises(SeveralMatches) as caught:
        find("a" * 150_000, "a" * 100_000, "b")
    assert caught.value.count == 50_001
    assert caught.value.lines == (1,) * 20


@pytest.mark.parametrize("replace_all", [True, False])
@pytest.mark.parametrize(("line", "old"), [("a\n", "a\n"), ("a \n", "a\n")])
def test_there_is_a_limit_to_the_places(line: str, old: str, replace_all: bool) -> None:
    limit = find(line * MAX_MATCHES, old, "b\n", replace_all=True)
    assert limit.replacements == MAX_MATCHES
    with pytest.raises(TooManyMatches) as caught:
        find(line * (MAX_MATCHES + 1), old, "b\n", replace_all=replace_all)
    assert caught.value.most == MAX_MATCHES


def test_places_that_overlap_by_different_steps_are_all_counted() -> None:
    text = "abaababaabaab" * 3
    with pytest.raises(OverlappingMatches) as caught:
        find(text, "abaaba", "x", replace_all=True)
    assert caught.value.count == sum(text.startswith("abaaba", at) for at in range(len(text)))


def test_a_block_that_repeats_its_lines_is_counted_at_every_line() -> None:
    with pytest.raises(SeveralMatches) as caught:
        find("x = 1\n" * 20_000, "  x = 1\n" * 5_000, "y")
    assert (caught.value.count, caught.value.level) == (15_001, "indentation")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("ab" + "a" * 200_000 + "\nq \n" + "a" * 3_000_000 + "\n", "ab" + "a" * 200_000 + "\nq\n"),
        (("a\r\n" + "a" * 50_000 + "\r\n") * 2 + "x\n" + "a" * 3_000_000, "a\n" + "a" * 50_000 + "\n"),
    ],
)
def test_a_long_line_that_the_end_of_the_text_nearly_repeats_is_found_quickly(text: str, old: str) -> None:
    """`str.rfind` takes minutes to hours for it, and nothing can interrupt that."""
    match = find(text, old, "b\n", replace_all=True)
    assert (match.level, match.replacements) in (("trailing_whitespace", 1), ("eol", 2))


@pytest.mark.parametrize("marks", ["\u0315" * 100_000 + "\u0300" * 100_000, "\u0f73" * 100_000])
def test_a_run_of_marks_is_not_sorted(marks: str) -> None:
    """Which takes minutes, and nothing can interrupt it."""
    text = f"\u201cone\u201d\na{marks}b\n"
    with pytest.raises(NoMatch):
        find(text, "nowhere", "x")
    assert apply_splices(text, find(text, '"one"', '"two"').splices) == text.replace("one", "two")
    assert apply_splices(text, find(text, f"{marks}b", "c").splices) == "\u201cone\u201d\nac\n"


def test_only_the_first_twenty_lines_are_told() -> None:
    with pytest.raises(SeveralMatches) as caught:
        find("x\r\n" * 50, "x", "y")
    assert (caught.value.count, caught.value.lines) == (50, tuple(range(1, 21)))


def test_the_line_told_is_that_of_the_text_not_of_the_line_end_before_it() -> None:
    with pytest.raises(SeveralMatches) as caught:
        find("a\nx\nb\nx\n", "\nx", "\ny")
    assert caught.value.lines == (2, 4)


def test_the_request_s_line_ends_at_many_places_of_a_mixed_file() -> None:
    text = "a,b\r\nc,d\ne,f\rg,h"
    match = find(text, ",", "\n", replace_all=True)
    assert apply_splices(text, match.splices) == "a\r\nb\r\nc\nd\ne\rf\rg\rh"


def test_the_closest_places_are_shown_best_first() -> None:
    lines = [f"{name} = compute_{name}(first, {at})" for at, name in enumerate(NAMES)]
    with pytest.raises(NoMatch) as caught:
        find("\n".join(lines), "gnu = compute_gnu(frist, 6)", "x")
    assert caught.value.near[0] == NearMiss(7, ("gnu = compute_gnu(first, 6)",))
    assert len(caught.value.near) <= 3


def test_no_lines_take_long_to_compare() -> None:
    """All consist of the same two characters in different orders: 6 s with difflib."""
    chance = random.Random(1)
    lines = ["".join(chance.choices("ab", k=400)) for _ in range(101)]
    with pytest.raises(NoMatch) as caught:
        find("\n".join(lines[1:]), lines[0], "x")
    assert caught.value.near


def test_hints_are_short_whatever_the_file() -> None:
    file = "needle_one = 1; " + "x" * 100_000 + "\n" + "line\n" * 50
    old = "needle_one = 2; " + "x" * 100_000 + "\n" + "line\n" * 40
    with pytest.raises(NoMatch) as caught:
        find(file, old, "x")
    assert caught.value.near
    assert all(
        len(near.text) <= 6 and all(len(line) <= 241 for line in near.text) for near in caught.value.near
    )
    assert len(caught.value.detail) < 300


def test_what_is_too_long_to_match_by_typewriter_characters_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "“caf\u0065\u0301” – " * 10
    text = f"a\n{line}\nb\n{line}\nc “x”\n"
    monkeypatch.setattr(levels, "_MAX_FOLDED", 3 * len(line))
    assert find(text, '"café"', "x", replace_all=True).replacements == 20
    monkeypatch.setattr(levels, "_MAX_FOLDED", 2 * len(line))
    with pytest.raises(NoMatch) as caught:
        find(text, '"café"', "x", replace_all=True)
    assert (caught.value.cause, caught.value.near[0].line) == ("typography", 2)
    assert find(text, '"x"', "y").level == "unicode"  # in a line of its own
    assert find(text, "“caf\u0065\u0301”", "x", replace_all=True).level == "exact"
    with pytest.raises(NoMatch) as caught:
        find(text, "B\n", "x")
    assert caught.value.cause == "letter_case"


def test_a_long_text_of_ascii_matches_by_typewriter_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_MAX_FOLDED", 2)
    assert find("a 'b' c\n", "‘b’", "x").level == "unicode"


@pytest.mark.parametrize("after", [" ", "\n"])
def test_not_each_letter_of_a_long_text_is_folded_by_itself(
    monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    compose, composed = typography._composed, []
    monkeypatch.setattr(typography, "_composed", lambda text: (composed.append(text), compose(text))[1])
    text = ("Он сказал: “это – не так”, caf\u0065\u0301 naïve." + after) * 1_000
    found = find(text, '"это - не так"', '"так"', replace_all=True)
    assert (found.level, found.replacements) == ("unicode", 1_000)
    assert len(composed) < 20 * 1_000


def test_what_is_there_but_for_a_mark_is_not_called_another_letter_case() -> None:
    with pytest.raises(NoMatch) as caught:
        find("cafe\u0301\n", "cafe", "tea")
    assert caught.value.cause is None


def test_a_long_block_with_many_places_is_not_gone_through_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []

    def counted(file_lines: Sequence[str], old_lines: Sequence[str]) -> Shift | None:
        looked_at.append(len(file_lines))
        return find_shift(file_lines, old_lines)

    monkeypatch.setattr(search, "find_shift", counted)
    lines = [f"foo({number % 7})\n" for number in range(20_000)]
    # Every window has one line that is indented deeper than the rest.
    text = "".join(("      " if at % 999 == 500 else "  ") + line for at, line in enumerate(lines))
    with pytest.raises(NoMatch):
        find(text, "".join(lines[:1_000]), "y\n")
    assert sum(looked_at) < len(lines)
