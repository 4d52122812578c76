"""Editors that end a file's last line in saving it and do not tell, as Vim and Neovim do
(docs/protocol.md#93-how-it-lands)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.editor import APPLY, AUTO, REVIEWING, SAVES, editing

if TYPE_CHECKING:
    from pathlib import Path

    from support.editor import Editor
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


async def test_a_line_end_more_on_disk_that_no_save_brought_is_a_change(root: Path, file: Path) -> None:
    async with editing(root) as editor:
        editor.open("a.py")
        file.write_text(f"{TEXT}\n")
        assert (await editor.read("a.py"))["data"]["dirty"] is True
        save(editor, eol="\n\n")
        assert (await editor.read("a.py"))["data"]["dirty"] is True


async def test_a_landing_is_saved_as_soon_as_it_is(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO | FOR_EVER) as editor:
        editor.answers[APPLY] = saving(editor)
        editor.open("a.py")
        await editor.read("a.py")
        first = await editor.edit("a.py", "two", "2")
        second = await editor.edit("a.py", "2", "two")
    assert [one["data"]["landing"] for one in (first, second)] == ["disk", "disk"]
    assert "on_save" in first["data"]["review"], "the file had no line end there"
    assert "on_save" not in second["data"]["review"]
    assert file.read_text() == f"{TEXT}\n"


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


async def test_closed_while_it_is_reviewed_the_file_keeps_its_last_line_end(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.py")
        save(editor)
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        proposal = await editor.proposed()
        editor.close("a.py")
        await editor.settle(proposal)
        answer = await asked
    assert answer["data"]["landing"] == "disk"
    assert file.read_text() == "one\n2\n"
