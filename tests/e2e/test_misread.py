"""In a file that is not in UTF-8, programs may read other characters than the user sees: a change that adds
such has a warning, and needs approval in every mode (docs/protocol.md#13-settings-and-policy)."""

from pathlib import Path

import pytest

from support.editor import ASK, AUTO, Editor, editing
from support.personas import pressing

SAID = (
    "The file is not in UTF-8, and programs may read some of the new characters as others, which requires"
    " the user's approval in every mode."
)
KEY = "AKIA" + "IOSFODNN7EXAMPLE"


def in_encoding(name: str) -> dict[str, object]:
    return {**AUTO, "encoding": {"default": name}}


async def refused(editor: Editor, new: str) -> str:
    """The question about an edit that the user rejects."""
    await editor.read("a.sh")
    answer = await editor.edit("a.sh", "two", new)
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["text"].endswith(SAID)
    return str((await editor.seen(ASK))["message"])


@pytest.mark.parametrize(
    ("encoding", "letter"), [("gbk", "乗"), ("gb18030", "乗"), ("cp932", "表"), ("big5", "功")]
)
async def test_a_letter_that_holds_a_backslash_is_asked_about(root: Path, encoding: str, letter: str) -> None:
    before = "# 中文 日本\necho two\n".encode(encoding)
    (root / "a.sh").write_bytes(before)
    async with editing(root, options=in_encoding(encoding), answers={ASK: pressing("Reject")}) as editor:
        asked = await refused(editor, f'"{letter}" ; # " ; touch evil #')
    warned = f"line 2: bytes that programs may read as another character ({letter} -> \\)"
    assert f"⚠ {warned}" in asked
    assert (root / "a.sh").read_bytes() == before


async def test_a_line_that_holds_one_already_is_asked_about_if_more_than_its_words_change(root: Path) -> None:
    (root / "a.sh").write_bytes("# 中文\necho two # 乗\n".encode("gbk"))
    async with editing(root, options=in_encoding("gbk"), answers={ASK: pressing("Reject")}) as editor:
        asked = await refused(editor, '"乗" ; # " ; touch evil #')
    assert "⚠ line 2: bytes that programs may read as another character (乗 -> \\)" in asked


@pytest.mark.parametrize("by", ["setting", "editor"])
@pytest.mark.parametrize("name", ["U+2028 LINE SEPARATOR", "U+202E RIGHT-TO-LEFT OVERRIDE"])
async def test_letters_that_are_a_separator_in_utf_8_are_asked_about(root: Path, by: str, name: str) -> None:
    before = b"// caf\xe9\ntwo\n" if by == "setting" else b"// cafe\ntwo\n"
    (root / "a.sh").write_bytes(before)
    options = in_encoding("cp1252") if by == "setting" else AUTO
    letters = chr(int(name[2:6], 16)).encode().decode("cp1252")
    async with editing(root, options=options, answers={ASK: pressing("Reject")}) as editor:
        if by == "editor":
            rules = [{"files": ["*"], "encoding": "windows1252"}]
            editor.notify("agentfs/fileEncodings", {"folders": [{"uri": root.as_uri(), "rules": rules}]})
        asked = await refused(editor, f"let x = 1; // é {letters} evil()")
    assert f"⚠ line 2: bytes that programs may read as another character ({name})" in asked
    assert (root / "a.sh").read_bytes() == before


async def test_what_such_a_file_usually_holds_is_not_asked_about(root: Path) -> None:
    (root / "a.sh").write_bytes("# 表 中文\necho two\n".encode("gbk"))
    async with editing(root, options=in_encoding("gbk"), answers={ASK: pressing("Reject")}) as editor:
        await editor.read("a.sh")
        for old, new in (("two", "测试"), ("# 表 中文", "# 表 中文字符")):
            answer = await editor.edit("a.sh", old, new)
            assert answer["data"]["applied"], answer["text"]
            assert answer["data"]["warnings"] == []
        written = await editor.write("b.sh", "echo 乗 表 功 — in UTF-8\n")
        assert written["data"]["applied"], written["text"]
        assert editor.all(ASK) == []


async def test_a_secret_that_only_programs_see_is_one(root: Path) -> None:
    (root / "a.sh").write_bytes("# 中文\necho two\n".encode("gbk"))
    letter = b"\x81A".decode("gbk")
    async with editing(root, options=in_encoding("gbk"), answers={ASK: pressing("Reject")}) as editor:
        await editor.read("a.sh")
        answer = await editor.edit("a.sh", "two", letter + KEY[1:])
    assert answer["error"]["code"] == "USER_REJECTED"
    assert "AWS access key in line 2" in answer["text"]
