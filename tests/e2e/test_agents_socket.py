"""The agents' socket: what agents get through it, and which server they use
(docs/protocol.md#16-the-agents-socket)."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from agentfs_lsp.client import AgentFS, AsyncAgentFS, NoEditor, ServerGone
from agentfs_lsp.sockets import discovery
from support.agents_socket import Raw, found, listed, starting
from support.editor import AUTO, REVIEWING, Editor, change_folder, configure
from support.outside import serving
from support.sample import TEXT
from support.wire import Message

EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}
EDITED = TEXT.replace("two", "2")


# --- through the door -----------------------------------------------------------------------------------


async def test_the_user_reviews_in_the_editor(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, **REVIEWING) as (editor, _),
        AsyncAgentFS.attach(root, name="Codex") as fs,
    ):
        assert (fs.is_editors, fs.roots) == (True, (root,))
        await fs.read("a.py")
        edit = asyncio.ensure_future(fs.edit("a.py", "two", "2"))
        proposed = await editor.seen("agentfs/proposed")
        assert proposed["agent"] == "outside: Codex"
        assert file.read_text() == TEXT
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        answer = await edit
        assert (answer.applied, answer.decision) == (True, "accepted")
    assert file.read_text() == EDITED


async def test_an_agent_sees_what_the_editor_shows(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _):
        editor.open("a.py")
        editor.change("a.py", "unsaved\n")
        await editor.request("agentfs/status")
        async with AsyncAgentFS.attach(root, name="Ada") as fs:
            answer = await fs.read("a.py")
    assert (answer.content, answer.data["dirty"]) == ("unsaved\n", True)


async def test_connect_takes_the_editor_or_starts_a_server(
    root: Path, file: Path, sockets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with found(root, sockets), AsyncAgentFS.connect(root, name="Ada") as fs:
        assert fs.is_editors
    async with AsyncAgentFS.connect(root, name="Ada") as fs:
        assert not fs.is_editors
        assert (await fs.read("a.py")).content == TEXT
    with pytest.raises(NoEditor, match="No editor with agentfs has"):
        AgentFS.attach(root, name="Ada")


async def test_two_agents_cannot_overwrite_each_other(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, options=AUTO),
        AsyncAgentFS.attach(root, name="Ada") as ada,
        AsyncAgentFS.attach(root, name="Bob") as bob,
    ):
        for one in (ada, bob):
            await one.read("a.py")
        assert (await ada.edit("a.py", "two", "2")).applied
        assert (await bob.write("a.py", "mine\n")).code == "CONFLICT"
    assert file.read_text() == EDITED


async def test_sessions_are_each_agents_own(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, options=AUTO) as (editor, _),
        AsyncAgentFS.attach(root, name="Ada") as ada,
        AsyncAgentFS.attach(root, name="Bob") as bob,
    ):
        await editor.read("a.py", session="chat")
        await ada.read("a.py", session="chat")
        for session in ("chat", "default"):
            refused = await bob.edit("a.py", "two", "2", session=session)
            assert refused.text.startswith("Read the file first.")
            assert refused.context["params_input"]["session"] == session
        assert [one["session"] for one in (await ada.status()).data["sessions"]] == ["chat"]
        assert (await bob.status()).data["sessions"] == []
        called = await bob.call("Read", {"path": "a.py"})
        assert "outside" not in str(called.context["params_input"])


async def test_a_session_has_as_long_a_name_as_in_the_editor(root: Path, file: Path, sockets: Path) -> None:
    longest = "s" * 200
    async with found(root, sockets, options=AUTO), AsyncAgentFS.attach(root, name="Ada" * 20) as ada:
        assert (await ada.read("a.py", session=longest)).ok
        assert (await ada.call("Edit", EDIT, session=longest)).applied
        (change,) = (await ada.history(session=longest)).data["changes"]
        assert change["session"] == longest
        assert [one["session"] for one in (await ada.status()).data["sessions"]] == [longest]
        refused = await ada.read("a.py", session=longest + "s")
        assert refused.text == "Parameter 'session' must have at most 200 characters."
    assert file.read_text() == EDITED


@pytest.mark.parametrize("agent", ["", " \u3000\n"])
async def test_without_a_name_of_its_own_the_agent_is_the_program(
    root: Path, sockets: Path, agent: str
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        raw = await Raw.connect(entry)
        await raw.attach(entry)
        raw.send(
            {"id": 2, "method": "agentfs/write", "params": {"path": "b.py", "content": "1\n", "agent": agent}}
        )
        assert (await editor.seen("agentfs/proposed"))["agent"] == "outside: Ada"
        raw.writer.close()


@pytest.mark.parametrize("nothing", [None, [], {}])
async def test_without_params_an_agent_is_still_itself(root: Path, sockets: Path, nothing: object) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        editor.start("agentfs/write", {"path": "b.py", "content": "1\n"})
        await editor.seen("agentfs/proposed")
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        status = (await agent.ask("agentfs/status", nothing, 2))["result"]
        assert status["data"]["pending"] == []
        agent.writer.close()


@pytest.mark.parametrize("wrong", [3, "default", [{}], {"session": 3}, {"session": ""}])
async def test_params_of_another_shape_are_refused(root: Path, sockets: Path, wrong: object) -> None:
    async with found(root, sockets) as (_, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        for ident, method in enumerate(("agentfs/status", "agentfs/history", "agentfs/undo"), 2):
            answer = await agent.ask(method, wrong, ident)
            assert answer["result"]["error"]["code"] == "INVALID_PARAM"
        agent.writer.close()


async def test_nothing_counts_after_a_wrong_handshake(root: Path, sockets: Path) -> None:
    async with found(root, sockets, options=AUTO) as (editor, entry):
        agent = await Raw.connect(entry)
        told = {"protocolVersion": 1, "token": entry.token, "client": {"name": "Ada"}}
        agent.send({"id": 1, "method": "agentfs/attach", "params": {**told, "token": ""}})
        agent.send({"id": 2, "method": "agentfs/attach", "params": told})
        agent.send({"id": 3, "method": "agentfs/write", "params": {"path": "b.py", "content": "1\n"}})
        assert await agent.is_cut()
        await editor.request("agentfs/status")
    assert not (root / "b.py").exists()


async def test_an_agent_sees_only_its_own_proposals(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, **REVIEWING) as (editor, _),
        AsyncAgentFS.attach(root, name="Ada") as ada,
        AsyncAgentFS.attach(root, name="Bob") as bob,
    ):
        write = asyncio.ensure_future(ada.write("b.py", "1\n", session="chat"))
        await editor.seen("agentfs/proposed")
        (own,) = (await ada.status()).data["pending"]
        assert (own["session"], own["paths"]) == ("chat", ["b.py"])
        assert (await bob.status()).data["pending"] == []
        assert len((await editor.request("agentfs/status"))["data"]["pending"]) == 1
        write.cancel()


async def test_history_lists_all_changes_unless_a_session_is_named(root: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, options=AUTO) as (editor, _),
        AsyncAgentFS.attach(root, name="Ada") as fs,
    ):
        await editor.write("b.py", "1\n", session="chat", agent="Bob")
        await fs.write("c.py", "1\n", session="chat")
        changes = (await fs.history()).data["changes"]
        assert [change["agent"] for change in changes] == ["outside: Ada", "Bob"]
        (own,) = (await fs.history(session="chat")).data["changes"]
        assert (own["agent"], own["session"]) == ("outside: Ada", "chat")
        async with AsyncAgentFS.attach(root, name="Eve") as other:
            (adas, _) = (await other.history()).data["changes"]
        assert adas["session"].startswith("Ada ")
        assert adas["session"].endswith("/chat")
        assert (await fs.undo(session="chat")).applied
    assert [path.name for path in root.iterdir()] == ["b.py"]


async def test_an_approved_session_ends_with_its_connection(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _):
        async with AsyncAgentFS.attach(root, name="Ada") as fs:
            write = asyncio.ensure_future(fs.write("b.py", "1\n"))
            ident = (await editor.seen("agentfs/proposed"))["id"]
            settle = {"id": ident, "decision": "accepted", "always": True}
            await editor.request("agentfs/settle", settle)
            await write
            assert (await fs.write("c.py", "1\n")).decision == "allowed"
        async with AsyncAgentFS.attach(root, name="Ada") as fs:
            write = asyncio.ensure_future(fs.write("d.py", "1\n"))
            await editor.seen("agentfs/proposed", 2)
            write.cancel()


async def test_who_hangs_up_withdraws(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _):
        fs = AsyncAgentFS.attach(root, name="Ada")
        await fs.start()
        write = asyncio.ensure_future(fs.write("b.py", "1\n"))
        await editor.seen("agentfs/proposed")
        await fs.close()
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        with pytest.raises(ServerGone):
            await write
    assert not (root / "b.py").exists()


async def test_a_cancelled_request_is_withdrawn_and_a_waiting_one_reports_progress(
    root: Path, sockets: Path
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        params = {"path": "b.py", "content": "1\n", "workDoneToken": "t"}
        agent.send({"id": 2, "method": "agentfs/write", "params": params})
        await editor.seen("agentfs/proposed")
        progress = await agent.next()
        assert (progress["method"], progress["params"]["token"]) == ("$/progress", "t")
        agent.send({"method": "$/cancelRequest", "params": {"id": 2}})
        while (answer := await agent.next()).get("id") != 2:
            pass
        assert answer["error"]["code"] == -32800
        agent.writer.close()


async def test_agents_are_told_of_other_tools(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _), AsyncAgentFS.attach(root, name="Ada") as fs:
        changed = asyncio.Event()
        fs.on_tools_changed = changed.set
        configure(editor, rules=[{"files": ["**"], "write": "deny"}])
        await changed.wait()
        assert "Write" not in str(await fs.tools())


async def test_a_killed_server_raises_and_its_entry_is_removed(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        async with AsyncAgentFS.attach(root, name="Ada") as fs:
            write = asyncio.ensure_future(fs.write("b.py", "1\n"))
            await editor.seen("agentfs/proposed")
            os.kill(entry.pid, signal.SIGKILL)
            with pytest.raises(ServerGone):
                await write
        await editor.process.wait()
        assert discovery.find(root) is None
        assert list(sockets.iterdir()) == []


async def test_a_server_that_ends_answers_first_and_leaves_nothing(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        agent.send({"id": 2, "method": "agentfs/write", "params": {"path": "b.py", "content": "1\n"}})
        await editor.seen("agentfs/proposed")
        ended = editor.start("shutdown")
        editor.notify("exit", None)
        answer = await agent.next()
        assert (answer["id"], answer["error"]["code"]) == (2, -32800)
        assert await agent.is_cut()
        with suppress(EOFError):
            await ended
        await editor.ended()
    assert list(sockets.iterdir()) == []
    assert not (root / "b.py").exists()


# --- the user's view of them -----------------------------------------------------------------------------


async def connected(editor: Editor) -> list[Message]:
    """The connected agents, without what is random or measured."""
    listed = (await editor.request("agentfs/agents", {}))["agents"]
    assert all(agent["since_ms"] >= 0 for agent in listed)
    return [{key: agent[key] for key in ("name", "version", "sessions", "pending")} for agent in listed]


async def test_the_editor_lists_who_is_connected(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        assert await connected(editor) == []
        agent = await Raw.connect(entry)
        claimed = {"name": "Ada\n[x](command:y)\u202e", "version": "1\n2"}
        await agent.attach(entry, client=claimed)
        assert (await editor.seen("agentfs/statusChanged"))["agents"] == 1
        await agent.ask("agentfs/read", {"path": "a.py", "session": "chat"}, 2)
        agent.send({"id": 3, "method": "agentfs/write", "params": {"path": "b.py", "content": "1\n"}})
        proposed = await editor.seen("agentfs/proposed")
        (session,) = [one["session"] for one in (await editor.request("agentfs/status"))["data"]["sessions"]]
        assert await connected(editor) == [
            {
                "name": "Ada [x]\\x28command:y)\\u202e",
                "version": "1\\x0a2",
                "sessions": [session],
                "pending": [proposed["id"]],
            }
        ]
        assert session.endswith("/chat")
        agent.writer.close()
        await editor.seen("agentfs/settled")
        async with asyncio.timeout(60):
            while await connected(editor):
                pass


async def test_the_editor_is_told_of_others_that_have_its_folder_open(root: Path, sockets: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()

    async def others(editor: Editor) -> list[str]:
        return list((await editor.request("agentfs/agents"))["editors"])

    async with serving(root, sockets, name="Code\n[x](command:y)") as first:
        assert await others(first) == []
        async with serving(root, sockets, name="Emacs") as second, serving(elsewhere, sockets) as third:
            assert await others(first) == ["Emacs"]
            assert await others(second) == ["Code\\x0a[x]\\x28command:y)"]
            assert await others(third) == []
        assert await others(first) == []


async def test_the_editor_disconnects_an_agent(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, **REVIEWING) as (editor, _),
        AsyncAgentFS.attach(root, name="Ada") as ada,
    ):
        bob, told = await proposing(root, sockets)
        await editor.seen("agentfs/proposed")
        write = asyncio.ensure_future(ada.write("c.py", "1\n"))
        adas = await editor.seen("agentfs/proposed", 2)
        agents = (await editor.request("agentfs/agents"))["agents"]
        ident, _ = (agent["id"] for agent in agents if agent["name"].startswith("Bob"))
        assert await editor.request("agentfs/disconnect", {"id": ident}) == {"ok": True}
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        why = b"ACCESS_DENIED withdrawn The user disconnected this agent, so the change was withdrawn."
        assert (await told.readline()).startswith(why)
        assert b"The user has disconnected this program." in await told.readline()
        assert b"The server ended." in await told.readline()
        await bob.wait()
        again = await editor.request("agentfs/disconnect", {"id": ident})
        assert (again["ok"], again["code"]) == (False, "UNKNOWN")
        assert [agent["name"] for agent in await connected(editor)] == ["Ada"]

        restarted, _ = await proposing(root, sockets)
        await editor.seen("agentfs/proposed", 3)
        restarted.kill()
        await restarted.wait()
        await editor.seen("agentfs/settled", 2)
        await editor.request("agentfs/settle", {"id": adas["id"], "decision": "rejected"})
        assert (await write).decision == "rejected"
    assert [path.name for path in root.iterdir()] == ["a.py"]


PROPOSING = """
import socket, sys
from pathlib import Path
from agentfs_lsp.client import AgentFS, NoEditor, ServerGone
from agentfs_lsp.sockets import discovery
discovery.folder = lambda: Path(sys.argv[2])
second = AgentFS.attach(sys.argv[1], name="Bob's second")
unattached = socket.socket(socket.AF_UNIX)
unattached.connect(discovery.find(sys.argv[1]).socket)
with AgentFS.attach(sys.argv[1], name="Bob") as fs:
    answer = fs.write("b.py", "1")
    print(answer.code, answer.decision, answer.text, flush=True)
try:
    AgentFS.attach(sys.argv[1], name="Eve")
except NoEditor as error:
    print(error, flush=True)
try:
    second.status()
except ServerGone as error:
    print(error, flush=True)
"""


async def proposing(root: Path, sockets: Path) -> tuple[asyncio.subprocess.Process, asyncio.StreamReader]:
    """A program that proposes a change, and then attaches again; what it is told."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROPOSING, str(root), str(sockets), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    return process, process.stdout


# --- which server ---------------------------------------------------------------------------------------


async def test_the_longest_root_that_contains_the_folder_is_used(root: Path, sockets: Path) -> None:
    inner = root / "inner"
    (inner / "deep").mkdir(parents=True)
    async with found(root, sockets) as (_, outer), found(inner, sockets) as (_, nested):
        assert outer.pid != nested.pid
        assert (discovery.find(root), discovery.find(inner / "deep")) == (outer, nested)
        assert discovery.find(root.parent) is None
        assert discovery.find(f"{inner}-other") == outer


async def test_the_entry_follows_the_folders_and_the_setting(
    root: Path, sockets: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    async with found(root, sockets) as (editor, _):
        change_folder(editor, other, opened=True)
        await listed(editor, other)
        configure(editor, agents={"socket": False})
        await listed(editor, root, there=False)
        while list(sockets.iterdir()):  # the entry goes first
            await editor.request("agentfs/status")
        configure(editor)
        await listed(editor, root)


async def test_an_agent_that_reads_nothing_does_not_hold_up_the_setting(root: Path, sockets: Path) -> None:
    (root / "large.txt").write_text(("x" * 999 + "\n") * 4_000)
    async with found(root, sockets, options=AUTO) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        agent.send({"id": 2, "method": "agentfs/read", "params": {"path": "large.txt", "limit": 0}})
        await agent.reader.readexactly(1)  # the response has begun
        agent.writer.transport.pause_reading()  # type: ignore[attr-defined]
        configure(editor, agents={"socket": False})
        await listed(editor, root, there=False)
        configure(editor)
        await listed(editor, root)
        agent.writer.close()


@pytest.mark.skipif(not Path("/bin/ps").exists(), reason="needs ps, which tells it on macOS")
def test_where_ps_tells_the_start_of_a_process_the_time_zone_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: False)  # no /proc
    told = []
    for zone in ("Asia/Shanghai", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        told.append(discovery.started_at(os.getpid()))
    assert told[0] is not None
    assert told[0] == told[1]


async def test_without_the_setting_there_is_no_socket(root: Path, sockets: Path) -> None:
    off = {"agents": {"socket": False}}
    async with starting(root, sockets, options=off) as editor:
        await editor.write("b.py", "1\n", dry_run=True)  # waits until the settings are known
        assert not sockets.exists()


async def test_a_workspace_cannot_open_the_socket(root: Path, sockets: Path) -> None:
    (root / ".agentfs.toml").write_text("[agents]\nsocket = true\n")
    async with starting(root, sockets, options={"agents": {"socket": False}}) as editor:
        await editor.write("b.py", "1\n", dry_run=True)
        assert not sockets.exists()
