"""Which of the places that don't parse are new (docs/protocol.md#95-diagnostics)."""

import pytest

from agentfs_lsp.domain.diagnostics import (
    MAX_SYNTAX_ERRORS,
    Diagnostic,
    Fault,
    SyntaxProblem,
    introduced,
    new_problems,
)
from agentfs_lsp.domain.diff.hunks import diff

BASE = "a\nb(\nc\nd\n"


def new(after: str, old: list[Fault], found: list[Fault], before: str = BASE) -> list[SyntaxProblem]:
    return list(new_problems(before, after, diff(before, after), old, found))


def test_a_fault_of_a_kept_line_is_old_wherever_the_line_is_now() -> None:
    assert new("new\na\nb(\nc\nd\n", [Fault("", 1, 1)], [Fault("", 2, 2)]) == []
    assert new("b(\nc\nD\n", [Fault("", 1, 1)], [Fault("", 0, 1)]) == []
    assert new("a\nb(\nC\nd\n", [Fault("", 0, 3)], [Fault("", 3, 3)]) == []


def test_a_fault_of_a_new_line_is_new_unless_the_same_was_there() -> None:
    after = "a\n  b(\nC\nd(\n"
    assert new(after, [Fault("", 1, 1)], [Fault("", 1, 1), Fault("", 3, 3)]) == [SyntaxProblem(4, "", "d(")]
    twice = "a\nb(\n b(\nc\nd\n"
    found = [Fault("", 1, 1), Fault("", 2, 2)]
    assert new(twice, [Fault("", 1, 1)], found) == [SyntaxProblem(3, "", "b(")]
    assert new(after, [Fault("", 1, 1)], [Fault(")", 1, 1)]) == [SyntaxProblem(2, ")", "b(")]


def test_a_fault_that_begins_before_the_change_is_reported_in_it() -> None:
    assert new("a\nb(\nc\nD\n", [], [Fault("", 0, 4)]) == [SyntaxProblem(4, "", "D")]


def test_a_fault_that_the_change_causes_elsewhere_is_new() -> None:
    assert new("b(\nc\nd\n", [], [Fault("", 2, 2)]) == [SyntaxProblem(3, "", "d")]


def test_lines_end_as_they_do_in_files() -> None:
    before, after = "a\rb\r\nc\n", "a\rx\ry\r\nc\n"
    assert new(after, [], [Fault("", 2, 2)], before) == [SyntaxProblem(3, "", "y")]


@pytest.mark.parametrize("lines", [1000])
def test_there_are_few(lines: int) -> None:
    after = "(\n" * lines
    assert len(new(after, [], [Fault("", line, line) for line in range(lines)], "")) == MAX_SYNTAX_ERRORS


def said(line: int, message: str = "wrong", source: str = "types") -> Diagnostic:
    return Diagnostic(line, message, "error", source)


@pytest.mark.parametrize(
    ("after", "old", "new", "news"),
    [
        ("x\na\nb(\nc\nd\n", [said(2)], [said(3)], []),  # moved
        ("a\nb(\nC\nd\n", [said(3)], [said(3)], []),  # in a line that was written anew
        ("a\nb(\nC\nd\n", [said(3)], [said(3), said(3, "other")], [said(3, "other")]),
        ("a\nb(\nC\nd\n", [said(1)], [said(1), said(3)], [said(3)]),
        ("a\nb(\nC\nd\n", [said(1)], [said(3), said(1)], [said(3)]),
        ("a\nb(\nC\nd\n", [said(1)], [said(1, source="lint")], [said(1, source="lint")]),
        ("a\nb(\nC\nd\n", [], [said(4), said(2)], [said(2), said(4)]),
    ],
)
def test_what_programs_said_before_is_old(
    after: str, old: list[Diagnostic], new: list[Diagnostic], news: list[Diagnostic]
) -> None:
    assert list(introduced(BASE, diff(BASE, after), old, new)) == news
