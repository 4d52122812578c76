"""How an accepted change lands in an editor that saves (docs/protocol.md#93-how-it-lands).

Let through by policy here, so that landing is all there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.editor import APPLY, AUTO, SAVES, editing
from support.sample import CHANGED, TEXT, edited
from support.sharing import in_module, shared

if TYPE_CHECKING:
    from pathlib import Path

    from support.editor import Editor
    from support.wire import Message


pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, capabilities=SAVES, options=AUTO))


def saving(editor: Editor, made_of: Any = None) -> Any:
    """A client that saves what it was handed, through a formatter perhaps."""

    def apply(params: Message) -> object:
        done = editor.apply(params["edit"])
        if made_of is not None:
            editor.change("a.py", made_of(editor.documents[editor.uri("a.py")].text))
        editor.save("a.py")
        return {"applied": done}

    return apply


async def test_an_open_clean_file_is_saved_by_an_editor_that_saves(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    editor.answers[APPLY] = saving(editor)
    answer = await edited(editor)
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == (
        "success",
        True,
        "disk",
    )
    assert "on_save" not in answer["data"]["review"]
    assert file.read_text() == CHANGED


async def test_what_a_formatter_makes_of_it_on_save_is_told_and_is_what_the_agent_knows(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    editor.answers[APPLY] = saving(editor, lambda text: text.replace("2", "2  # formatted"))
    answer = await edited(editor)
    next_one = await editor.edit("a.py", "2  # formatted", "2", dry_run=True)
    assert answer["data"]["landing"] == "disk"
    assert "-2\n+2  # formatted\n" in answer["data"]["review"]["on_save"]
    assert "formatted" not in answer["data"]["diff_preview"]
    assert answer["stats"]["file_size_bytes"] == file.stat().st_size
    assert next_one["status"] == "partial"


async def test_a_formatter_that_undoes_the_change_has_saved_it_all_the_same(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    editor.answers[APPLY] = saving(editor, lambda text: text.replace("two  ", "two"))
    await editor.read("a.py")
    answer = await editor.edit("a.py", "two", "two  ")
    assert answer["data"]["landing"] == "disk"
    assert "-two  \n+two\n" in answer["data"]["review"]["on_save"]
    assert file.read_text() == TEXT


async def test_typing_right_after_the_save_leaves_the_change_on_disk_and_the_agent_a_conflict(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    save = saving(editor)

    def apply(params: Message) -> object:
        said = save(params)
        editor.change("a.py", CHANGED + "mine\n")
        return said

    editor.answers[APPLY] = apply
    answer = await edited(editor)
    next_one = await editor.edit("a.py", "three", "3")
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")
    assert "on_save" not in answer["data"]["review"]
    assert next_one["error"]["code"] == "CONFLICT"
    assert "+mine" in next_one["context"]["conflict"]["diff_since_read"]


async def test_an_open_file_with_unsaved_changes_is_not_saved(editor: Editor, file: Path) -> None:
    document = editor.open("a.py", TEXT + "mine\n")
    answer = await edited(editor)
    assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor")
    assert document.text == CHANGED + "mine\n"
    assert file.read_text() == TEXT


async def test_a_clean_file_the_client_calls_dirty_is_dirty_until_it_is_saved(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    editor.notify("agentfs/documentState", {"uri": file.as_uri(), "dirty": True, "encoding": "utf8"})
    assert (await editor.read("a.py"))["data"]["dirty"]
    answer = await edited(editor)
    assert answer["data"]["landing"] == "editor"
    editor.save("a.py")
    assert not (await editor.read("a.py"))["data"]["dirty"]


@pytest.mark.parametrize("saves", [True, False], ids=["saves", "does not save"])
@pytest.mark.parametrize("how", ["undone", "undone and typed", "opened again", "loaded again"])
async def test_a_change_that_neither_document_nor_disk_holds_has_not_landed(
    root: Path, file: Path, how: str, saves: bool
) -> None:
    def apply(params: Message) -> object:
        editor.apply(params["edit"])
        match how:
            case "undone":
                editor.change("a.py", TEXT)
            case "undone and typed":
                editor.change("a.py", TEXT + "mine\n")
            case "opened again":
                editor.close("a.py")
                editor.open("a.py")
            case _:
                file.write_text(TEXT + "theirs\n")
                editor.change("a.py", TEXT + "theirs\n")
        return {"applied": True}

    options = AUTO | {"save_timeout_s": 0.1}
    async with editing(root, capabilities=SAVES if saves else {}, options=options) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = apply
        answer = await edited(editor)
        undone = await editor.request("agentfs/undo", {})
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert "taken out of the document again before it was saved. Nothing was changed." in answer["text"]
    assert undone["error"]["code"] != "EXECUTION_ERROR"
    assert file.read_text() == (TEXT + "theirs\n" if how == "loaded again" else TEXT)
