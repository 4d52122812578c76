"""The agents' socket: who gets through it, and what (docs/protocol.md#16-the-agents-socket)."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.client import AgentFS, AsyncAgentFS, NoEditor, ServerGone, discovery
from agentfs_lsp.client.discovery import Entry
from agentfs_lsp.door.listener import MAX_CONNECTIONS
from support.editor import AUTO, REVIEWING, Editor, change_folder, configure, editing
from support.sample import TEXT
from support.wire import Message, frame, read_message

EDITED = TEXT.replace("two", "2")

linux = pytest.mark.skipif(sys.platform != "linux", reason="tells how much a process takes in /proc")


def serving(root: Path, sockets: Path, **options: Any) -> AbstractAsyncContextManager[Editor]:
    """An editor whose server has a socket there."""
    return editing(root, env={"AGENTFS_TEST_SOCKETS": str(sockets)}, **options)


@asynccontextmanager
async def found(root: Path, sockets: Path, **options: Any) -> AsyncIterator[tuple[Editor, Entry]]:
    async with serving(root, sockets, **options) as editor:
        yield editor, await listed(editor, root)


async def listed(editor: Editor, root: Path, *, there: bool = True) -> Entry:
    """Wait until agents find the server for `root`, or no longer."""
    async with asyncio.timeout(60):
        while True:
            entry = discovery.find(root)
            if (entry is not None and str(root) in entry.roots) == there:
                return entry  # type: ignore[return-value]
            await editor.request("agentfs/status")


class Raw:
    """An agent that sends bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def connect(cls, entry: Entry) -> "Raw":
        return cls(*await asyncio.open_unix_connection(entry.socket, limit=1 << 30))

    async def ask(self, method: str, params: Any, ident: int = 1) -> Message:
        self.send({"id": ident, "method": method, "params": params})
        while (message := await self.next()).get("id") != ident:
            pass
        return message

    def send(self, message: Message) -> None:
        self.writer.write(frame({"jsonrpc": "2.0", **message}))

    async def next(self) -> Message:
        async with asyncio.timeout(60):
            message = await read_message(self.reader)
        assert message is not None
        return message

    async def attach(self, entry: Entry, name: str = "Ada", **params: Any) -> Message:
        told = {"protocolVersion": 1, "token": entry.token, "client": {"name": name}, **params}
        return await self.ask("agentfs/attach", told)

    async def is_cut(self) -> bool:
        async with asyncio.timeout(60):
            with suppress(ConnectionError):
                while await self.reader.read(1 << 20):
                    pass
        self.writer.close()
        return True


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
import sys
from pathlib import Path
from agentfs_lsp.client import AgentFS, NoEditor, ServerGone, discovery
discovery.folder = lambda: Path(sys.argv[2])
second = AgentFS.attach(sys.argv[1], name="Bob's second")
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
    async with serving(root, sockets, options=off) as editor:
        await editor.write("b.py", "1\n", dry_run=True)  # waits until the settings are known
        assert not sockets.exists()


async def test_a_workspace_cannot_open_the_socket(root: Path, sockets: Path) -> None:
    (root / ".agentfs.toml").write_text("[agents]\nsocket = true\n")
    async with serving(root, sockets, options={"agents": {"socket": False}}) as editor:
        await editor.write("b.py", "1\n", dry_run=True)
        assert not sockets.exists()


# --- who does not get through ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"token": "0" * 32}, -32602),
        ({"token": None}, -32602),
        ({"token": "\ud800"}, -32602),
        ({"protocolVersion": 2}, -32602),
        ({"client": {"name": " "}}, -32602),
        ({"client": None}, -32602),
    ],
)
async def test_who_cannot_attach_is_told_why_and_cut_off(
    root: Path, sockets: Path, wrong: Message, code: int
) -> None:
    async with found(root, sockets) as (_, entry):
        agent = await Raw.connect(entry)
        assert (await agent.attach(entry, **wrong))["error"]["code"] == code
        assert await agent.is_cut()


async def test_nothing_is_served_before_attaching(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (_, entry):
        agent = await Raw.connect(entry)
        answer = await agent.ask("agentfs/read", {"path": "a.py"})
        assert answer["error"]["code"] == -32002
        assert await agent.is_cut()


async def test_the_token_of_a_dead_server_opens_nothing(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (_, before):
        pass
    async with found(root, sockets) as (_, entry):
        agent = await Raw.connect(entry)
        assert "token is wrong" in (await agent.attach(before))["error"]["message"]
        assert await agent.is_cut()


@pytest.mark.parametrize(
    "method",
    [
        "agentfs/settle",
        "agentfs/proposal",
        "agentfs/applied",
        "agentfs/setApprovalMode",
        "agentfs/setSwitch",
        "agentfs/agents",
        "agentfs/disconnect",
        "agentfs/userHistory",
        "agentfs/userUndo",
        "workspace/executeCommand",
        "initialize",
        "shutdown",
        "exit",
        "agentfs/attach",
    ],
)
async def test_what_belongs_to_the_editor_is_unknown(root: Path, sockets: Path, method: str) -> None:
    async with found(root, sockets) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        answer = await agent.ask(method, {"id": "p1", "decision": "accepted", "command": "agentfs.manual"}, 2)
        assert answer["error"]["code"] == -32601
        agent.send({"method": method, "params": {}})
        assert (await agent.ask("agentfs/status", None, 3))["result"]["status"] == "success"
        await editor.request("agentfs/status")
        agent.writer.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
async def test_another_user_does_not_get_through(root: Path, sockets: Path) -> None:
    tried = (
        "import os, socket, sys\n"
        "os.setgroups([]), os.setgid(65534), os.setuid(65534)\n"
        "one = socket.socket(socket.AF_UNIX)\n"
        "try: one.connect(sys.argv[1])\n"
        "except PermissionError: print('closed')\n"
        "else: one.settimeout(60); print('cut' if one.recv(1) == b'' else 'open')\n"
    )

    def as_nobody(entry: Entry) -> str:
        command = [sys.executable, "-I", "-c", tried, entry.socket]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        return run.stdout.strip()

    async with found(root, sockets) as (_, entry):
        sockets.parent.chmod(0o755)
        assert await asyncio.to_thread(as_nobody, entry) == "closed"
        sockets.chmod(0o755)
        Path(entry.socket).chmod(0o666)
        assert await asyncio.to_thread(as_nobody, entry) == "cut"
        assert discovery.find(root) is None  # such a folder is not trusted
        sockets.chmod(0o700)


async def test_an_agent_does_not_attach_to_another_users_server(
    root: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentfs_lsp.client import links

    async with found(root, sockets):
        monkeypatch.setattr(links, "peer_uid", lambda _: os.geteuid() + 1)
        with pytest.raises(NoEditor, match="another user"):
            await AsyncAgentFS.attach(root, name="Ada").start()


# --- planted folders, links, and files ------------------------------------------------------------------


async def untrusted(root: Path, sockets: Path) -> None:
    """The server opens no socket there, and serves the editor."""
    async with serving(root, sockets) as editor:
        await editor.write("b.py", "1\n", dry_run=True)
        for _ in range(20):
            await editor.request("agentfs/status")
        assert discovery.find(root) is None
        assert (await editor.write("b.py", "1\n"))["status"] == "error"  # nobody can be asked


async def test_a_link_in_place_of_the_folder_is_not_followed(
    root: Path, sockets: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    sockets.symlink_to(elsewhere)
    await untrusted(root, sockets)
    assert list(elsewhere.iterdir()) == []


async def test_a_folder_that_others_can_open_is_not_used(root: Path, sockets: Path) -> None:
    sockets.mkdir()
    sockets.chmod(0o777)
    await untrusted(root, sockets)
    assert list(sockets.iterdir()) == []


async def test_a_file_in_place_of_the_folder_is_left_alone(root: Path, sockets: Path) -> None:
    sockets.write_text("mine")
    await untrusted(root, sockets)
    assert sockets.read_text() == "mine"


async def test_planted_entries_are_not_believed(root: Path, sockets: Path, tmp_path: Path) -> None:
    async with found(root, sockets) as (_, entry):
        real = Path(entry.socket).with_suffix(".json")
        told = json.loads(real.read_text())
        pid = entry.pid
        planted = {
            f"{pid}-00000000": "{",
            f"{pid}-00000001": json.dumps([]),
            f"{pid}-00000002": json.dumps({**told, "roots": 3}),
            f"{pid}-00000003": json.dumps({**told, "more": 1}),
            f"{pid}-00000004": json.dumps({**told, "socket": str(tmp_path / "evil.sock")}),
            f"{pid}-00000009": "[" * 10_000,
            "nonsense": json.dumps(told),
        }
        for name, text in planted.items():
            (sockets / f"{name}.json").write_text(text)
            (sockets / f"{name}.json").chmod(0o600)
        (sockets / f"{pid}-00000005.json").symlink_to(real)
        (sockets / f"{pid}-00000006.json").mkdir()
        os.mkfifo(sockets / f"{pid}-00000007.json", 0o600)
        readable = sockets / f"{pid}-00000008.json"
        readable.write_text(json.dumps({**told, "socket": str(readable.with_suffix(".sock"))}))
        readable.chmod(0o644)
        assert list(discovery.entries()) == [entry]


def test_an_entry_of_another_systems_process_is_not_removed_while_it_listens(sockets: Path) -> None:
    """In a container, the server's process has another id, or none."""
    sockets.mkdir(mode=0o700)
    entry = sockets / "4194399-00000000.json"
    entry.write_text("{}")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(entry.with_suffix(".sock")))
        server.listen()
        assert list(discovery.entries()) == []
        assert entry.exists()
        assert entry.with_suffix(".sock").exists()
    assert list(discovery.entries()) == []
    assert list(sockets.iterdir()) == []


@pytest.mark.parametrize("suffix", [".sock", ".new"])
def test_what_a_server_left_that_was_killed_as_it_started_is_removed(sockets: Path, suffix: str) -> None:
    sockets.mkdir(mode=0o700)
    (sockets / f"4194399-00000000{suffix}").touch()
    assert list(discovery.entries()) == []
    assert list(sockets.iterdir()) == []


# --- too much -------------------------------------------------------------------------------------------


async def test_a_thousand_connections_harm_nobody(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, options=AUTO) as (editor, entry),
        AsyncAgentFS.attach(root, name="Ada") as fs,
    ):
        agents: list[Raw] = []
        for number in range(1000):
            agents.append(await Raw.connect(entry))
            if number % 50 == 0:
                await editor.request("agentfs/status")
        cut = [agent for agent in agents[MAX_CONNECTIONS:] if await agent.is_cut()]
        assert len(cut) == 1000 - MAX_CONNECTIONS
        assert (await fs.read("a.py")).content == TEXT
        assert (await editor.read("a.py"))["status"] == "success"
        for agent in agents:
            agent.writer.close()
        async with asyncio.timeout(60):
            while True:  # until the server has seen one of them go
                with suppress(ServerGone, OSError):
                    async with AsyncAgentFS.attach(root, name="Bob") as late:
                        assert (await late.read("a.py")).content == TEXT
                        break


async def test_garbage_ends_only_its_connection(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (_, entry), AsyncAgentFS.attach(root, name="Ada") as fs:
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100_000, b"Content-Length: 9e9\r\n\r\n"):
            agent = await Raw.connect(entry)
            agent.writer.write(garbage)
            assert await agent.is_cut()
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        for body, code in ((b"{", -32700), (b"[]", -32600), (b'{"id": {}, "method": 1}', -32600)):
            agent.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            assert (await agent.next())["error"]["code"] == code
        agent.writer.write(b"Content-Length: 99999999999\r\n\r\n" + b" " * 2000)
        assert (await agent.next())["error"]["code"] == -32600
        assert (await fs.read("a.py")).content == TEXT
        agent.writer.close()


async def test_requests_under_way_are_limited(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        for number in range(2, 67):
            params = {"path": f"{number}.py", "content": "1\n"}
            agent.send({"id": number, "method": "agentfs/write", "params": params})
        refused = await agent.next()
        assert (refused["id"], refused["error"]["code"]) == (66, -32000)
        await editor.seen("agentfs/proposed", 64)
        agent.writer.close()
        await editor.seen("agentfs/settled", 64)


async def test_the_editor_is_answered_between_an_agents_requests(
    root: Path, file: Path, sockets: Path
) -> None:
    """However many the agent has sent."""
    async with found(root, sockets) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        for ident in range(2, 4002):
            agent.send({"id": ident, "method": "agentfs/read", "params": {"path": "a.py"}})

        async def responses() -> None:
            while (await agent.next()).get("id") != 4001:
                pass

        answered, flood = 0, asyncio.ensure_future(responses())
        while not flood.done():
            await editor.request("agentfs/status")
            answered += 1
        assert answered > 20
        agent.writer.close()


def taken(editor: Editor, what: str) -> int:
    """MiB of the server: `VmRSS` now, `VmHWM` at the peak."""
    told = Path(f"/proc/{editor.process.pid}/status").read_text()
    return int(told.partition(f"{what}:")[2].split()[0]) >> 10


async def flooded(editor: Editor, agents: list[Raw]) -> int:
    """How many of them are cut off while they send what they have to send."""
    sending = asyncio.gather(*(agent.writer.drain() for agent in agents), return_exceptions=True)
    while not sending.done():
        await editor.request("agentfs/status")
    return sum(error is not None for error in await sending)


@linux
@pytest.mark.parametrize("values", [b"[],", b'"",', b"1,"])
async def test_a_message_of_countless_values_is_refused(root: Path, sockets: Path, values: bytes) -> None:
    async with found(root, sockets) as (editor, entry):
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        before = taken(editor, "VmHWM")
        body = b'{"id":2,"method":"agentfs/status","params":{"x":[' + values * (20 << 20) + b"1]}}"
        agent.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        refused = await agent.next()
        assert (refused["id"], refused["error"]["code"]) == (2, -32600)
        assert taken(editor, "VmHWM") - before < 400
        agent.writer.close()


async def test_values_in_a_string_are_text(root: Path, sockets: Path) -> None:
    text = '[1, {"a": "\\\\"}],\n' * 100_000
    async with found(root, sockets, options=AUTO), AsyncAgentFS.attach(root, name="Ada") as fs:
        assert (await fs.write("b.json", text)).applied
    assert (root / "b.json").read_text() == text


@linux
async def test_what_is_incomplete_takes_limited_memory(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, entry), AsyncAgentFS.attach(root, name="Ada") as fs:
        before = taken(editor, "VmRSS")
        agents = [await Raw.connect(entry) for _ in range(12)]
        for agent in agents:
            agent.writer.transport.set_write_buffer_limits(0)
            agent.writer.write(b"Content-Length: 67108864\r\n\r\n" + bytes(60 << 20))
        assert await flooded(editor, agents) == 8
        assert taken(editor, "VmHWM") - before < 400
        assert (await fs.read("a.py")).content == TEXT
        for agent in agents:
            agent.writer.transport.abort()


@linux
async def test_requests_under_way_take_limited_memory(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, **REVIEWING) as (editor, entry),
        AsyncAgentFS.attach(root, name="Ada") as fs,
    ):
        before = taken(editor, "VmRSS")
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        agent.writer.transport.set_write_buffer_limits(0)
        text = "x" * (30 << 20)
        for number in range(2, 22):
            params = {"path": f"{number}.py", "content": text}
            agent.send({"id": number, "method": "agentfs/write", "params": params})
        assert await flooded(editor, [agent]) == 1
        await editor.seen("agentfs/settled")
        assert taken(editor, "VmHWM") - before < 1000
        assert (await fs.read("a.py")).content == TEXT


@linux
async def test_responses_that_are_not_read_take_limited_memory(root: Path, file: Path, sockets: Path) -> None:
    (root / "large.txt").write_text(("x" * 999 + "\n") * 12_000)
    async with (
        found(root, sockets, options=AUTO) as (editor, entry),
        AsyncAgentFS.attach(root, name="Ada") as fs,
    ):
        await fs.read("large.txt", limit=0)
        before = taken(editor, "VmRSS")
        agents = [await Raw.connect(entry) for _ in range(12)]
        for agent in agents:
            await agent.attach(entry)
            agent.writer.transport.pause_reading()  # type: ignore[attr-defined]
            for number in range(2, 12):
                params = {"path": "large.txt", "limit": 0}
                agent.send({"id": number, "method": "agentfs/read", "params": params})
        async with asyncio.timeout(60):
            while sum(agent.writer.transport.is_closing() for agent in agents) < 6:
                await editor.request("agentfs/status")
                for agent in agents:
                    agent.send({"method": "$/nothing"})
                    with suppress(ConnectionError):
                        await agent.writer.drain()
        assert taken(editor, "VmHWM") - before < 1000
        assert (await fs.read("a.py")).content == TEXT
        for agent in agents:
            agent.writer.transport.abort()


async def test_an_agent_cannot_reach_the_folder_of_sockets(
    root: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with found(sockets.parent, sockets, options=AUTO) as (editor, entry):
        name = Path(entry.socket).with_suffix(".json").name
        answer = await editor.read(f"agentfs/{name}")
    assert answer["error"]["code"] == "ACCESS_DENIED"


def test_the_users_folder_does_not_depend_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    before = discovery.folder()
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, "/nowhere")
    assert discovery.folder() == before


def test_the_peer_is_known() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert discovery.peer_uid(one) == os.geteuid()
