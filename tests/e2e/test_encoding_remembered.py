"""A change leaves its file in its encoding, whatever the bytes look like: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, SAVES, Editor, editing
from support.wire import Message

LATIN_1 = {**AUTO, "encoding": {"default": "latin-1"}}

BEFORE = "Ã© one\nã\n3\n4\n5\ncafé\n".encode("latin-1")
"""Without its last letter's accent and the one of line 2 it is UTF-8, and reads otherwise."""

LEFT = "Ã© one\na\n3\n4\n5\ncafé\n".replace("café", "cafe").encode("latin-1")


async def without_accents(editor: Editor, path: str = "a.txt", **more: Any) -> Message:
    """What can't be UTF-8 goes, in one change."""
    await editor.read(path, **more)
    operations = [
        {"tool": "edit", "params": {"path": path, "old_string": old, "new_string": new}}
        for old, new in (("ã", "a"), ("café", "cafe"))
    ]
    answer = await editor.request("agentfs/batch", {"operations": operations, **more})
    assert answer["data"]["applied"], answer
    return answer


async def undo(editor: Editor, change: Message | None = None, **more: Any) -> Message:
    change_id = change["data"]["change_id"] if change else None
    return await editor.request("agentfs/undo", {"change_id": change_id, **more})


async def test_history_knows_the_encoding_after_a_restart(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        change = await without_accents(editor)
    async with editing(root, options=AUTO) as editor:  # the setting is gone as well
        assert (await undo(editor, change))["status"] == "success"
    assert (root / "a.txt").read_bytes() == BEFORE


# --- open documents ---------------------------------------------------------------------------------------


def saving_as(editor: Editor, path: Path, encoding: str) -> Any:
    """A client that saves what it was handed in the encoding of its document."""

    def apply(params: Message) -> object:
        done = editor.apply(params["edit"])
        document = editor.documents[path.as_uri()]
        path.write_bytes(document.text.encode(encoding))
        editor.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})
        return {"applied": done}

    return apply


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
async def test_an_open_document_tells_how_its_file_reads_and_closing_it_changes_nothing(
    root: Path, told: bool
) -> None:
    """The user has opened the file as Latin-1; whether or not the editor can say so, the text does."""
    file = root / "a.txt"
    file.write_bytes(BEFORE)
    async with editing(root, options=LATIN_1, capabilities=SAVES) as editor:
        document = editor.open("a.txt", BEFORE.decode("latin-1"))
        if told:
            state = {"uri": document.uri, "dirty": False, "encoding": "iso88591"}
            editor.notify("agentfs/documentState", state)
        editor.answers["workspace/applyEdit"] = saving_as(editor, file, "latin-1")
        change = await without_accents(editor)
        assert (file.read_bytes(), change["status"]) == (LEFT, "success")
        answer = await editor.read("a.txt")
        assert (answer["data"]["dirty"], answer["stats"]["encoding"]) == (False, "iso8859-1")
        editor.close("a.txt")
        answer = await editor.read("a.txt")
        assert answer["data"]["content"] == LEFT.decode("latin-1")
        assert (await undo(editor))["status"] == "success"
    assert file.read_bytes() == BEFORE
