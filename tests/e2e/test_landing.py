"""How accepted changes land (docs/protocol.md#93-how-it-lands). Policy allows them here, so that only the
landing is tested."""

import os
from pathlib import Path

import pytest

from support.editor import APPLY, AUTO, NO_ANSWER, SERVER, Editor, editing
from support.operations import edits
from support.sample import TEXT, edited
from support.sharing import in_module, shared

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, options=AUTO))


async def test_a_closed_or_new_file_is_written_by_server_byte_for_byte(editor: Editor, root: Path) -> None:
    data = "\ufeffone\r\ntwo\nthree\rcaf\xe9".encode()
    (root / "a.py").write_bytes(data)
    answer = await edited(editor)
    created = await editor.write("new/b.py", "x\r\n")
    assert editor.all(APPLY) == []
    told = (answer["status"], answer["data"]["applied"], answer["data"]["landing"])
    assert told == ("success", True, "disk")
    assert (created["status"], created["data"]["landing"]) == ("success", "disk")
    assert (root / "a.py").read_bytes() == data.replace(b"two", b"2")
    assert (root / "new" / "b.py").read_bytes() == b"x\r\n"


async def test_a_landing_that_waits_keeps_nobody_waiting(editor: Editor, root: Path, file: Path) -> None:
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


async def test_an_owner_or_group_that_cannot_be_kept_is_told(root: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text("one\n")
        os.chown(root / name, -1, 23456)
        (root / name).chmod(0o640)
    unprivileged = ["setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", *SERVER]
    async with editing(root, options=AUTO, command=unprivileged) as editor:
        for name in ("a.txt", "b.txt", "c.txt"):
            await editor.read(name)
        alone = await editor.edit("a.txt", "one", "two")
        again = await editor.edit("a.txt", "two", "three")
        both = [edits("b.txt", "one", "two"), edits("c.txt", "one", "two")]
        together = await editor.request("agentfs/batch", {"operations": both})
    told = " owner or group could not be kept, so others may have lost access to it."
    assert alone["text"].endswith(told)
    assert "owner" not in again["text"]
    assert "The owner or group of 'b.txt', 'c.txt' could not be kept, so others" in together["text"]
    assert [(root / name).read_text() for name in ("a.txt", "b.txt")] == ["three\n", "two\n"]
