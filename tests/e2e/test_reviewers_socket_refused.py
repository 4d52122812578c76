"""The reviewers' socket: who decides nothing (docs/protocol.md#18-the-reviewers-socket)."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentfs_lsp.door.listener import MAX_CONNECTIONS
from agentfs_lsp.reviewer import connection as connecting
from agentfs_lsp.reviewer.connection import Connection, Refused, Unreachable
from agentfs_lsp.sockets import pairing
from agentfs_lsp.sockets.discovery import Entry
from support.agents_socket import Raw, listed, starting
from support.editor import ASK, NO_ANSWER, REVIEWING, RpcError
from support.reviewers_socket import RawReviewer, answering, attached, found
from support.wire import Message, frame

REVIEWS = ["agentfs/proposal", "agentfs/settle", "agentfs/userHistory", "agentfs/userUndo"]

# --- without the user's yes -------------------------------------------------------------------------------


async def test_the_question_shows_the_code_of_the_terminal(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _):
        connection = await Connection.find(root)
        assert connection is not None
        code = await connection.attach()
        await connection.pair()
        asked = await editor.seen(ASK)
        assert code in asked["message"]
        assert [one["title"] for one in asked["actions"]] == ["Deny", "Allow"]
        await connection.close()


@pytest.mark.parametrize("title", ["Deny", "allow", "Allow ", None])
async def test_any_other_answer_is_a_no(root: Path, sockets: Path, title: str | None) -> None:
    async with found(root, sockets, answers={ASK: answering(title)}) as (_, entry):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        answer = (await reviewer.pair())["result"]
        assert (answer["ok"], answer["code"]) == (False, "DENIED")
        assert await reviewer.is_cut()


async def test_an_editor_that_cannot_ask_allows_nobody(root: Path, sockets: Path) -> None:
    def refuse(_: Message) -> object:
        raise RpcError(-32601)

    async with found(root, sockets, answers={ASK: refuse}) as (_, entry):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        assert (await reviewer.pair())["result"]["code"] == "NOBODY"
        assert await reviewer.is_cut()


async def test_no_answer_is_a_no(root: Path, sockets: Path) -> None:
    async with found(root, sockets, answers={ASK: lambda _: NO_ANSWER}) as (editor, entry):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        pairing = asyncio.ensure_future(reviewer.pair())
        question = await editor.seen_message(ASK)
        await editor.time_out()
        assert (await pairing)["result"]["code"] == "TIMEOUT"
        assert question["id"] in [one["params"]["id"] for one in editor.all("$/cancelRequest")]
        assert await reviewer.is_cut()


async def test_while_the_user_has_not_answered_nothing_is_served_or_told(root: Path, sockets: Path) -> None:
    answers = {**REVIEWING["answers"], ASK: lambda _: NO_ANSWER}
    async with found(root, sockets, capabilities=REVIEWING["capabilities"], answers=answers) as (
        editor,
        entry,
    ):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        reviewer.send({"id": 2, "method": "agentfs/pair", "params": {"nonce": reviewer.nonce.hex()}})
        await editor.seen(ASK)
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        ident = (await editor.seen("agentfs/proposed"))["id"]
        for number, method in enumerate([*REVIEWS, "agentfs/pair"], start=3):
            params = {"id": ident, "decision": "accepted"}
            reviewer.send({"id": number, "method": method, "params": params})
            answer = await reviewer.next()
            assert (answer["id"], answer["error"]["code"]) == (number, -32003)
        assert [one["state"] for one in await editor.pending()] == ["shown"]
        await editor.request("agentfs/settle", {"id": ident, "decision": "rejected"})
        await write
        reviewer.writer.close()


@pytest.mark.parametrize("method", [*REVIEWS, "agentfs/status", "agentfs/write", "initialize"])
async def test_nothing_is_served_before_pairing(root: Path, sockets: Path, method: str) -> None:
    async with found(root, sockets) as (editor, entry):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        assert (await reviewer.ask(method, {"id": "p1"}, 2))["error"]["code"] == -32003
        reviewer.send({"id": 3, "method": "agentfs/pair", "params": {"nonce": reviewer.nonce.hex()}})
        assert await reviewer.is_cut()
        assert editor.all(ASK) == []


async def test_a_nonce_that_was_not_committed_to_is_refused(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, entry):
        for nonce in ("", "zz", "00" * 16, "00" * 99):
            reviewer = await RawReviewer.connect(entry)
            await reviewer.attach(entry)
            assert (await reviewer.pair(nonce))["error"]["code"] == -32602
            assert await reviewer.is_cut()
        assert editor.all(ASK) == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"token": "0" * 32}, -32602),
        ({"protocolVersion": 2}, -32602),
        ({"client": {"name": " "}}, -32602),
        ({"commitment": None}, -32602),
        ({"commitment": ""}, -32602),
    ],
)
async def test_who_cannot_attach_is_told_why_and_cut_off(
    root: Path, sockets: Path, wrong: Message, code: int
) -> None:
    async with found(root, sockets) as (_, entry):
        reviewer = await RawReviewer.connect(entry)
        assert (await reviewer.attach(entry, **wrong))["error"]["code"] == code
        assert await reviewer.is_cut()


async def test_a_program_in_between_shows_another_code(root: Path, sockets: Path) -> None:
    """It passes on everything; the terminal and the editor then show different codes."""
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        relay = await asyncio.create_subprocess_exec(
            sys.executable, "-c", RELAY, entry.socket, str(sockets / "relay"), stdout=asyncio.subprocess.PIPE
        )
        assert relay.stdout is not None
        assert await relay.stdout.readline() == b"listening\n"
        reader, writer = await asyncio.open_unix_connection(str(sockets / "relay"))
        reviewer = RawReviewer(reader, writer)
        greeting = await reviewer.attach(entry)
        shown = reviewer.code(greeting)
        assert (await reviewer.pair())["result"]["ok"]  # this user does not compare them
        message = (await editor.seen(ASK))["message"]
        assert shown not in message
        assert reviewer.code(greeting, relay.pid) in message
        writer.close()
        await relay.wait()


RELAY = """
import socket, sys, threading
listening = socket.socket(socket.AF_UNIX)
listening.bind(sys.argv[2])
listening.listen()
print("listening", flush=True)
ours, _ = listening.accept()
theirs = socket.socket(socket.AF_UNIX)
theirs.connect(sys.argv[1])
def carry(one, other):
    while data := one.recv(65536):
        other.sendall(data)
    other.shutdown(socket.SHUT_WR)
thread = threading.Thread(target=carry, args=(theirs, ours), daemon=True)
thread.start()
carry(ours, theirs)
thread.join()
"""


# --- floods -----------------------------------------------------------------------------------------------


async def test_after_a_no_the_user_is_not_asked_at_once(root: Path, sockets: Path) -> None:
    async with found(root, sockets, answers={ASK: answering("Deny")}) as (editor, entry):
        outcomes = []
        for _ in range(20):
            reviewer = await RawReviewer.connect(entry)
            await reviewer.attach(entry)
            outcomes.append((await reviewer.pair())["result"]["code"])
            assert await reviewer.is_cut()
        assert outcomes == ["DENIED"] + 19 * ["TOO_SOON"]
        assert len(editor.all(ASK)) == 1


@pytest.mark.parametrize("ends", ["at once", "with another message"])
async def test_a_nonce_of_the_server_costs_a_turn(root: Path, sockets: Path, ends: str) -> None:
    """Else a program in between could look for one with which its code fits."""
    async with found(root, sockets) as (editor, entry):
        reviewer, other = await RawReviewer.connect(entry), await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        await other.attach(entry)
        assert (await other.pair())["result"]["code"] == "BUSY"
        assert await other.is_cut()
        if ends == "with another message":
            assert "error" in await reviewer.ask("agentfs/status", {}, 2)
        else:
            reviewer.writer.write_eof()
        assert await reviewer.is_cut()
        again = await RawReviewer.connect(entry)
        await again.attach(entry)
        assert (await again.pair())["result"]["code"] == "TOO_SOON"
        assert await again.is_cut()
        assert editor.all(ASK) == []


async def test_who_hangs_up_while_the_user_is_asked_counts_as_a_no(root: Path, sockets: Path) -> None:
    async with found(root, sockets, answers={ASK: lambda _: NO_ANSWER}) as (editor, entry):
        reviewer = await RawReviewer.connect(entry)
        await reviewer.attach(entry)
        reviewer.send({"id": 2, "method": "agentfs/pair", "params": {"nonce": reviewer.nonce.hex()}})
        question = await editor.seen_message(ASK)
        busy = await RawReviewer.connect(entry)
        await busy.attach(entry)
        assert (await busy.pair())["result"]["code"] == "BUSY"
        assert await busy.is_cut()
        reviewer.writer.close()
        assert (await editor.seen("$/cancelRequest"))["id"] == question["id"]
        again = await RawReviewer.connect(entry)
        await again.attach(entry)
        assert (await again.pair())["result"]["code"] == "TOO_SOON"
        assert await again.is_cut()


async def test_a_hundred_connections_harm_nobody(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, entry), attached(root) as reviewer:
        others = [await RawReviewer.connect(entry) for _ in range(100)]
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        await reviewer.settle((await reviewer.seen("agentfs/proposed"))["id"])
        assert (await write)["data"]["applied"]
        cut = others[MAX_CONNECTIONS:]
        assert all(await asyncio.gather(*(one.is_cut() for one in cut)))
        for one in others:
            one.writer.close()


@pytest.mark.parametrize(
    "garbage", [b"\0" * 5000, b"GET / HTTP/1.1\r\n\r\n", b"Content-Length: 4\r\n\r\nnull", b"\xff"]
)
async def test_garbage_ends_only_its_connection(root: Path, sockets: Path, garbage: bytes) -> None:
    async with found(root, sockets) as (editor, entry), attached(root) as reviewer:
        other = await RawReviewer.connect(entry)
        other.writer.write(garbage)
        other.writer.write_eof()
        assert await other.is_cut()
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        await reviewer.settle((await reviewer.seen("agentfs/proposed"))["id"])
        assert (await write)["data"]["applied"]


@pytest.mark.parametrize(
    "params",
    [None, [], {"id": 3}, {"id": "p1"}, {"id": "p1", "decision": "maybe"}, {"id": "p1", "more": 1}],
)
async def test_params_that_are_wrong_decide_nothing(root: Path, sockets: Path, params: object) -> None:
    async with found(root, sockets) as (editor, _), attached(root) as reviewer:
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        ident = (await reviewer.seen("agentfs/proposed"))["id"]
        if isinstance(params, dict) and "id" in params and params["id"] == "p1" and len(params) > 1:
            params = {**params, "id": ident}
        answer = await reviewer.connection.request("agentfs/settle", params)
        assert answer["ok"] is False
        assert [one["state"] for one in await editor.pending()] == ["shown"]
        await reviewer.settle(ident, "rejected")
        await write


# --- agents -----------------------------------------------------------------------------------------------


async def test_the_agents_socket_leads_to_nothing_of_it(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, entry):
        agents = await listed(editor, root)
        assert agents.socket != entry.socket
        assert agents.token != entry.token
        agent = await Raw.connect(agents)
        await agent.attach(agents, commitment="0" * 64)
        for number, method in enumerate(["agentfs/pair", *REVIEWS], start=2):
            answer = await agent.ask(method, {"id": "p1", "decision": "accepted"}, number)
            assert answer["error"]["code"] == -32601
        stranger = await RawReviewer.connect(entry)
        assert "token is wrong" in (await stranger.attach(agents))["error"]["message"]
        assert await stranger.is_cut()
        assert editor.all(ASK) == []
        agent.writer.close()


@pytest.mark.parametrize(
    "method",
    [
        "agentfs/read",
        "agentfs/write",
        "agentfs/applied",
        "agentfs/saved",
        "agentfs/setApprovalMode",
        "agentfs/setSwitch",
        "agentfs/agents",
        "agentfs/disconnect",
        "workspace/executeCommand",
        "initialize",
        "shutdown",
        "agentfs/attach",
        "agentfs/pair",
    ],
)
async def test_a_reviewer_reviews_and_nothing_else(root: Path, sockets: Path, method: str) -> None:
    async with found(root, sockets), attached(root) as reviewer:
        with pytest.raises(Refused, match="no method"):
            await reviewer.connection.request(method, {})


async def test_an_agent_cannot_read_the_entries(root: Path, sockets: Path) -> None:
    folder = sockets.with_name(f"{sockets.name}-reviewers")
    async with found(sockets.parent, sockets, options={"approval": {"mode": "auto_edit"}}) as (editor, entry):
        name = Path(entry.socket).with_suffix(".json").name
        answer = await editor.read(f"{folder.name}/{name}")
    assert answer["error"]["code"] == "ACCESS_DENIED"


# --- other users, and what they plant ---------------------------------------------------------------------


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
async def test_another_user_does_not_get_through(root: Path, sockets: Path) -> None:
    tried = (
        "import os, socket, sys\n"
        "os.setgroups([]), os.setgid(65534), os.setuid(65534)\n"
        "one = socket.socket(socket.AF_UNIX)\n"
        "try: one.connect(sys.argv[1])\n"
        "except PermissionError: print('closed'), sys.exit()\n"
        "one.settimeout(60)\n"
        "try: one.sendall(sys.argv[2].encode()); print('cut' if one.recv(1) == b'' else 'answered')\n"
        "except ConnectionError: print('cut')\n"
    )

    def as_nobody(entry: Entry) -> str:
        told = {"protocolVersion": 1, "token": entry.token, "client": {"name": "x"}, "commitment": "0"}
        attach = frame({"jsonrpc": "2.0", "id": 1, "method": "agentfs/attach", "params": told}).decode()
        command = [sys.executable, "-I", "-c", tried, entry.socket, attach]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    async with found(root, sockets) as (_, entry):
        folder = Path(entry.socket).parent
        folder.parent.chmod(0o755)
        assert await asyncio.to_thread(as_nobody, entry) == "closed"
        folder.chmod(0o755)
        Path(entry.socket).chmod(0o666)
        assert await asyncio.to_thread(as_nobody, entry) == "cut"
        assert await Connection.find(root) is None  # such a folder is not trusted
        folder.chmod(0o700)


async def test_a_reviewer_does_not_attach_to_another_users_server(
    root: Path, sockets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with found(root, sockets):
        monkeypatch.setattr(connecting, "peer_uid", lambda _: os.geteuid() + 1)
        with pytest.raises(Unreachable, match="another user"):
            await Connection.find(root)


@pytest.mark.parametrize(
    "greeting",
    [None, {}, {"editor": "e", "roots": None, "nonce": "00"}, {"editor": "e", "roots": [], "nonce": "zz"}],
)
async def test_a_program_in_place_of_the_server_that_answers_anything_is_refused(
    root: Path, sockets: Path, greeting: Message | None
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(frame({"jsonrpc": "2.0", "id": 1, "result": greeting}))
        await reader.read()
        writer.close()

    async with found(root, sockets) as (_, entry):
        os.unlink(entry.socket)
        async with await asyncio.start_unix_server(answer, entry.socket):
            connection = await Connection.find(root)
            assert connection is not None
            with pytest.raises(Refused, match="not one of this protocol"):
                await connection.attach()
            await connection.close()


@pytest.mark.parametrize("planted", ["link", "open folder", "file"])
async def test_a_planted_folder_is_not_used(root: Path, sockets: Path, tmp_path: Path, planted: str) -> None:
    folder, elsewhere = sockets.with_name(f"{sockets.name}-reviewers"), tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    match planted:
        case "link":
            folder.symlink_to(elsewhere)
        case "open folder":
            folder.mkdir()
            folder.chmod(0o777)
        case "file":
            folder.write_text("mine")
    async with starting(root, sockets) as editor:
        await listed(editor, root)  # the agents' socket is there all the same
        for _ in range(20):
            await editor.request("agentfs/status")
        assert await Connection.find(root) is None
        assert list(elsewhere.iterdir()) == []
        assert planted != "open folder" or list(folder.iterdir()) == []
    assert planted != "file" or folder.read_text() == "mine"


async def test_what_a_killed_server_left_is_removed(root: Path, sockets: Path) -> None:
    folder = sockets.with_name(f"{sockets.name}-reviewers")
    folder.mkdir(mode=0o700, parents=True)
    for suffix in (".sock", ".json", ".new"):
        (folder / f"4194399-00000000{suffix}").touch()
    async with starting(root, sockets) as editor:
        while not (mine := list(folder.glob(f"{editor.process.pid}-*.json"))):
            await editor.request("agentfs/status")
        assert {one.stem for one in folder.iterdir()} == {mine[0].stem}
    assert list(folder.iterdir()) == []


async def test_the_sockets_are_the_users_alone(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (_, entry):
        path = Path(entry.socket)
        modes = [one.stat().st_mode & 0o777 for one in (path.parent, path, path.with_suffix(".json"))]
        assert modes == [0o700, 0o600, 0o600]


# --- the code ---------------------------------------------------------------------------------------------


def test_a_code_is_short_and_unambiguous() -> None:
    codes = {pairing.code(bytes([number]) * 16, b"1" * 16, 7) for number in range(200)}
    assert len(codes) == 200
    assert all(len(one) == 7 and one[3] == "-" for one in codes)
    assert not set("".join(codes)) & set("IO01")


def test_a_code_is_of_both_nonces_and_the_process() -> None:
    one = pairing.code(b"a" * 16, b"b" * 16, 1)
    assert one == pairing.code(b"a" * 16, b"b" * 16, 1)
    others = {
        pairing.code(b"c" * 16, b"b" * 16, 1),
        pairing.code(b"a" * 16, b"c" * 16, 1),
        pairing.code(b"a" * 16, b"b" * 16, 2),
    }
    assert one not in others
