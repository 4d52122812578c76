"""The operation log: docs/operations.md."""

import asyncio
import stat
from pathlib import Path

import pytest

from support.client import RpcError
from support.editor import AUTO, REVIEWING, configure, connected, editing
from support.mcp_agent import EDIT, agent
from support.operation_log import log_file, logged, short
from support.outside import serving
from support.sample import TEXT


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_each_operation_is_one_line_with_how_it_ended(root: Path, file: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.py", session="S")
        await editor.read("none.py")
        await editor.edit("a.py", "two", "2", session="S", agent="Ada", explanation="SECRET")
        await editor.edit("a.py", "SECRET", "2", session="S")
        await editor.write("src/b.PY", "SECRET\n", dry_run=True)
        await editor.write("src/b.PY", "SECRET\n")
        await editor.write("src/b.PY", "SECRET\nSECRET\n")
        operations = [
            {"tool": "write", "params": {"path": name, "content": "SECRET\n"}} for name in ("c.md", "d.md")
        ]
        await editor.request("agentfs/batch", {"operations": operations})
        await editor.undo(session="S")
        await editor.request("agentfs/write", {"path": 7, "session": ["SECRET"]})
        named = {"dialect": "gemini", "name": "read_file", "arguments": {"file_path": str(file)}}
        await editor.request("agentfs/call", named)
        await editor.request("agentfs/call", {"name": "Format", "arguments": {"path": "a.py"}})
        await editor.request("agentfs/status")
        await editor.request("agentfs/userHistory", {})
    records = logged(editor.state)
    assert [short(record) for record in records] == [
        ("read", "read", "a.py", "success"),
        ("read", "read", "none.py", "error", "NOT_FOUND"),
        ("edit", "edit", "a.py", "success"),
        ("edit", "edit", "a.py", "error", "INVALID_PARAM"),
        ("write", "create", "src/b.PY", "partial"),
        ("write", "create", "src/b.PY", "success"),
        ("write", "update", "src/b.PY", "success"),
        ("batch", "batch", "success"),
        ("undo", "undo", "a.py", "success"),
        ("write", "write", "error", "INVALID_PARAM"),
        ("read_file", "read", "a.py", "success"),
        ("Format", "call", "a.py", "error", "ACCESS_DENIED"),
    ]
    assert len({record["id"] for record in records}) == len(records)
    edit, dry, batch = records[2], records[4], records[7]
    assert (
        edit.items()
        >= {
            "session": "S",
            "agent": "Ada",
            "root": str(root),
            "asked": "policy",
            "decision": "allowed",
            "match": "exact",
            "lines_added": 1,
            "lines_removed": 1,
            "size_bytes": len(TEXT) - 2,
            "extension": ".py",
            "mime": "text/x-python",
        }.items()
    )
    assert list(edit["phases"]) == ["resolve", "read", "match", "land"]
    assert sum(edit["phases"].values()) <= edit["duration_ms"]
    assert (dry["dry_run"], dry["extension"]) == (True, ".py")
    assert (batch["files"], batch["paths"]) == (2, ["c.md", "d.md"])
    assert records[10]["dialect"] == "gemini"
    assert "SECRET" not in log_file(editor.state).read_text()


async def test_decisions_and_cancelled_requests_are_in_it(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        for number, decision in enumerate(("accepted", "rejected"), 1):
            changing = asyncio.ensure_future(editor.write("a.py", f"{number}\n"))
            await editor.settle(await editor.proposed(number), decision, feedback="SECRET")
            await changing
        waiting = editor.start("agentfs/edit", {"path": "a.py", "old_string": "1", "new_string": "SECRET"})
        await editor.proposed(3)
        editor.cancel(waiting)
        with pytest.raises(RpcError):
            await waiting
    _, accepted, rejected, cancelled = logged(editor.state)
    assert short(accepted) == ("write", "update", "a.py", "success")
    assert short(rejected) == ("write", "update", "a.py", "rejected", "USER_REJECTED")
    assert short(cancelled) == ("edit", "edit", "a.py", "cancelled")
    assert [(one["asked"], one.get("decision")) for one in (accepted, rejected, cancelled)] == [
        ("review", "accepted"),
        ("review", "rejected"),
        ("review", None),
    ]
    assert "review" in accepted["phases"]
    assert (rejected["lines_added"], rejected["lines_removed"]) == (1, 1)
    assert "SECRET" not in log_file(editor.state).read_text()


async def test_of_a_file_that_may_not_be_read_it_tells_no_more_than_the_agent_knows(root: Path) -> None:
    (root / "box.txt").write_text("SECRET\n" * 7)
    rules = {
        "rules": [{"files": ["box.txt"], "read": "deny", "write": "ask"}],
        "telemetry": {"enabled": True},
    }
    async with editing(root, **REVIEWING, options=rules) as editor:
        for number, decision in enumerate(("rejected", "accepted"), 1):
            changing = asyncio.ensure_future(editor.write("box.txt", "new\n"))
            await editor.settle(await editor.proposed(number), decision)
            await changing
        await editor.seen("telemetry/event", 2)
        told = [one["params"] for one in editor.all("telemetry/event")]
    records = logged(editor.state)
    assert [record["outcome"] for record in records] == ["rejected", "success"]
    for one in (*records, *told):
        assert one["asked"] == "review"
        assert not one.keys() & {"lines_added", "lines_removed", "size_bytes"}


async def test_operations_of_agents_outside_are_in_it(root: Path, file: Path, sockets: Path) -> None:
    async with serving(root, sockets, options=AUTO) as editor:
        async with agent("auto", root, sockets, name="Codex") as client:
            await client.call_tool("read", {"path": "a.py"})
            await client.call_tool("edit", EDIT)
            await client.call_tool("status", {})
        await editor.read("a.py")
    read, edit, _ = logged(editor.state)
    assert [(one["agent"], one["tool"], one["dialect"]) for one in (read, edit)] == [
        ("outside: Codex", "read", "mcp"),
        ("outside: Codex", "edit", "mcp"),
    ]
    assert read["session"] == edit["session"] != "default"


async def test_only_the_user_can_read_it_and_servers_share_it(root: Path, file: Path, tmp_path: Path) -> None:
    state = tmp_path / "shared"
    async with editing(root, state=state) as one, editing(root, state=state) as other:
        for number in range(20):
            await one.read("a.py", session=f"one {number}")
            await other.read("a.py", session=f"other {number}")
    log = log_file(state)
    assert [mode(log), mode(log.parent)] == [0o600, 0o700]
    assert {record["session"] for record in logged(state)} == {
        f"{name} {number}" for name in ("one", "other") for number in range(20)
    }


async def test_a_full_file_becomes_an_older_one(root: Path, file: Path) -> None:
    async with connected(root) as editor:
        log = log_file(editor.state)
        log.parent.mkdir(parents=True)
        log.write_text("{}\n" * (1 << 20))
        log.with_name("operations.jsonl.1").write_text("older\n")
    async with editing(root, options={"log": {"max_mib": 3}}) as editor:
        await editor.read("a.py")
    assert [short(record) for record in logged(editor.state)] == [("read", "read", "a.py", "success")]
    assert log.with_name("operations.jsonl.1").stat().st_size == 3 << 20
    assert log.with_name("operations.jsonl.2").read_text() == "older\n"


async def test_a_user_who_wants_no_log_gets_none(root: Path, file: Path) -> None:
    asked = asyncio.Event()
    told = {"log": {"operations": False}}

    async def settings(_: object) -> list[object]:
        await asked.wait()
        return [told]

    capabilities = {"workspace": {"configuration": True}}
    answers = {"workspace/configuration": settings}
    async with editing(root, capabilities=capabilities, answers=answers) as editor:
        await editor.read("a.py")  # before the settings are known
        asked.set()
        await editor.read("a.py")
        (root / ".agentfs.toml").write_text("[log]\noperations = true\n")
        assert (await editor.read("a.py"))["status"] == "success"
        await editor.seen("window/showMessage")
    assert not log_file(editor.state).parent.exists()


async def test_a_log_that_cannot_be_written_hinders_nothing(root: Path, file: Path) -> None:
    elsewhere, errors = root.parent / "elsewhere", root.parent / "stderr"
    elsewhere.symlink_to(file)
    arguments = ["--operations-log", str(elsewhere)]
    async with editing(root, options=AUTO, arguments=arguments, stderr=errors) as editor:
        await editor.read("a.py")
        assert (await editor.edit("a.py", "two", "2"))["status"] == "success"
        configure(editor, approval={"mode": "auto_edit"})
    assert file.read_text() == TEXT.replace("two", "2")
    assert errors.read_text().count("operations are not logged") == 1


async def test_it_can_be_written_elsewhere(root: Path, file: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    async with editing(root, arguments=["--operations-log", str(elsewhere)]) as editor:
        await editor.read("a.py")
    assert elsewhere.read_text().count("\n") == 1
    assert not log_file(editor.state).exists()


async def test_the_log_on_standard_error_tells_it_in_words(root: Path, file: Path) -> None:
    file.write_text("SECRET\n")
    errors = root.parent / "stderr"
    async with editing(root, arguments=["--log-level", "info"], stderr=errors) as editor:
        await editor.read("a.py", agent="Ada\x1b[31m")
        await editor.read("a\n[b](command:c)\x1b.py")
    one, other = [line for line in errors.read_text().splitlines() if " read " in line]
    assert "read 'a.py' by Ada\\x1b[31m: success, " in one
    assert "read 'a\\x0a[b]\\x28command:c)\\x1b.py': error " in other
    assert "SECRET" not in one
