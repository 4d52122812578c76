"""Adding LINE or PARAGRAPH SEPARATORs, about which VS Code opens a dialog when they land in a visible
document, needs approval in every mode (docs/protocol.md#13-settings-and-policy)."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from support.editor import ASK, AUTO, Editor, editing
from support.personas import pressing
from support.sharing import in_module, shared

SAID = "Line and paragraph separators (U+2028, U+2029) require the user's approval in every mode."


def auto(root: Path) -> AbstractAsyncContextManager[Editor]:
    return editing(root, options=AUTO, answers={ASK: pressing("Reject")})


pytestmark = in_module
server, root, editor = shared(auto)


@pytest.mark.parametrize("separator", ["\u2028", "\u2029"])
async def test_adding_a_separator_is_asked_about(editor: Editor, root: Path, separator: str) -> None:
    (root / "text").write_text("one\ntwo\n")
    await editor.read("text")
    edited = await editor.edit("text", "one", f"one{separator}more")
    written = await editor.write("new", f"one{separator}more\n")
    for answer in (edited, written):
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["text"].endswith(SAID)
    assert (root / "text").read_text() == "one\ntwo\n"
    assert not (root / "new").exists()
    assert len(editor.all(ASK)) == 2


async def test_what_the_file_held_already_is_not_asked_for_again(editor: Editor, root: Path) -> None:
    (root / "text").write_text("one\u2028two\nthree\n")
    await editor.read("text")
    for old, new in (("three", "3"), ("one\u2028two", "1\u20282"), ("1\u20282", "12")):
        answer = await editor.edit("text", old, new)
        assert answer["data"]["applied"], answer["text"]
        assert SAID not in answer["text"]
    assert editor.all(ASK) == []


async def test_a_write_that_may_not_be_read_is_asked_for_by_all_its_text(root: Path) -> None:
    (root / "text").write_text("one\u2028two\n")
    options = {
        **AUTO,
        "require_read": False,
        "rules": [{"files": ["text"], "read": "deny", "write": "allow"}],
    }
    async with editing(root, options=options, answers={ASK: pressing("Reject")}) as editor:
        answer = await editor.write("text", "1\u20282\n")
        assert answer["error"]["code"] == "USER_REJECTED"
        assert len(editor.all(ASK)) == 1
