"""Restoring a file's line ends in a text with LF line ends."""

import pytest

from agentfs_lsp.domain.diff.line_ends import splices_towards, surrounding_eol
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.lines import first_eol


def made(base: str, wanted: str, lone_eol: str = "\n") -> str:
    return apply_splices(base, splices_towards(base, wanted, lone_eol))


def test_lines_of_a_mixed_file_keep_their_own_ends() -> None:
    assert made("a\r\nb\nc\rd\n", "a\nb\nnew\nc\nd\n") == "a\r\nb\nnew\nc\rd\n"
    assert made("a\r\nb\nc\rd\n", "A\nb\nc\nd\n") == "A\r\nb\nc\rd\n"
    assert made("a\r\nb\nc\r", "new\na\nb\nc\n") == "new\r\na\r\nb\nc\r"


def test_where_the_file_has_no_line_ends_the_given_one_is_taken() -> None:
    assert made("a", "a\nb\n", "\r\n") == "a\r\nb\r\n"
    assert made("", "a\r\nb\n", "\r") == "a\rb\r"


def test_a_large_mixed_file_is_placed_right() -> None:
    ends = ("\r\n", "\n", "\r")
    base = "".join(f"line {number}" + ends[number % 3] for number in range(60_001))
    wanted = base.replace("\r\n", "\n").replace("\r", "\n").replace("line 60000\n", "last\n")
    assert made(base, wanted) == base.replace("line 60000\r\n", "last\r\n")


@pytest.mark.parametrize(
    ("text", "start", "end", "eol"),
    [
        ("a\r\nb\n", 3, 5, "\n"),  # the replaced line's own
        ("a\r\nb\n", 3, 3, "\r\n"),  # the line before
        ("a\rb\n", 2, 2, "\r"),
        ("a\r\nb\n", 0, 0, "\r\n"),  # the line after
        ("a", 1, 1, "\n"),
    ],
)
def test_put_in_text_takes_the_nearest_line_end(text: str, start: int, end: int, eol: str) -> None:
    assert surrounding_eol(text, start, end) == eol


def test_the_first_line_end_is_told() -> None:
    assert [first_eol(text) for text in ("a\r\nb\n", "a\rb\n", "a\nb\r\n", "a")] == ["\r\n", "\r", "\n", "\n"]
