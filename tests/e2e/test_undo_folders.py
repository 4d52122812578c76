"""agentfs/undo of a creation: the folders created for it (docs/protocol.md#11-history-and-undo)."""

import contextlib
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from support import frail_server
from support.editor import AUTO, REVIEWING, configure, editing
from support.operations import writes


async def test_folders_that_were_made_for_a_file_go_with_it_as_far_as_they_are_empty(root: Path) -> None:
    (root / "old").mkdir()
    async with editing(root, options=AUTO) as editor:
        made = await editor.write("old/one/two/three/a.txt", "a\n")
        await editor.write("old/one/b.txt", "b\n")
    async with editing(root, options=AUTO) as editor:
        await editor.undo(made["data"]["change_id"])
        assert sorted(path.name for path in (root / "old").rglob("*")) == ["b.txt", "one"]
        (root / "old/one/b.txt").unlink()
        again = await editor.write("old/one/two/a.txt", "a\n")
        await editor.undo(again["data"]["change_id"])
        assert [path.name for path in (root / "old").rglob("*")] == ["one"], "not made by that change"
        await editor.undo()
        await editor.undo()
    assert [path.name for path in (root / "old").rglob("*")] == ["one"]


async def test_folders_that_were_made_for_a_batch_go_with_it(root: Path) -> None:
    paths = ("new/a.txt", "new/one/b.txt", "new/one/two/c.txt", "d.txt")
    operations = [writes(path, "x\n") for path in paths]
    async with editing(root, options=AUTO) as editor:
        await editor.request("agentfs/batch", {"operations": operations})
        assert len(list(root.rglob("*"))) == 7
        assert (await editor.undo())["status"] == "success"
        assert list(root.iterdir()) == []
        configure(editor, **AUTO, create_dirs=False)
        assert "agentfs.create_dirs is off" in (await editor.undo())["text"]
        assert list(root.iterdir()) == []
        configure(editor, **AUTO)
        await editor.undo()
        assert len(list(root.rglob("*"))) == 7


async def test_a_folder_that_the_system_does_not_let_go_is_told(root: Path) -> None:
    async with editing(root, options=AUTO, command=[sys.executable, frail_server.__file__]) as editor:
        await editor.write("new/one/a.txt", "a\n")
        root.chmod(0o500)
        answer = await editor.undo()
        root.chmod(0o700)
    assert answer["status"] == "success"
    assert answer["text"].endswith(" These directories could not be removed: 'new'")
    assert list(root.rglob("*")) == [root / "new"]


async def test_a_folder_that_a_link_replaced_is_told_as_one(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("old/a.txt", "a\n")
        (root / "old").rename(root / "new")
        (root / "old").symlink_to("new")
        answer = await editor.undo()
    assert answer["error"]["code"] == "CONFLICT"
    assert "'old/a.txt' is now reached through a symbolic link" in answer["text"]
    assert (root / "new" / "a.txt").exists()


async def test_where_another_folder_took_the_roots_place_its_files_count(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        made = await editor.write("a.txt", "a\n")
        root.rename(root.parent / "before")
        root.mkdir()
        (root / "a.txt").write_text("another\n")
        answer = await editor.undo(made["data"]["change_id"])
        assert (answer["error"]["code"], "link" in answer["text"]) == ("CONFLICT", False)
        (root / "a.txt").write_text("a\n")
        assert (await editor.undo(made["data"]["change_id"]))["status"] == "success"
    assert [path.name for path in root.parent.rglob("a.txt")] == ["a.txt"]
    assert (root.parent / "before" / "a.txt").exists()


async def test_of_a_history_that_knows_no_folders_they_stay(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        made = await editor.write("new/a.txt", "a\n")
    (database,) = (editor.state / "agentfs" / "history").glob("*.sqlite3")
    with contextlib.closing(sqlite3.connect(database)) as opened, opened:
        opened.execute("DROP TABLE folders")
    async with editing(root, options=AUTO) as editor:
        assert (await editor.undo(made["data"]["change_id"]))["status"] == "success"
        assert [path.name for path in root.rglob("*")] == ["new"]
        await editor.write("newer/a.txt", "a\n")
        await editor.undo()
        assert [path.name for path in root.rglob("*")] == ["new"], "from here on it knows them"


KILLED_BEFORE_REMOVING = """
import os, signal, sys
from agentfs_lsp.__main__ import main
from agentfs_lsp.adapters.disk import DiskStore
DiskStore.remove_empty = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
sys.exit(main())
"""


async def test_folders_go_even_if_the_server_is_killed_once_their_files_are_gone(root: Path) -> None:
    operations = [writes(path, "x\n") for path in ("new/a.txt", "new/one/b.txt", "used/c.txt")]
    async with editing(root, options=AUTO, command=[sys.executable, "-c", KILLED_BEFORE_REMOVING]) as editor:
        await editor.request("agentfs/batch", {"operations": operations})
        undone = editor.start("agentfs/undo", {})
        await editor.ended()
        undone.cancel()
    assert sorted(path.name for path in root.rglob("*")) == ["new", "one", "used"]
    (root / "used" / "theirs.txt").touch()
    async with editing(root):
        pass
    assert sorted(path.name for path in root.rglob("*")) == ["theirs.txt", "used"]


async def test_after_an_undo_that_was_rejected_an_empty_folder_is_the_users(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        configure(editor, approval={"mode": "auto_edit"})
        await editor.write("new/a.txt", "a\n")
        configure(editor, approval={"mode": "manual"})
        undone = editor.start("agentfs/undo", {})
        proposal = await editor.proposed()
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "rejected"})
        await undone
        (root / "new" / "a.txt").unlink()
    assert list(root.iterdir()) == [root / "new"]


@pytest.mark.parametrize("method", ["agentfs/undo", "agentfs/userUndo"])
async def test_new_folders_go_even_if_the_root_closes_after_the_yes(root: Path, method: str) -> None:
    reviewed: Any = {**REVIEWING, "options": AUTO}
    async with editing(root, **reviewed) as editor:
        made = await editor.write("one/two/a.txt", "a\n")
        configure(editor, approval={"mode": "manual"})
        undone = editor.start(method, {"change_id": made["data"]["change_id"]})
        proposal = await editor.proposed()
        event = {"added": [], "removed": [{"uri": root.as_uri(), "name": "root"}]}
        with editor.in_one_piece():
            editor.start("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
            editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert (await undone)["status"] == "success"
    assert list(root.iterdir()) == []
