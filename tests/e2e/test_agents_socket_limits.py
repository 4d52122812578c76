"""The agents' socket: what too many or too large messages do (docs/protocol.md#16-the-agents-socket)."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from agentfs_lsp.client import AsyncAgentFS, ServerGone
from agentfs_lsp.door.listener import MAX_CONNECTIONS
from support.agents_socket import Raw, found
from support.editor import AUTO, REVIEWING, Editor
from support.sample import TEXT

linux = pytest.mark.skipif(sys.platform != "linux", reason="tells how much a process takes in /proc")


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


async def test_searches_of_a_huge_file_leave_threads_for_the_user(
    root: Path, file: Path, sockets: Path
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, entry):
        with (root / "huge.log").open("wb") as huge:
            huge.truncate(1 << 40)
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        for ident in range(2, 66):
            params = {"path": "huge.log", "start_line": 10**9, "limit": 1}
            agent.send({"id": ident, "method": "agentfs/read", "params": params})
        agent.send({"id": 66, "method": "agentfs/status", "params": {}})
        assert (await agent.next())["error"]["code"] == -32000  # all the others are under way
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        proposed = await editor.seen("agentfs/proposed")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        assert (await edit)["status"] == "success"
        (program,) = (await editor.request("agentfs/agents"))["agents"]
        assert await editor.request("agentfs/disconnect", {"id": program["id"]}) == {"ok": True}
        agent.writer.close()


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


READING = ("agentfs/read", {"limit": 1}, "partial")
EDITING = ("agentfs/edit", {"old_string": "\N{GRINNING FACE}", "new_string": "y", "dry_run": True}, "partial")


@linux
@pytest.mark.parametrize(("method", "params", "status"), [READING, EDITING])
async def test_a_large_file_is_not_loaded_for_all_at_once(
    root: Path, sockets: Path, method: str, params: dict[str, object], status: str
) -> None:
    async with found(root, sockets) as (editor, entry):
        (root / "large.txt").write_text("\N{GRINNING FACE}\n" + "x" * (30 << 20))
        agent = await Raw.connect(entry)
        await agent.attach(entry)
        before = taken(editor, "VmHWM")
        agent.send({"id": 2, "method": "agentfs/read", "params": {"path": "large.txt", "limit": 1}})
        assert (await agent.next())["result"]["status"] == "partial"
        for ident in range(3, 15):
            agent.send({"id": ident, "method": method, "params": {"path": "large.txt", **params}})
        for _ in range(3, 15):
            assert (await agent.next())["result"]["status"] == status
        # Four at a time take about 370 MB each; all 12 at once would take more than 4 GB.
        assert taken(editor, "VmHWM") - before < 3000
        agent.writer.close()


@linux
async def test_what_is_incomplete_takes_limited_memory(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, entry), AsyncAgentFS.attach(root, name="Ada") as fs:
        before = taken(editor, "VmRSS")
        agents = [await Raw.connect(entry) for _ in range(12)]
        for agent in agents:
            await agent.attach(entry)  # or they were cut off because they do not attach in time
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
        for number in range(2, 12):  # all but the first wait for that one's review
            params = {"path": "b.py", "content": text}
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
