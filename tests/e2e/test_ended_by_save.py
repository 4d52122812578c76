"""Editors that end a file's last line in saving it and do not tell, as Vim and Neovim do
(docs/protocol.md#93-how-it-lands)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, AUTO, SAVES, Editor, editing
from support.wire import Message

TEXT = "one\ntwo"
FOR_EVER: Any = {"save_timeout_s": 600}


def save(editor: Editor, path: str = "a.py", eol: str = "\n", encoding: str = "utf-8") -> None:
    document = editor.documents[editor.uri(path)]
    (editor.root / path).write_bytes(f"{document.text}{eol}".encode(encoding))
    editor.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})


def saving(editor: Editor) -> Any:
    def apply(params: Message) -> Message:
        done = editor.apply(params["edit"])
        save(editor)
        return {"applied": done}

    return apply


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize(
    ("text", "eol", "encoding"),
    [(TEXT, "\n", "utf-8"), ("one\r\ntwo", "\r\n", "utf-8"), ("caf\xe9\rtwo", "\r", "latin-1")],
)
async def test_the_saved_document_has_no_unsaved_changes(
    root: Path, text: str, eol: str, encoding: str
) -> None:
    (root / "a.py").write_bytes(b"x")
    async with editing(root, options={"encoding": {"default": "latin-1"}}) as editor:
        editor.open("a.py", text)
        before = await editor.read("a.py")
        save(editor, eol=eol, encoding=encoding)
        saved = await editor.read("a.py")
        editor.change("a.py", f"{text} and more")
        changed = await editor.read("a.py")
    assert [one["data"]["dirty"] for one in (before, saved, changed)] == [True, False, True]


async def test_the_last_line_is_ended_once(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO | FOR_EVER) as editor:
        editor.answers[APPLY] = saving(editor)
        document = editor.open("a.py")
        save(editor)
        await editor.read("a.py")
        same = await editor.write("a.py", f"{TEXT}\n")
        longer = await editor.write("a.py", f"{TEXT}\nthree\n")
        edited = await editor.edit("a.py", "three", "three\nfour\n")
        assert document.text == f"{TEXT}\nthree\nfour"
        assert file.read_text() == f"{document.text}\n"
        undone = await editor.request("agentfs/undo", {})
    assert (same["data"]["unchanged"], same["data"]["applied"]) == (True, True)
    assert [one["data"]["landing"] for one in (longer, edited, undone)] == ["disk"] * 3
    assert file.read_text() == f"{TEXT}\nthree\n"
