"""The judging of `make compare`: bytes and what the agent was told decide, and nothing bad is overlooked."""

from collections import Counter
from pathlib import Path

import pytest

from compare.aider import Aider
from compare.cases import simple_cases
from compare.party import Edit, whole_lines
from compare.races import race_cases
from compare.verdicts import CORRECT, Kind, Outcome, Verdict, judge

DONE, FAILED = Outcome(True, "Done."), Outcome(False, "No.\nRead it again.")
OLD, NEW = b"one\r\n", b"1\r\n"


@pytest.mark.parametrize(
    ("outcome", "after", "expected", "kind"),
    [
        pytest.param(DONE, NEW, NEW, Kind.CORRECT, id="made as asked"),
        pytest.param(FAILED, OLD, None, Kind.CORRECT, id="refused as it must be"),
        pytest.param(FAILED, OLD, NEW, Kind.REFUSED, id="refused though possible"),
        pytest.param(DONE, b"1\n", NEW, Kind.WRONG, id="other bytes"),
        pytest.param(DONE, OLD, NEW, Kind.WRONG, id="done is not true"),
        pytest.param(DONE, OLD, None, Kind.WRONG, id="done is not true, and must be refused"),
        pytest.param(FAILED, NEW, NEW, Kind.WRONG, id="failed is not true"),
        pytest.param(FAILED, None, None, Kind.WRONG, id="a refusal that deletes"),
        pytest.param(DONE, NEW, None, Kind.WRONG, id="made though it must be refused"),
    ],
)
def test_bytes_and_what_was_told_decide(
    outcome: Outcome, after: bytes | None, expected: bytes | None, kind: Kind
) -> None:
    assert judge(outcome, OLD, after, expected).kind is kind


@pytest.mark.parametrize("outcome", [DONE, FAILED])
@pytest.mark.parametrize("after", [b"1\n", b"", None])
def test_what_others_wrote_is_lost_whatever_was_told(outcome: Outcome, after: bytes | None) -> None:
    assert judge(outcome, b"theirs\n", after, b"1\n", kept=b"theirs").kind is Kind.LOST


def test_a_refusal_is_told_by_its_first_line() -> None:
    assert judge(FAILED, OLD, OLD, NEW).detail == "No."


def test_one_bad_try_decides() -> None:
    lost, wrong = Verdict(Kind.LOST, "gone"), Verdict(Kind.WRONG, "half")
    refused = Verdict(Kind.REFUSED, "no")
    assert Verdict.counted(Counter({CORRECT: 97, lost: 1, wrong: 2}), 100) == Verdict(
        Kind.LOST, "1 of 100: gone; 2 of 100: half"
    )
    assert Verdict.counted(Counter({CORRECT: 1, refused: 99}), 100) == CORRECT
    assert Verdict.counted(Counter({refused: 100}), 100) == refused


@pytest.mark.parametrize(
    ("text", "old", "new", "lines"),
    [
        pytest.param("a\nbcd\ne\n", "c", "C", (["bcd"], ["bCd"]), id="part of a line"),
        pytest.param("a\nb\nc\n", "b\n", "", (["b"], []), id="a line goes"),
        pytest.param("a\r\nb\r\nc", "b\r\nc", "d", (["b", "c"], ["d"]), id="line ends of Windows"),
        pytest.param("a\nb\nc\n", "a\n", "x", (["a", "b"], ["xb"]), id="joined with the next"),
        pytest.param("  a\n", "a\nb", "c\nd", (["a", "b"], ["c", "d"]), id="not there as it is"),
        pytest.param("a\nb\na\n", "a", "c", (["a"], ["c"]), id="several lines"),
        pytest.param("aa\n", "a", "c", None, id="several in a line"),
        pytest.param("a\n", "", "c", None, id="nothing"),
    ],
)
def test_a_request_in_whole_lines(
    text: str, old: str, new: str, lines: tuple[list[str], list[str]] | None
) -> None:
    assert whole_lines(text, Edit("file.txt", old, new)) == lines


def test_what_whole_lines_cannot_say_is_left_out() -> None:
    left_out = {case.name for case in simple_cases() if not case.fits(Aider(Path("/nowhere")))}
    assert {
        "edits/final-newline-removed",
        "edits/exact-ambiguous-inside-words",
        "edits/empty-old",
    } <= left_out
    assert not {"edits/exact-several-lines", "edits/exact-ambiguous", "encodings/mixed"} & left_out


def test_every_case_has_a_name_of_its_own() -> None:
    names = Counter(case.name for case in (*simple_cases(), *race_cases()))
    assert names.most_common(1)[0][1] == 1
    assert len(names) > 100
