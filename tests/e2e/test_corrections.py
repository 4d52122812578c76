"""Corrections before a change is proposed, through the real process: docs/protocol.md#61-corrections."""

from pathlib import Path

from support.editor import ASK, AUTO, MANUAL, configure, editing
from support.personas import pressing

EDITORCONFIG = "[*]\ntrim_trailing_whitespace = true\ninsert_final_newline = true\n"


async def test_editorconfig_is_followed_and_the_review_says_so(root: Path) -> None:
    (root / ".editorconfig").write_text(EDITORCONFIG)
    (root / "a.py").write_text("one  \ntwo\n")
    async with editing(root, options=MANUAL, answers={ASK: pressing("Approve")}) as editor:
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two\n", "2 \n3")
        asked = (await editor.seen(ASK))["message"]
        again = editor.edit("a.py", "2\n3\n", "4\n")
        assert (await again)["status"] == "success"
    assert (root / "a.py").read_text() == "one  \n4\n"
    assert answer["data"]["corrections"] == [
        {"kind": "trailing_blanks", "detail": "2"},
        {"kind": "final_newline", "detail": ""},
    ]
    said = "Blanks at ends of changed lines were removed, as .editorconfig says (lines: 2)."
    assert said in answer["text"]
    assert f"{said}\nThe last line got a line ending, as .editorconfig says.\n" in asked
    assert answer["data"]["warnings"] == []


async def test_switched_off_nothing_is_left_of_it(root: Path) -> None:
    (root / ".editorconfig").write_text(f"{EDITORCONFIG}charset = latin1\nend_of_line = crlf\n")
    (root / ".agentfs.toml").write_text("[correction]\nline_ends = []\ncharset = ['!*']\n")
    off = {**AUTO, "correction": {"trailing_blanks": [], "final_newline": ["*.md"]}}
    async with editing(root, options=off) as editor:
        answer = await editor.write("a.txt", "ä \n→")
    assert (root / "a.txt").read_bytes() == "ä \n→".encode()
    assert (answer["data"]["corrections"], answer["text"]) == ([], "Created 'a.txt' (2 lines, 7 bytes).")


async def test_text_escaped_once_too_often_is_hinted_at_until_the_setting_says_more(root: Path) -> None:
    content = "a = 1\\nb = 2\\n"
    async with editing(root, options=AUTO) as editor:
        answer = await editor.write("a.txt", content)
        assert answer["data"]["warnings"] == [{"kind": "escaped", "line": 1, "detail": "\\n"}]
        assert "Some of the text seems to be escaped once too often. See warnings." in answer["text"]
        configure(editor, **AUTO, correction={"escapes": ["*.txt"]})
        answer = await editor.write("b.txt", content)
        configure(editor, **AUTO, correction={"escape_hints": []})
        silent = await editor.write("c.txt", content)
    assert (root / "b.txt").read_text() == "a = 1\nb = 2\n"
    assert answer["data"]["corrections"] == [{"kind": "escapes", "detail": "\\n"}]
    assert (silent["data"]["warnings"], silent["text"]) == ([], "Created 'c.txt' (1 line, 14 bytes).")


def formatter(folder: Path) -> str:
    """A program that sorts lines; it fails if one is "fail"."""
    folder.mkdir()
    path = folder / "sorter"
    path.write_text(
        '#!/bin/sh\ntext=$(cat)\ncase $text in *fail*) exit 4;; esac\necho "$text" | LC_ALL=C sort\n'
    )
    path.chmod(0o755)
    return str(path)


async def test_the_users_formatter_formats_what_is_reviewed_and_lands(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("b\nd\n")
    (root / "b.txt").write_text("d\nb\n")
    sorter = formatter(tmp_path / "programs")
    options = {"correction": {"formatters": {"*.txt": [sorter]}}}
    async with editing(root, options=options, answers={ASK: pressing("Approve")}) as editor:
        await editor.read("a.txt")
        answer = await editor.edit("a.txt", "d\n", "c\na\n")
        asked = (await editor.seen(ASK))["message"]
        await editor.read("b.txt")
        unformatted = await editor.edit("b.txt", "d\n", "e\n")
        failed = await editor.write("c.txt", "fail\n")
        assert (await editor.edit("a.txt", "a\nb\n", "b\n"))["status"] == "success"
    assert [(root / name).read_text() for name in ("a.txt", "b.txt", "c.txt")] == [
        "b\nc\n",
        "e\nb\n",
        "fail\n",
    ]
    assert answer["data"]["corrections"] == [{"kind": "formatted", "detail": "sorter"}]
    assert "The text was formatted by sorter. Later edits must match it: see diff_preview." in answer["text"]
    assert "\nThe text was formatted by sorter.\n" in asked
    assert (unformatted["data"]["corrections"], unformatted["data"]["warnings"]) == ([], [])
    assert failed["data"]["warnings"] == [
        {"kind": "formatter", "line": 0, "detail": "sorter ended with code 4"}
    ]


async def test_no_settings_that_may_come_from_a_workspace_run_a_program(root: Path, tmp_path: Path) -> None:
    sorter = formatter(tmp_path / "programs")
    (root / ".agentfs.toml").write_text(f"[correction]\nformatters = {{'*' = ['{sorter}']}}\n")
    inside = {**AUTO, "correction": {"formatters": {"*.py": [formatter(root / "bin")]}}}
    async with editing(root, options=inside) as editor:
        answer = await editor.write("a.py", "b\na\n")
        configure(editor, **AUTO, correction={"formatters": {"*": [sorter]}})
        await editor.write("b.txt", "b\na\n")
        assert (root / "a.py").read_text() == (root / "b.txt").read_text() == "b\na\n"
        said = [(await editor.seen("window/showMessage", count))["message"] for count in (1, 2)]
    told = "sorter is in the workspace, which must not provide it"
    assert answer["data"]["warnings"] == [{"kind": "formatter", "line": 0, "detail": told}]
    assert [one.partition("…")[2] for one in said] == [
        "y in your own settings; ignored.",
        "ngs from the workspace; ignored.",
    ]
