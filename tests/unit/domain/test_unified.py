"""The diff for people and models: standard, bounded, with nothing hidden."""

import sys

from agentfs_lsp.domain.diff.hunks import diff, widen
from agentfs_lsp.domain.diff.unified import Preview, preview, whole
from agentfs_lsp.domain.splices import Splice


def shown(old: str, new: str, path: str = "a.py") -> str:
    return preview(old, diff(old, new), path).text


def test_created_and_deleted_files_come_from_and_go_nowhere() -> None:
    text = "a\nb"
    assert preview("", diff("", text), "n", operation="create").text == (
        "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"
    )
    assert preview(text, diff(text, ""), "n", operation="delete").text == (
        "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n"
    )
    assert preview("", (), "n", operation="create").text == "--- /dev/null\n+++ b/n\n"
    assert preview("a", (), "n") == Preview("", truncated=False)


def test_uniform_line_ends_are_not_mentioned() -> None:
    assert shown("a\r\nb\r\n", "a\r\nc\r\n").endswith("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")
    assert shown("a\rb\r", "a\rc\r").endswith("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")


def test_differing_line_ends_are_shown() -> None:
    assert shown("a\r\nb\n", "a\nb\n").endswith("@@ -1,2 +1,2 @@\n-a\\r\n+a\n b\n")
    assert shown("a\r\nb\nc\n", "a\r\nb\nC\n").endswith(" a\\r\n b\n-c\n+C\n")
    assert shown("a\r\nb\nc", "a\r\nb\n").endswith(" a\\r\n b\n-c\n\\ No newline at end of file\n")
    assert shown("a\r\n", "a\r").endswith("@@ -1 +1 @@\n-a\\r\n+a\\x0d\n")


def test_what_is_invisible_is_escaped_also_in_the_path() -> None:
    text = shown("a\n", "a\u202eb\x07\udcff\n", "x\u2066.py")
    assert "+a\\u202eb\\x07\ufffd\n" in text
    assert "+++ b/x\\u2066.py\n" in text


def test_no_line_reads_as_the_header_of_another_file() -> None:
    old, new = "-- a/b.md\n-- a comment\n-- /dev/null\n", "++ b/b.md\n++ /dev/null\n x ++ b/c\n++i;\n"
    text = shown(old, new)
    assert text == whole(old, diff(old, new), "a.py")
    assert text.splitlines()[3:] == [
        *("-\\x2d- a/b.md", "--- a comment", "-\\x2d- /dev/null"),
        *("+\\x2b+ b/b.md", "+\\x2b+ /dev/null", "+ x ++ b/c", "+++i;"),
    ]


def test_the_limits_of_lines_and_bytes_end_it_with_a_marker() -> None:
    new = "".join(f"{n}\n" for n in range(300))
    many = preview("", diff("", new), "n", operation="create")
    assert many.truncated
    assert many.text.endswith("+96\n... (truncated)")
    assert many.text.count("\n") == 100
    wide = preview("", diff("", "中" * 1000 + "\n" + "x\n"), "n", max_bytes=3000)
    assert wide == Preview("--- a/n\n+++ b/n\n@@ -0,0 +1,2 @@\n... (truncated)", truncated=True)
    exact = preview("", diff("", new), "n", max_lines=303)
    assert not exact.truncated


def test_a_long_line_is_a_window_round_its_change() -> None:
    old = "0123456789" * 1_000_000
    at = 5_000_000
    result = preview(old, widen(old, [Splice(at, at + 1, "CHANGED")]), "n")
    assert result.truncated
    removed, added = (line for line in result.text.split("\n")[3:] if line[:1] in ("-", "+"))
    assert removed.startswith("-[4999875 characters] 5678901234")
    assert removed.endswith(" [4999625 characters]")
    assert "9CHANGED123" in added
    assert len(added) < 600


def test_a_long_line_beside_the_change_is_cut_too() -> None:
    old = "x" * 3_000 + "\nb\n"
    result = preview(old, diff(old, old.replace("b", "c")), "n")
    assert f" {'x' * 500} [2500 characters]\n-b\n+c\n" in result.text
    assert result.truncated


def test_the_whole_diff_of_many_lines_is_not_made_line_by_line() -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    text = "".join(f"line {number}\n" for number in range(5_000))
    hunks = diff("", text)
    sys.setprofile(count)
    try:
        shown = whole("", hunks, "n", operation="create")
    finally:
        sys.setprofile(None)
    assert shown.count("\n+line") == 5_000
    assert calls < 500
