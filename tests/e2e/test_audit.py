"""Who decided about a change, and what became of it: agentfs/history and `agentfs-lsp audit`
(docs/protocol.md#11-history-and-undo)."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, REVIEWING, configure, editing
from support.wire import Message

SECRET = "AKIA" + "IOSFODNN7EXAMPLE"


def audit(root: Path, *arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    state = root.parent / f"{root.name}-state"
    return subprocess.run(
        [sys.executable, "-m", "agentfs_lsp", "audit", *arguments],
        cwd=root,
        env={**os.environ, "XDG_STATE_HOME": str(state)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **more,
    )


@pytest.fixture
async def changes(root: Path) -> dict[str, list[Message]]:
    """Two changes of an open file, as an agent and as the user see them. The first was amended and left
    unsaved until the user had typed on; the second lands on disk by itself."""
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    settings = {"save": "never"}
    async with editing(root, **REVIEWING, options=settings, name="Zed\x1b[31m") as editor:
        editor.open("a.txt")
        await editor.read("a.txt")
        edit = {"path": "a.txt", "old_string": "two", "new_string": "2", "explanation": "Because\x1b[31m."}
        asking = editor.start("agentfs/edit", edit)
        proposal = await editor.proposed()
        files = [{"uri": editor.uri("a.txt"), "decision": "amended", "text": f"one\nTWO {SECRET}\nthree\n"}]
        await editor.settle(proposal, "accepted", files=files, feedback="Louder\x1b[31m.")
        await asking
        editor.change("a.txt", f"one\nTWO {SECRET}\n3\n")
        editor.save("a.txt")
        found: dict[str, list[Message]] = {}
        for method in ("history", "userHistory"):
            found[method] = (await editor.request(f"agentfs/{method}", {}))["data"]["changes"]
        configure(editor, rules=[{"files": ["a.txt"], "read": "ask"}])
        asked = (await editor.request("agentfs/history", {}))["data"]["changes"]
        assert not any("amendment" in file for one in asked for file in one["files"])
        configure(editor, rules=[{"files": ["a.txt"], "read": "deny"}])
        assert not (await editor.request("agentfs/history", {}))["data"]["changes"]
    async with editing(root, options=AUTO) as editor:
        await editor.write("b.txt", "b\n")
    return found


async def test_an_amendment_is_told_with_its_time_and_only_the_user_learns_who_decided(
    changes: dict[str, list[Message]],
) -> None:
    ((agents,), (users,)) = changes["history"], changes["userHistory"]
    assert agents["modified_by_user"]
    assert f"-2\n+TWO {SECRET}\n" in agents["files"][0]["amendment"]
    assert agents["decided_at"] <= agents["time"]
    assert "decided_by" not in agents
    assert users["decided_by"] == {
        "rung": "review",
        "client": "Zed\x1b[31m",
        "rule": "",
        "feedback": "Louder\x1b[31m.",
    }
    assert users["files"] == agents["files"]


async def test_it_is_printed_by_the_beginning_of_its_id(
    root: Path, changes: dict[str, list[Message]]
) -> None:
    (change,) = changes["history"]
    shown = audit(root, change["change_id"][:7])
    assert shown.returncode == 0, shown.stderr
    lines = [line.strip() for line in shown.stdout.splitlines()]
    starts = [
        f"change {change['change_id']}",
        "edit · session default",
        "“Because",
        "accepted by you, with changes · left unsaved in the editor · review · Zed",
        "feedback: “Louder",
        "M a.txt  +1 -1",
        "proposed, against the file before:",
        "2   - two",
        "accepted, against what was proposed:",
        "2   - 2",
        "saved, against what was accepted, 20",
        "3   - three",
    ]
    at = 0
    for start in starts:
        at = next(number for number in range(at, len(lines)) if lines[number].startswith(start)) + 1
    assert "\x1b" not in shown.stdout
    newest = audit(root).stdout
    assert "saved as accepted" in newest
    assert "accepted automatically · by the approval mode" in newest
    for wrong, code in (("0000", 1), ("00", 2), ("%%%%", 1)):
        assert audit(root, wrong).returncode == code


async def test_it_is_exported_as_json_lines_and_nothing_is_replaced(
    root: Path, changes: dict[str, list[Message]]
) -> None:
    exported = root.parent / f"{root.name}.jsonl"
    assert audit(root, "--export", str(exported)).returncode == 0
    assert stat.S_IMODE(exported.stat().st_mode) == 0o600
    written, amended = map(json.loads, exported.read_text().splitlines())
    assert written["files"][0]["path"] == "b.txt"
    (user,) = changes["userHistory"]
    (file,) = amended.pop("files")
    assert {**amended, "files": user["files"]} == user
    assert "-two\n+2\n" in file["proposed"]
    assert f"-2\n+TWO {SECRET}\n" in file["amendment"]
    assert (file["save"], "-three\n+3\n" in file["on_save"]) == ("saved", True)
    before = exported.read_text()
    again = audit(root, "--export", str(exported))
    assert (again.returncode, exported.read_text()) == (1, before)
    assert "exists already" in again.stderr
    assert audit(root, "--jsonl").stdout == before
    assert audit(root, "--jsonl", "--since", "2099-01-01").stdout == ""
    assert audit(root, "--jsonl", "--since", "1h").stdout == before
    assert audit(root, "--since", "1h").returncode == 2


@pytest.mark.usefixtures("changes")
async def test_what_was_in_a_text_is_in_no_index_of_the_history(root: Path) -> None:
    (path,) = (root.parent / f"{root.name}-state" / "agentfs" / "history").glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        rows = [row for table in tables for row in database.execute(f"SELECT * FROM {table}")]
    assert rows
    assert not any(SECRET.encode() in value for row in rows for value in map(_bytes, row))


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
