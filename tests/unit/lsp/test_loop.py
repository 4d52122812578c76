"""The loop that serves one descriptor first is in all else asyncio's own."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from agentfs_lsp.lsp.transport.loop import PollLoop, new_event_loop

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def loop() -> Iterator[PollLoop]:
    loop = new_event_loop()
    assert isinstance(loop, PollLoop)
    yield loop
    loop.close()


def test_what_a_served_descriptor_schedules_runs_and_it_is_called_until_it_is_no_longer_served(
    loop: PollLoop,
) -> None:
    readable, writable = os.pipe()
    seen: list[str] = []

    def read() -> None:
        seen.append(os.read(readable, 1).decode())
        loop.call_soon(seen.append, "scheduled")
        if seen.count("scheduled") == 2:
            loop.stop_serving(readable)
            loop.stop_serving(readable)
            loop.call_soon(loop.stop)

    loop.serve(readable, read)
    os.write(writable, b"abcd")
    loop.run_forever()
    assert seen == ["a", "scheduled", "b", "scheduled", "c", "scheduled"]
    os.close(readable)
    os.close(writable)


def test_timers_threads_processes_and_streams_work(loop: PollLoop) -> None:
    async def use_it_all() -> tuple[str, bytes, bytes]:
        await asyncio.sleep(0.001)
        thread = await asyncio.to_thread(lambda: "thread")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "print('process')", stdout=asyncio.subprocess.PIPE
        )
        out, _ = await process.communicate()
        left, right = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=left)
        _, other = await asyncio.open_connection(sock=right)
        other.write(b"x" * 1_000_000)
        other.write_eof()
        received = await reader.read()
        for one in (writer, other):
            one.close()
            await one.wait_closed()
        return thread, out, received

    assert loop.run_until_complete(use_it_all()) == ("thread", b"process\n", b"x" * 1_000_000)


def test_a_descriptor_is_watched_for_what_was_asked_and_no_longer(loop: PollLoop) -> None:
    left, right = socket.socketpair()
    seen: list[str] = []

    def write() -> None:
        seen.append("writable")
        loop.remove_writer(left)
        loop.add_reader(left, read)
        right.send(b"data")

    def read() -> None:
        seen.append(left.recv(9).decode())
        loop.remove_reader(left)
        right.send(b"more")
        loop.call_later(0, loop.call_soon, loop.stop)

    loop.add_writer(left, write)
    loop.run_forever()
    assert seen == ["writable", "data"]
    left.close()
    right.close()
