"""How accepted changes land (docs/protocol.md#93-how-it-lands). Policy allows them here, so that only the
landing is tested."""

from __future__ import annotations

from pathlib import Path

from support.editor import APPLY, AUTO, NO_ANSWER, Editor, editing
from support.sample import CHANGED, TEXT, edited
from support.sharing import in_module, shared

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, options=AUTO))


async def test_a_closed_or_new_file_is_written_by_the_server_byte_for_byte(
    editor: Editor, root: Path
) -> None:
    data = "\ufeffone\r\ntwo\nthree\rcaf\xe9".encode()
    (root / "a.py").write_bytes(data)
    answer = await edited(editor)
    created = await editor.write("new/b.py", "x\r\n")
    assert editor.all(APPLY) == []
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == (
        "success",
        True,
        "disk",
    )
    assert (created["status"], created["data"]["landing"]) == ("success", "disk")
    assert (root / "a.py").read_bytes() == data.replace(b"two", b"2")
    assert (root / "new" / "b.py").read_bytes() == b"x\r\n"


async def test_an_open_clean_file_waits_for_the_user_of_an_editor_that_does_not_save(
    editor: Editor, file: Path
) -> None:
    document = editor.open("a.py")
    answer = await edited(editor)
    sent = await editor.seen(APPLY)
    editor.save("a.py")
    next_one = await editor.edit("a.py", "three", "3", dry_run=True)
    assert (answer["status"], answer["data"]["applied"]) == ("partial", False)
    assert answer["data"]["landing"] == "editor"
    assert "but not saved" in answer["text"]
    assert "changeAnnotations" not in sent["edit"]
    assert sent["edit"]["documentChanges"][0]["textDocument"] == {"uri": file.as_uri(), "version": 1}
    assert document.text == CHANGED
    assert next_one["data"]["diff_preview"].count("+3") == 1


async def test_a_landing_that_waits_for_its_editor_keeps_nobody_else_waiting(
    editor: Editor, root: Path, file: Path
) -> None:
    (root / "b.py").write_text(TEXT)
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


async def test_once_accepted_a_cancellation_is_too_late(editor: Editor, file: Path) -> None:
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
