"""How an accepted change lands, whoever approved it (docs/protocol.md#93-how-it-lands).

Let through by policy here, so that landing is all there is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from support.editor import AUTO, NO_ANSWER, editing

if TYPE_CHECKING:
    from pathlib import Path

    from support.editor import Editor
    from support.wire import Message

TEXT = "one\ntwo\nthree\n"
CHANGED = "one\n2\nthree\n"
APPLY = "workspace/applyEdit"
SAVES = {"experimental": {"agentfs": {"save": True}}}


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text(TEXT)
    return path


async def edited(editor: Editor, **more: Any) -> Message:
    await editor.read("a.py")
    return await editor.edit("a.py", "two", "2", **more)


def saving(editor: Editor, made_of: Any = None) -> Any:
    """A client that saves what it was handed, through a formatter perhaps."""

    def apply(params: Message) -> object:
        done = editor.apply(params["edit"])
        if made_of is not None:
            editor.change("a.py", made_of(editor.documents[editor.uri("a.py")].text))
        editor.save("a.py")
        return {"applied": done}

    return apply


async def test_a_closed_or_new_file_is_written_by_the_server_byte_for_byte(root: Path) -> None:
    data = "\ufeffone\r\ntwo\nthree\rcaf\xe9".encode()
    (root / "a.py").write_bytes(data)
    async with editing(root, options=AUTO) as editor:
        answer = await edited(editor)
        created = await editor.write("new/b.py", "x\r\n")
        assert editor.all(APPLY) == []
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == ("success", True, "disk")
    assert (created["status"], created["data"]["landing"]) == ("success", "disk")
    assert (root / "a.py").read_bytes() == data.replace(b"two", b"2")
    assert (root / "new" / "b.py").read_bytes() == b"x\r\n"


async def test_an_open_clean_file_waits_for_the_user_of_an_editor_that_does_not_save(
    root: Path, file: Path
) -> None:
    async with editing(root, options=AUTO) as editor:
        document = editor.open("a.py")
        answer = await edited(editor)
        sent = await editor.seen(APPLY)
        editor.save("a.py")
        next_one = await editor.edit("a.py", "three", "3", dry_run=True)
    assert (answer["status"], answer["data"]["applied"]) == ("partial", False)
    assert answer["data"]["landing"] == "editor"
    assert "not saved yet" in answer["text"]
    assert "changeAnnotations" not in sent["edit"]
    assert sent["edit"]["documentChanges"][0]["textDocument"] == {"uri": file.as_uri(), "version": 1}
    assert document.text == CHANGED
    assert next_one["data"]["diff_preview"].count("+3") == 1


async def test_an_open_clean_file_is_saved_by_an_editor_that_saves(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor)
        answer = await edited(editor)
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == ("success", True, "disk")
    assert "on_save" not in answer["data"]["review"]
    assert file.read_text() == CHANGED


async def test_what_a_formatter_makes_of_it_on_save_is_told_and_is_what_the_agent_knows(
    root: Path, file: Path
) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor, lambda text: text.replace("2", "2  # formatted"))
        answer = await edited(editor)
        next_one = await editor.edit("a.py", "2  # formatted", "2", dry_run=True)
    assert answer["data"]["landing"] == "disk"
    assert "-2\n+2  # formatted\n" in answer["data"]["review"]["on_save"]
    assert "formatted" not in answer["data"]["diff_preview"]
    assert answer["stats"]["file_size_bytes"] == file.stat().st_size
    assert next_one["status"] == "partial"


async def test_a_formatter_that_undoes_the_change_has_saved_it_all_the_same(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = saving(editor, lambda text: text.replace("two  ", "two"))
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "two  ")
    assert answer["data"]["landing"] == "disk"
    assert "-two  \n+two\n" in answer["data"]["review"]["on_save"]
    assert file.read_text() == TEXT


async def test_a_save_that_comes_late_is_waited_for_and_one_that_does_not_come_is_not(
    root: Path, file: Path
) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO | {"save_timeout_s": 0.2}) as editor:
        editor.open("a.py")
        loop = asyncio.get_running_loop()

        def apply(params: Message) -> object:
            loop.call_later(0.05, editor.save, "a.py")
            return {"applied": editor.apply(params["edit"])}

        editor.answers[APPLY] = apply
        late = await edited(editor)
        editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
        never = await editor.edit("a.py", "three", "3")
    assert late["data"]["landing"] == "disk"
    assert (never["status"], never["data"]["landing"]) == ("partial", "editor")
    assert file.read_text() == CHANGED


async def test_typing_right_after_the_save_leaves_the_change_on_disk_and_the_agent_a_conflict(
    root: Path, file: Path
) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
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


@pytest.mark.parametrize("capabilities", [None, SAVES])
async def test_an_open_file_with_unsaved_changes_is_not_saved(
    root: Path, file: Path, capabilities: Message | None
) -> None:
    async with editing(root, capabilities=capabilities, options=AUTO) as editor:
        document = editor.open("a.py", TEXT + "mine\n")
        answer = await edited(editor)
    assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor")
    assert document.text == CHANGED + "mine\n"
    assert file.read_text() == TEXT


async def test_a_clean_file_the_client_calls_dirty_is_dirty_until_it_is_saved(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO) as editor:
        editor.open("a.py")
        editor.notify("agentfs/documentState", {"uri": file.as_uri(), "dirty": True, "encoding": "utf8"})
        assert (await editor.read("a.py"))["data"]["dirty"]
        answer = await edited(editor)
        assert answer["data"]["landing"] == "editor"
        editor.save("a.py")
        assert not (await editor.read("a.py"))["data"]["dirty"]


async def test_save_never_and_always_decide_over_the_documents_state(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO | {"save": "never"}) as editor:
        editor.open("a.py")
        never = await edited(editor)
    async with editing(root, capabilities=SAVES, options=AUTO | {"save": "always"}) as editor:
        editor.open("a.py", TEXT + "mine\n")
        editor.answers[APPLY] = saving(editor)
        always = await edited(editor)
    assert never["data"]["landing"] == "editor"
    assert always["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED + "mine\n"


async def test_a_refusal_of_the_client_changes_nothing_and_is_told(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        document = editor.open("a.py")
        editor.answers[APPLY] = lambda _: {"applied": False, "failureReason": "read-only buffer"}
        answer = await edited(editor)
    assert answer["error"]["code"] == "EXECUTION_ERROR"
    assert "read-only buffer" in answer["text"]
    assert document.text == file.read_text() == TEXT


async def test_a_disk_that_moves_under_an_open_document_is_a_conflict(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO | {"landing_timeout_s": 0.1}) as editor:
        editor.open("a.py")

        def other_program(_: object) -> object:
            file.write_text(TEXT + "theirs\n")
            return {"applied": True}

        editor.answers[APPLY] = other_program
        answer = await edited(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert file.read_text() == TEXT + "theirs\n"


async def test_a_document_closed_before_its_save_leaves_the_landing_unknown(root: Path, file: Path) -> None:
    async with editing(root, capabilities=SAVES, options=AUTO | {"save_timeout_s": 0.1}) as editor:
        editor.open("a.py")

        def apply_and_close(params: Message) -> object:
            editor.apply(params["edit"])
            editor.close("a.py")
            return {"applied": True}

        editor.answers[APPLY] = apply_and_close
        answer = await edited(editor)
        again = await editor.edit("a.py", "three", "3")
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert again["error"]["message"] == "Read the file first."
    assert file.read_text() == TEXT


async def test_a_landing_that_waits_for_its_editor_keeps_nobody_else_waiting(root: Path, file: Path) -> None:
    (root / "b.py").write_text(TEXT)
    async with editing(root, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = lambda _: NO_ANSWER
        await editor.read("a.py")
        waiting = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        held = await editor.seen_message(APPLY)
        await editor.read("b.py")
        other = await editor.edit("b.py", "two", "2")
        assert not waiting.done()
        editor.apply(held["params"]["edit"])
        editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
        answer = await waiting
    assert other["data"]["landing"] == "disk"
    assert answer["data"]["landing"] == "editor"


async def test_once_accepted_a_cancellation_is_too_late(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        editor.open("a.py")
        editor.answers[APPLY] = lambda _: NO_ANSWER
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        held = await editor.seen_message(APPLY)
        editor.cancel(asked)
        editor.apply(held["params"]["edit"])
        editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
        answer = await asked
    assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor")
