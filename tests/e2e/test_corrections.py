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
        answer = await editor.write("a.py", "ä \n→")
    assert (root / "a.py").read_bytes() == "ä \n→".encode()
    assert (answer["data"]["corrections"], answer["text"]) == ([], "Created 'a.py' (2 lines, 7 bytes).")


async def test_text_escaped_once_too_often_is_hinted_at_until_the_setting_says_more(root: Path) -> None:
    content = "a = 1\\nb = 2\\n"
    async with editing(root, options=AUTO) as editor:
        answer = await editor.write("a.py", content)
        assert answer["data"]["warnings"] == [{"kind": "escaped", "line": 1, "detail": "\\n"}]
        assert "Some of the text seems to be escaped once too often. See warnings." in answer["text"]
        configure(editor, **AUTO, correction={"escapes": ["*.py"]})
        answer = await editor.write("b.py", content)
        configure(editor, **AUTO, correction={"escape_hints": []})
        silent = await editor.write("c.py", content)
    assert (root / "b.py").read_text() == "a = 1\nb = 2\n"
    assert answer["data"]["corrections"] == [{"kind": "escapes", "detail": "\\n"}]
    assert (silent["data"]["warnings"], silent["text"]) == ([], "Created 'c.py' (1 line, 14 bytes).")
