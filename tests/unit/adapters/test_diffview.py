"""A diff in the terminal: right numbers, right colors, and no text that controls the terminal."""

from agentfs_lsp.adapters.terminal.diffview import render_diff
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import preview


def shown(old: str, new: str, context: int = 1) -> list[str]:
    return [line.text.plain for line in render_diff(preview(old, diff(old, new), "a", context=context).text)]


def test_each_line_has_its_number_on_its_side() -> None:
    assert shown("a\nb\nc\n", "a\nB\nB2\nc\n") == [
        "1 1   a",
        "2   - b",
        "  2 + B",
        "  3 + B2",
        "3 4   c",
    ]


def test_numbers_go_on_in_the_next_hunk_and_are_as_wide_as_the_widest() -> None:
    old = "".join(f"line {number}\n" for number in range(1, 13))
    assert shown(old, old.replace("line 1\n", "one\n").replace("line 12\n", "")) == [
        " 1    - line 1",
        "    1 + one",
        " 2  2   line 2",
        "⋯",
        "11 11   line 11",
        "12    - line 12",
    ]


def test_lines_that_look_like_a_header_are_lines() -> None:
    assert shown("-- a\n++ b\n@@ -1 +1 @@\n", "++ b\n@@ -1 +1 @@\n") == ["1   - -- a", "2 1   ++ b"]


def test_lines_that_look_like_a_header_widen_no_margin() -> None:
    assert shown("", f"@@ -1 +{'9' * 40} @@\n") == [f"  1 + @@ -1 +{'9' * 40} @@"]


def test_a_missing_final_newline_is_said() -> None:
    assert [line.strip() for line in shown("a\n", "a")] == [
        "1   - a",
        "1 + a",
        "\\ No newline at end of file",
    ]


def test_nothing_in_a_file_reaches_the_terminal() -> None:
    (line,) = shown("", "\x1b[2J\x07 \u202e\tx\x9b\n")
    assert not set("\x1b\x07\u202e\x9b\t") & set(line)
    assert "\\x1b[2J\\x07 \\u202e" in line


def test_line_ends_of_a_crlf_file_are_no_part_of_the_text() -> None:
    assert shown("a\r\nb\r\n", "a\r\nc\r\n") == ["1 1   a", "2   - b", "  2 + c"]


def test_blanks_at_the_end_are_seen() -> None:
    lines = render_diff("@@ -1 +1 @@\n-a\n+a  \n")
    assert [
        line.text.plain[span.start :] for line in lines for span in line.text.spans if span.style == "reverse"
    ] == ["  "]


def test_green_is_new_and_red_is_old() -> None:
    lines = render_diff("@@ -1 +1 @@\n-a\n+b\n")
    assert [[span.style for span in line.text.spans][-1] for line in lines] == [
        "not dim red",
        "not dim green",
    ]
