"""Carries an MCP connection's bytes between standard input and output and its calls."""

from __future__ import annotations

import asyncio
import os
import queue
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from agentfs_lsp.mcp.calls import Calls
from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Connection
from agentfs_lsp.mcp.workspace import Workspace

_READ: Final = 1 << 16
_STDIN, _STDOUT, _STDERR = 0, 1, 2


def serve(root: Path, hold: float | None, *, asks: bool) -> int:
    """Serve until the end of input, or a signal; returns the exit code."""
    output = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)  # for whatever prints: standard output carries only messages
    asyncio.run(_serve(root, hold, output, asks=asks))
    return 0


async def _serve(root: Path, hold: float | None, output: int, *, asks: bool) -> None:
    loop = asyncio.get_running_loop()
    catalog = Catalog(str(root))
    connection, workspace = Connection(catalog), Workspace(root, catalog, asks=asks)
    outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    writing = threading.Thread(target=_write, args=(output, outgoing), daemon=True)
    writing.start()
    ended = asyncio.Event()

    def send() -> None:
        if data := connection.take():
            outgoing.put(data)

    calls = Calls(connection, send, workspace.run, workspace.what, hold, workspace.real_path)

    def arrived(data: bytes) -> None:
        if not data:
            ended.set()
        for event in connection.receive(data):
            calls.happened(event)
        send()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    threading.Thread(target=_read, args=(loop, arrived), daemon=True).start()
    await ended.wait()
    await calls.close()
    await workspace.close()
    connection.end()
    send()
    outgoing.put(None)
    await asyncio.to_thread(writing.join, 1.0)  # a client that does not read keeps nothing from ending


def _read(loop: asyncio.AbstractEventLoop, arrived: Callable[[bytes], None]) -> None:
    """Standard input may be a pipe, a socket, or a file: a thread reads them all."""
    with suppress(RuntimeError):  # the loop has ended
        while True:
            try:
                data = os.read(_STDIN, _READ)
            except BlockingIOError:  # the parent made it non-blocking
                select.select((_STDIN,), (), ())
                continue
            except OSError:
                data = b""
            loop.call_soon_threadsafe(arrived, data)
            if not data:
                return


def _write(output: int, outgoing: queue.SimpleQueue[bytes | None]) -> None:
    while (data := outgoing.get()) is not None:
        with suppress(OSError):  # nobody reads any more; the end of input follows
            rest = memoryview(data)
            while rest:
                try:
                    rest = rest[os.write(output, rest) :]
                except BlockingIOError:
                    select.select((), (output,), ())
