"""What a review shows: escaped, colored, and wrapped so that nothing passes for something else."""

import time

import pytest
from rich.text import Text

from agentfs_lsp.adapters.terminal.diffview import DiffLine
from agentfs_lsp.domain.text.width import width_of
from agentfs_lsp.domain.translation import english
from agentfs_lsp.reviewer.proposals import Review
from agentfs_lsp.reviewer.rows import change_lines, diff_lines, one_row, review_lines, rows_of
from support.reviewer import file_of
from support.wire import Message

HOSTILE = "\x1b[2J\u202e\u200b[red]x[/red]\r\ttab\x07"


def shown(review: Review, columns: int = 80) -> list[str]:
    return [row.text.plain for row in rows_of(review_lines(review, english), columns)]


def review_of(*files: Message, **more: str) -> Review:
    texts = {"title": "Edit a", "agent": "Ada", "session": "s", "explanation": "", **more}
    review = Review("p", **texts, atomic=True, blind=False)  # type: ignore[arg-type]
    review.load({"files": files})
    return review


def test_nothing_that_others_wrote_controls_the_terminal() -> None:
    warning = {"kind": "control", "line": 1, "detail": HOSTILE}
    file = file_of(HOSTILE, HOSTILE + "\n", HOSTILE * 2 + "\n", warnings=[warning])
    hostile = dict.fromkeys(("title", "agent", "session", "explanation"), HOSTILE)
    rows = shown(review_of(file, **hostile))
    assert all(character.isprintable() for row in rows for character in row)
    assert sum("\\u202e" in row for row in rows) >= 7
    assert any("[red]x[/red]" in row for row in rows)


def test_what_the_agent_says_is_marked_in_each_of_its_rows() -> None:
    rows = shown(review_of(file_of("a", "1\n", "2\n"), explanation="1 1 + x\n" * 100), 40)
    said = [row for row in rows if "+ x" in row]
    assert len(said) > 10
    assert all(row.startswith("│ ") for row in said)


def test_what_continues_a_line_stands_behind_its_margin() -> None:
    line = "+ 1 2 - " * 40
    rows = shown(review_of(file_of("a", "", f"{line}\n")), 40)
    start = next(number for number, row in enumerate(rows) if row.startswith("  1 + "))
    continued = rows[start + 1 :]
    assert len(continued) > 5
    assert all(row.startswith(" " * 6) for row in continued)
    assert "".join(row[6:] for row in rows[start:]) == line.rstrip() + line[len(line.rstrip()) :]


@pytest.mark.parametrize("columns", [8, 20, 25, 40, 80])
def test_rows_fit_the_terminal(columns: int) -> None:
    file = file_of("宽" * 100, "一" * 200 + "\n", "二" * 200 + "\n")
    assert all(width_of(row) <= columns for row in shown(review_of(file), columns))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", 'def f(x):\n    """Two\n    lines."""\n    return x + 1  # why\n'),
        ("a.json", '{"a": [1, 2, null]}\n'),
        ("a.html", "<p class='x'>&amp;</p>\n"),
        ("a.unknown", "text\n"),
        ("Makefile", "all:\n\techo $$x\n"),
    ],
)
def test_colors_change_no_text(path: str, code: str) -> None:
    for before, after in (("", code), (code, ""), (code, code.replace("1", "2") + "more\n")):
        rows = [line.text.plain[line.margin :] for line in diff_lines(before, after, path)]
        added = [line.expandtabs(4) for line in after.splitlines() if line not in before.splitlines()]
        assert [row for row in rows if row in added][: len(added)] == added


def test_a_language_has_its_colors() -> None:
    (line,) = diff_lines("", "def f(): return 'x'\n", "a.py")
    styles = {line.text.plain[span.start : span.end]: str(span.style) for span in line.text.spans}
    assert styles["def"] == "magenta"
    assert styles["f"] == "bright_blue"


@pytest.mark.parametrize(
    ("path", "text"), [("a.c", "\n\n " * 30_000), ("Makefile", "(\n" * 45_000), ("a.ml", "1" * 90_000)]
)
def test_a_text_that_takes_its_lexer_long_is_shown_soon(path: str, text: str) -> None:
    began = time.monotonic()
    assert diff_lines("", text, path)
    assert time.monotonic() - began < 20  # minutes, with all of the colors


def test_a_string_over_several_lines_is_one() -> None:
    lines = diff_lines("", '"""\nif x:\n"""\n', "a.py")
    assert [str(span.style) for span in lines[1].text.spans][-1] == "yellow"


def test_a_blind_change_and_an_atomic_batch_say_so() -> None:
    review = review_of(file_of("a", "1\n", "2\n"), file_of("b", "1\n", "2\n"))
    review.blind = True
    rows = shown(review)
    assert "The agent may not read what it changes here." in rows
    assert "All of these files change, or none does." in rows


def test_what_the_user_did_to_a_file_is_in_its_head() -> None:
    review = review_of(file_of("a", "1\n", "2\n"), file_of("b", "", "2\n"))
    review.files[0].amend("3\n")
    review.files[1].is_rejected = True
    rows = shown(review)
    assert "▸─ a · amended by you" in rows
    assert "── b · new file · rejected by you" in rows
    assert "  1 + 3" in rows


def test_a_landed_change_shows_its_diffs() -> None:
    change = {
        "time": "2026-11-27T12:00:00Z",
        "tool": "edit",
        "agent": HOSTILE,
        "explanation": HOSTILE,
        "files": [
            {"path": "a", "operation": "update", "before_text": "1\n", "after_text": "2\n"},
            {"path": "b", "operation": "update", "before_text": None, "after_text": None},
        ],
    }
    rows = [line.text.plain for line, _ in change_lines(change, english)]
    assert "  1 + 2" in rows
    assert "its texts were not recorded" in rows
    assert all(character.isprintable() for row in rows for character in row)


def test_a_row_knows_its_line_and_file() -> None:
    rows = rows_of([(DiffLine(2, Text("x" * 50)), None), (DiffLine(2, Text("y")), 0)], 30)
    assert [(row.line, row.file) for row in rows] == [(0, None), (0, None), (1, 0)]


def test_words_in_one_row_fit_it() -> None:
    assert one_row("abc", 3) == "abc"
    assert one_row("abcd", 3) == "ab…"
    assert one_row("一二三", 5) == "一二…"
    assert one_row("a\n\x1b", 80) == "a\\x0a\\x1b"
