"""A change leaves its file in its encoding, whatever the bytes look like: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.editor import AUTO, SAVES, configure, editing

if TYPE_CHECKING:
    from support.editor import Editor
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


@pytest.mark.parametrize("lines", [0, 20_000], ids=["small", "large"])
async def test_every_session_reads_on_what_was_written_and_undo_brings_back_every_byte(
    root: Path, lines: int
) -> None:
    more = b"line\n" * lines
    (root / "a.txt").write_bytes(BEFORE + more)
    async with editing(root, options=LATIN_1) as editor:
        await without_accents(editor)
        assert (root / "a.txt").read_bytes() == LEFT + more
        for session in ("default", "another"):
            answer = await editor.read("a.txt", session=session, limit=1)
            assert answer["data"]["content"] == "Ã© one\n"
            assert answer["stats"]["encoding"] == "iso8859-1"
        edited = await editor.edit("a.txt", "3", "ü", session="another")
        assert edited["status"] == "success"
        assert (root / "a.txt").read_bytes() == LEFT.replace(b"3", b"\xfc") + more
        assert (await undo(editor, session="another"))["status"] == "success"
        assert (await undo(editor))["status"] == "success"
    assert (root / "a.txt").read_bytes() == BEFORE + more


async def test_history_knows_the_encoding_after_a_restart(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        change = await without_accents(editor)
    async with editing(root, options=AUTO) as editor:  # the setting is gone as well
        assert (await undo(editor, change))["status"] == "success"
    assert (root / "a.txt").read_bytes() == BEFORE


async def test_an_undo_below_changes_from_outside_keeps_to_the_encoding(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        change = await without_accents(editor)
        (root / "a.txt").write_bytes(LEFT.replace(b"4", b"four"))
        assert (await undo(editor, change))["status"] == "success"
    assert (root / "a.txt").read_bytes() == BEFORE.replace(b"4", b"four")


async def test_a_file_that_others_made_utf_8_is_read_as_that(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        await without_accents(editor)
        (root / "a.txt").write_text("Ã© one\nnew\n", "utf-8")
        answer = await editor.read("a.txt")
        assert (answer["data"]["content"], answer["stats"]["encoding"]) == ("Ã© one\nnew\n", "utf-8")


async def test_another_setting_is_heeded_for_what_had_been_written(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        await without_accents(editor)
        configure(editor, approval={"mode": "auto_edit"}, encoding={"default": "utf-8"})
        assert (await editor.read("a.txt"))["data"]["content"].startswith("é one\n")


async def test_a_character_that_comes_first_does_not_become_the_files_mark(root: Path) -> None:
    before = "x\ufeffone\ntwo\n".encode()
    (root / "a.txt").write_bytes(before)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        first = await editor.edit("a.txt", "x\ufeff", "\ufeff")
        assert first["data"]["applied"]
        answer = await editor.read("a.txt")
        assert (answer["data"]["content"], answer["data"]["bom"]) == ("\ufeffone\ntwo\n", False)
        assert (await undo(editor))["status"] == "success"
    assert (root / "a.txt").read_bytes() == before


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


async def test_the_users_own_save_leaves_a_document_clean(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        editor.open("a.txt", LEFT.decode("latin-1"))
        (root / "a.txt").write_bytes(LEFT)
        editor.notify("textDocument/didSave", {"textDocument": {"uri": editor.uri("a.txt")}})
        answer = await editor.read("a.txt")
        assert (answer["data"]["dirty"], answer["data"]["content"]) == (False, LEFT.decode("latin-1"))


async def test_what_the_editor_will_not_be_able_to_save_is_refused(root: Path) -> None:
    """Plain ASCII could be anything; the editor has said what it will be saved as."""
    (root / "a.txt").write_bytes(b"one\n")
    async with editing(root, options=AUTO, capabilities=SAVES) as editor:
        document = editor.open("a.txt")
        state = {"uri": document.uri, "dirty": False, "encoding": "iso88591"}
        editor.notify("agentfs/documentState", state)
        await editor.read("a.txt")
        answer = await editor.edit("a.txt", "one", "中")
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert "iso8859-1" in answer["text"]
    assert (root / "a.txt").read_bytes() == b"one\n"


async def test_a_closed_file_reads_on_as_its_document_did(root: Path) -> None:
    """No setting names the encoding; the editor did, while the file was open."""
    data = "中文 text\n".encode("gbk")
    (root / "a.txt").write_bytes(data)
    async with editing(root, options=AUTO) as editor:
        document = editor.open("a.txt", data.decode("gbk"))
        editor.notify("agentfs/documentState", {"uri": document.uri, "dirty": False, "encoding": "gbk"})
        first = await editor.read("a.txt")
        editor.close("a.txt")
        again = await editor.read("a.txt")
        assert again["data"]["content"] == first["data"]["content"] == "中文 text\n"
        assert (await editor.edit("a.txt", "text", "字"))["data"]["applied"]
    assert (root / "a.txt").read_bytes() == "中文 字\n".encode("gbk")
