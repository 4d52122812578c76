"""What editors send about themselves: settings, folders, the language, and the connection's start and end."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from support.editor import ASK, AUTO, REVIEWING, handshake
from support.personas import pressing
from support.scenarios.steps import TEXT, edit_a, scenario
from support.transcripts import Transcript
from support.wire import Message, frame, read_message


@scenario
async def settings(t: Transcript) -> None:
    registering = {"dynamicRegistration": True, "relativePatternSupport": True}
    capabilities = {
        "workspace": {
            "configuration": True,
            "didChangeConfiguration": registering,
            "didChangeWatchedFiles": registering,
        },
        "experimental": {"agentfs": {}},
    }
    section: Message = {"switches": {"memory": True}}
    answers = {"workspace/configuration": lambda _: [section]}
    async with t.editing(name="helix", capabilities=capabilities, answers=answers, options=AUTO) as editor:

        async def asked_again() -> None:
            """The editor reports a change of settings, and is asked for them."""
            told = len(editor.all("agentfs/statusChanged")) + 1
            editor.notify("workspace/didChangeConfiguration", {"settings": None})
            await editor.seen("agentfs/statusChanged", told)
            await editor.caught_up()

        await editor.answered("client/registerCapability")
        await editor.seen("agentfs/statusChanged")
        await editor.request("agentfs/status")
        await editor.write("a.py", "1\n")
        await editor.request("agentfs/setSwitch", {"name": "memory", "on": False})
        section |= {
            "approval": {"mode": "sometimes"},
            "nonsense": 1,
            "rules": [{"files": ["["], "edit": "deny"}],
        }
        await asked_again()
        await editor.request("agentfs/status")
        section.clear()
        await asked_again()
        for params in (
            {"mode": "auto_edit", "session": "chat-1"},
            {"mode": "manual", "session": "chat-2"},
            {"mode": "sometimes"},
            {"mode": "manual", "nonsense": 1},
        ):
            await editor.request("agentfs/setApprovalMode", params)
        await editor.read("a.py")
        await editor.request("agentfs/status", {"session": "chat-1"})
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit"})
        t.put({".agentfs.toml": 'files = ["b.py"]\nrequire_read = false\n'})
        changed = {"changes": [{"uri": editor.uri(".agentfs.toml"), "type": 1}]}
        await editor.tell("workspace/didChangeWatchedFiles", changed)
        await editor.write("c.py", "1\n")
        t.put({".agentfs.toml": "files = [\n"})
        await editor.tell("workspace/didChangeWatchedFiles", changed)
        await editor.read("a.py")
    t.put({".agentfs.toml": ""})
    async with t.editing(name="Neovim", options={**AUTO, "nonsense": 1}) as editor:
        await editor.seen("window/showMessage")


@scenario
async def roots(t: Transcript) -> None:
    t.put({"one/a.py": "one\n", "two/b.py": "two\n"})
    folders = [("tides", t.root / "one"), ("moons", t.root / "two")]
    async with t.editing(folders=folders, options=AUTO) as editor:
        await editor.request("agentfs/status")
        await editor.read("tides/a.py")
        await editor.read("a.py")
        await editor.edit("tides/a.py", "one", "1")
        named = [{"name": name, "uri": path.as_uri()} for name, path in folders]
        event = {"removed": named[1:], "added": [{**named[1], "name": "tides"}]}
        await editor.tell("workspace/didChangeWorkspaceFolders", {"event": event})
        await editor.read("tides/a.py")
        event = {"removed": [named[0], *event["added"]], "added": []}
        await editor.tell("workspace/didChangeWorkspaceFolders", {"event": event})
        await editor.read("a.py")
        await editor.write("a.py", "1\n")


@scenario
async def chinese(t: Transcript) -> None:
    t.put({"a.py": TEXT, ".env": "A=1\n", "often.txt": "one\none\n"})
    async with t.editing(locale="zh-CN") as editor:
        await editor.read("nothing.py")
        await editor.request(*edit_a("one", "1"))
        await editor.read("a.py", limit=2)
        await editor.read("often.txt")
        await editor.edit("often.txt", "one", "1")
        for press in (None, "\u6279\u51c6"):
            editor.answers[ASK] = pressing(press)
            await editor.request(*edit_a("one", "1", agent="Ada", explanation="Figures."))
        await editor.read(".env")
        t.put({"a.py": "another's\n"})
        await editor.request(*edit_a("two", "2"))
        await editor.request("agentfs/read", {"pathh": "a.py"})
        await editor.request("agentfs/settle", {"id": "none", "decision": "accepted"})
        await editor.request("agentfs/tools", {"dialect": "workspace"})
        for name, arguments in (
            ("read", {"path": "nothing.md"}),
            ("edit", {"path": "often.txt", "oldText": "one", "newText": "1"}),
        ):
            params = {"dialect": "workspace", "name": name, "arguments": arguments}
            await editor.request("agentfs/call", params)
        await editor.request("agentfs/status")


@scenario
async def connection(t: Transcript) -> None:
    """The start and end of a connection, and malformed messages."""
    async with t.connected() as editor:
        await editor.refused("agentfs/status", {})
        for body in (
            b"{",
            b"\xff",
            b'{"a":' * 129 + b"1" + b"}" * 129,
            b"[]",
            b'{"id": 1, "method": "agentfs/status"}',
            b'{"jsonrpc": "2.0", "id": {}, "method": "agentfs/status"}',
            b'{"jsonrpc": "2.0", "id": 1, "method": 1}',
        ):
            editor.send_raw(body)
            await editor.caught_up()
        editor.send_raw(b"nonsense\r\n\r\n", framed=False)
        await editor.caught_up()
        hello = handshake(t.root, name="Neovim", options=AUTO)
        await editor.request("initialize", hello)
        editor.notify("initialized", {})
        await editor.refused("initialize", hello)
        await editor.refused("agentfs/remove", {"path": "a.py"})
        await editor.tell("agentfs/removed", {"path": "a.py"})
        await editor.tell("$/cancelRequest", {"id": 99})
        editor.send({"jsonrpc": "2.0", "id": "agentfs-99", "result": None})
        await editor.caught_up()
        await editor.request("shutdown")
        await editor.refused("agentfs/status", {})
        editor.notify("exit", None)
        t.note("exit code", await editor.ended())


@scenario
async def outside(t: Transcript) -> None:
    """An agent in a program of its own connects, reads, proposes, and is disconnected by the user."""
    t.put({"a.py": TEXT})
    with tempfile.TemporaryDirectory(prefix="agents-") as above:
        place = Path(above, "agentfs")
        async with t.editing(env={"AGENTFS_TEST_SOCKETS": str(place)}, **REVIEWING) as editor:
            while not (entries := [*place.glob("*.json")]):
                await editor.caught_up()
            entry = json.loads(entries[0].read_text())
            reader, writer = await asyncio.open_unix_connection(entry["socket"])

            def ask(ident: int, method: str, params: Message) -> None:
                writer.write(frame({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}))

            client = {"name": "Codex", "version": "0.169.0"}
            attach = {"protocolVersion": 1, "token": entry["token"], "client": client}
            ask(1, "agentfs/attach", attach)
            await editor.seen("agentfs/statusChanged")
            ask(2, "agentfs/read", {"path": "a.py", "session": "chat"})
            for _ in range(2):
                await read_message(reader)
            ask(3, "agentfs/write", {"path": "b.py", "content": "1\n", "session": "chat"})
            await editor.seen("agentfs/proposed")
            await editor.caught_up()
            (agent,) = (await editor.request("agentfs/agents"))["agents"]
            await editor.request("agentfs/disconnect", {"id": agent["id"]})
            await editor.request("agentfs/disconnect", {"id": agent["id"]})
            writer.close()


@scenario
async def telemetry(t: Transcript) -> None:
    """A user who has switched it on."""
    t.put({"a.py": TEXT})
    async with t.editing(options={**AUTO, "telemetry": {"enabled": True}}) as editor:
        await editor.read("a.py")
        await editor.seen("telemetry/event")
        await editor.edit("a.py", "one", "1")
        await editor.seen("telemetry/event", 2)
        await editor.edit("a.py", "none", "1")
        await editor.seen("telemetry/event", 3)
