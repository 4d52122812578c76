"""The agents' socket: who does not get through it (docs/protocol.md#16-the-agents-socket)."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agentfs_lsp.client import AsyncAgentFS, NoEditor
from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import Entry
from support.agents_socket import Raw, found, starting
from support.editor import AUTO
from support.wire import Message

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
    async with starting(root, sockets) as editor:
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
