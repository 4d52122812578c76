"""Lines end where editors end them, and nowhere else."""

import sys

import pytest

from agentfs_lsp.domain.text import lines

# All other line ends of `str.splitlines` in this Python.
OTHER_ENDS = [
    it for it in map(chr, range(sys.maxunicode + 1)) if it not in "\r\n" and it.splitlines() != [it]
]


def lines_in_blocks(text: str) -> list[str]:
    return [line for block in lines.blocks_of_lines(text, 0, len(text)) for line in block]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\nb", ["a\n", "b"]),
        ("a\n", ["a\n"]),
        ("\n\r\n\r", ["\n", "\r\n", "\r"]),
        ("a\r\r\nb", ["a\r", "\r\n", "b"]),
        *[(f"a{content}b\n{content}\r", [f"a{content}b\n", f"{content}\r"]) for content in OTHER_ENDS],
    ],
)
def test_only_three_line_ends_split(text: str, expected: list[str]) -> None:
    assert lines.split_lines(text) == expected
    assert lines_in_blocks(text) == expected
    assert lines.count_lines(text) == len(expected)


def test_a_large_text_is_counted_across_blocks() -> None:
    text = ("x" * 65_535 + "\r\n") * 3 + "last"
    assert lines.offset_of_line(text, 3) == 2 * 65_537
    assert lines.line_of(text, len(text)) == 4
    assert [len(line) for line in lines_in_blocks(text)] == [65_537] * 3 + [4]


def test_part_of_a_text_is_split_as_if_it_stood_alone() -> None:
    text = "a\r\nb\nc\rd"
    assert list(lines.blocks_of_lines(text, 3, 7)) == [["b\n", "c\r"]]
    assert list(lines.blocks_of_lines(text, 3, 3)) == []


def test_lines_past_the_end_begin_at_the_end() -> None:
    assert [lines.offset_of_line("a\nb", line) for line in (0, 1, 2, 3, 9, 1 << 70)] == [0, 0, 2, 3, 3, 3]


def test_ends_are_made_alike() -> None:
    assert lines.normalize("a\r\nb\rc\n") == "a\nb\nc\n"
    assert lines.with_eol("a\r\nb\rc\n", "\r\n") == "a\r\nb\r\nc\r\n"
    assert lines.with_eol("a\r\nb\n", "\r") == "a\rb\r"
