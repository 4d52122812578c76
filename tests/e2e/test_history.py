"""agentfs/history: docs/protocol.md#11-history-and-undo."""

import contextlib
import sqlite3
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from support.client import Editor
from support.editor import AUTO, configure, editing
from support.operations import writes
from support.wire import Message


async def history(editor: Editor, **params: Any) -> list[Message]:
    answer = await editor.request("agentfs/history", params)
    assert answer["status"] == "success", answer
    return answer["data"]["changes"]


async def test_it_outlives_the_server_and_is_written_before_its_end(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        for number in range(20):
            await editor.write(f"{number}.txt", "x\n", agent=f"agent {number}")
    async with editing(root, options=AUTO) as editor:
        changes = await history(editor)
    assert [change["agent"] for change in changes] == [f"agent {number}" for number in range(19, -1, -1)]


async def test_other_folders_histories_are_their_own(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    state = tmp_path / "state"
    async with editing(root, options=AUTO, state=state) as editor:
        await editor.write("a.txt", "a\n")
    async with editing(other, options=AUTO, state=state) as editor:
        assert await history(editor) == []
        await editor.write("b.txt", "b\n")
    both = [("root", root), ("other", other)]
    async with editing(root, options=AUTO, state=state, folders=both) as editor:
        paths = [change["files"][0]["path"] for change in await history(editor)]
        assert paths == ["other/b.txt", "root/a.txt"]


async def test_the_users_eyes_only(root: Path) -> None:
    careless = ["sh", "-c", f"umask 0; exec {sys.executable} -m agentfs_lsp"]
    async with editing(root, options=AUTO, command=careless) as editor:
        await editor.write("a.txt", "a\n")
        await history(editor)
        folder = editor.state / "agentfs" / "history"
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(modes) >= 2
    assert set(modes.values()) == {0o600}


async def test_a_damaged_file_is_set_aside_told_of_and_begun_anew(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("a.txt", "a\n")
    (database,) = (editor.state / "agentfs" / "history").glob("*.sqlite3")
    database.write_bytes(b"no database at all\n" * 1000)
    async with editing(root, options=AUTO) as editor:
        answer = await editor.write("b.txt", "b\n")
        assert answer["status"] == "success"
        (change,) = await history(editor)
        assert change["change_id"] == answer["data"]["change_id"]
        told = await editor.seen("window/logMessage")
    assert f"{database.name}.damaged" in told["message"]
    assert database.with_name(f"{database.name}.damaged").read_bytes().startswith(b"no database")


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE texts SET data = x'00'",
        "DROP TABLE files",
        "ALTER TABLE files ADD COLUMN another TEXT",
        "ALTER TABLE accepted RENAME COLUMN text TO other",
        "UPDATE changes SET time_ms = 'never'",
        "UPDATE changes SET time_ms = 1 << 62",
        "UPDATE changes SET decision = 'maybe'",
        "UPDATE changes SET agent = x'ff'",
        "UPDATE changes SET agent = CAST(x'ff' AS TEXT)",
        "UPDATE files SET lines_added = 1.5",
        "UPDATE files SET encoding = 'hex'",
        "UPDATE files SET bom = 'text'",
    ],
)
async def test_damage_that_sqlite_does_not_see_is_damage(root: Path, damage: str) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("a.txt", "a\n")
    (database,) = (editor.state / "agentfs" / "history").glob("*.sqlite3")
    with contextlib.closing(sqlite3.connect(database)) as opened, opened:
        opened.execute(damage)
    async with editing(root, options=AUTO) as editor:
        answer = await editor.request("agentfs/history", {"texts": True})
        assert (answer["status"], answer["data"]["changes"]) == ("success", [])
        assert "has been moved to" in (await editor.seen("window/logMessage"))["message"]
        kept = await editor.write("b.txt", "b\n")
        (change,) = await history(editor, texts=True)
        assert change["change_id"] == kept["data"]["change_id"]


async def test_a_folder_may_be_spelt_as_one(root: Path) -> None:
    (root / "src").mkdir()
    async with editing(root, options=AUTO) as editor:
        await editor.write("src/a.txt", "a\n")
        await editor.write("b.txt", "b\n")
        found = {path: len(await history(editor, path=path)) for path in (".", "./", "src", "src/", "b.txt")}
    assert found == {".": 2, "./": 2, "src": 1, "src/": 1, "b.txt": 1}


async def test_a_full_disk_fails_no_landing_and_is_told_once(root: Path) -> None:
    # No file may exceed 32 KiB: the history can't be written, landings can.
    small = ["sh", "-c", f"ulimit -f 64; exec {sys.executable} -m agentfs_lsp"]
    async with editing(root, options=AUTO, command=small) as editor:
        for number in range(3):
            answer = await editor.write(f"{number}.txt", "x\n")
            assert answer["status"] == "success"
            await editor.request("agentfs/history", {})
        told = await editor.seen("window/logMessage")
        assert "Cannot write" in told["message"]
        assert len(editor.all("window/logMessage")) == 1
    assert (root / "2.txt").read_text() == "x\n"


async def test_two_servers_write_into_one(root: Path) -> None:
    state = root.parent / "state"
    async with (
        editing(root, options=AUTO, state=state) as one,
        editing(root, options=AUTO, state=state) as other,
    ):
        for number in range(10):
            await one.write(f"one-{number}.txt", "1\n")
            await other.write(f"other-{number}.txt", "2\n")
        await history(other)  # writes pending changes
        assert len(await history(one)) == len(await history(other)) == 20


async def test_switched_off_nothing_is_kept(root: Path) -> None:
    async with editing(root, options={**AUTO, "history": {"enabled": False}}) as editor:
        answer = await editor.write("a.txt", "a\n")
        assert "change_id" not in answer["data"]
        assert await history(editor) == []
        assert not (editor.state / "agentfs" / "history").exists()


async def test_a_path_selects_no_change_by_a_file_that_the_session_may_not_read(root: Path) -> None:
    operations = [writes(path, "x\n") for path in ("a.txt", "hidden/b.txt")]
    async with editing(root, options=AUTO) as editor:
        await editor.request("agentfs/batch", {"operations": operations})
        configure(editor, **AUTO, rules=[{"files": ["hidden/"], "read": "deny"}])
        for path, expected in (
            ("a.txt", [["a.txt"]]),
            (".", [["a.txt"]]),
            ("hidden/b.txt", []),
            ("hidden", []),
        ):
            changes = await history(editor, path=path)
            assert [[file["path"] for file in change["files"]] for change in changes] == expected
        told = await editor.request("agentfs/userHistory", {"path": "hidden"})
        assert len(told["data"]["changes"]) == 1


@pytest.mark.parametrize("to", ["private/sub", "../outside"])
async def test_a_file_counts_as_the_one_that_a_link_leads_to_now(root: Path, to: str) -> None:
    (root / "sub").mkdir()
    (root / "private").mkdir()
    rules = [{"files": ["private/**"], "read": "deny"}]
    async with editing(root, options={**AUTO, "rules": rules}) as editor:
        await editor.write("sub/s.txt", "KEY=1\n")
        (root / "sub").rename(root / to)
        (root / "sub").symlink_to(to)
        assert await history(editor, texts=True) == []
        undone = await editor.request("agentfs/undo")
        assert undone["error"]["code"] == "NOT_FOUND"
