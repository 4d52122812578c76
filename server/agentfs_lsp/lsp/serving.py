"""Runs a server on standard input and output until it exits."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NoReturn, Protocol

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.adapters.programs import ProgramRunner
from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.lsp.language_server import FINISH_S, AgentfsLanguageServer
from agentfs_lsp.lsp.server import create_server
from agentfs_lsp.lsp.transport.connection import Transport, new_event_loop
from agentfs_lsp.service.files.store import FileStore
from agentfs_lsp.service.operations import Observer
from agentfs_lsp.service.proposal.record import History

_log = logging.getLogger(__name__)

CLOSING_S = 5.0
"""The maximum time to write the rest of the history and to clean up the disk at shutdown, in seconds."""

THREADS = 64
"""For blocking work: landings wait here for other servers, and large reads must not wait behind them."""

OPEN_FILES = 8192
"""The limit of open files to ask for: a batch keeps each of its files open, and each root is one. macOS
defaults to 256."""

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Door(Protocol):
    """Another way to the same server, for agents or reviewers in programs of their own."""

    def changed(self) -> None:
        """The settings or the folders may have changed."""

    async def close(self) -> None:
        """Finish its requests, and accept no more."""


OpenDoors = Callable[[AgentfsLanguageServer], Sequence[Door]]


def serve_stdio(
    files: FileStore,
    history: History,
    own_folders: Sequence[str],
    max_body: int,
    open_doors: OpenDoors | None = None,
    observers: Sequence[Observer] = (),
) -> NoReturn:
    """Serve until `exit` or the end of input, then end the process. `max_body` is in bytes; the first of
    `own_folders` is the user's state folder; `observers` are told about each operation of an agent."""
    stdin, stdout = _take_stdio()
    _allow_open_files()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        code = runner.run(_serve(stdin, stdout, files, history, own_folders, max_body, open_doors, observers))
        # Python would wait for every thread, even for one that computes for nobody or blocks in a file
        # system.
        logging.shutdown()
        os._exit(code)


async def _serve(
    stdin: int,
    stdout: int,
    files: FileStore,
    history: History,
    own_folders: Sequence[str],
    max_body: int,
    open_doors: OpenDoors | None,
    observers: Sequence[Observer],
) -> int:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(THREADS, "agentfs"))
    loop.set_exception_handler(_report)
    ended: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    def lose() -> None:
        server.connection_lost()
        end(0 if server.protocol.is_shutting_down else 1)

    transport = Transport(
        stdin,
        stdout,
        on_message=lambda message: server.protocol.handle_message(message),  # noqa: PLW0108 - made below
        on_malformed=lambda *refusal: server.protocol.refuse(*refusal),  # noqa: PLW0108
        on_end=lose,
        max_body=max_body,
    )
    diff_files = DiffFiles(own_folders[0])
    server = create_server(
        transport.send,
        end,
        files,
        history,
        diff_files,
        own_folders,
        translator_for,
        observers,
        ProgramRunner(),
    )
    doors = open_doors(server) if open_doors else ()

    def changed() -> None:
        for door in doors:
            door.changed()

    server.on_changed = changed
    for number in _ENDING:
        loop.add_signal_handler(number, end, 0)
    gc.freeze()  # imported objects live for ever, so collections needn't visit them
    gc.enable()
    transport.start(loop)
    code = await ended
    finished, *_ = await asyncio.gather(server.finish(), *map(_closed, doors))
    transport.close()
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await asyncio.gather(
                asyncio.to_thread(history.close), asyncio.to_thread(server.workspace.operations.close)
            )
            if finished:  # else the next start cleans up the disk
                await asyncio.to_thread(files.close)
    return code


async def _closed(door: Door) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(FINISH_S):
            await door.close()


def _allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _report(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log asyncio's errors without their text, which may contain text of files."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        record_incident(_log, error)


def _take_stdio() -> tuple[int, int]:
    """Separate descriptors for the protocol, so that prints and output of child processes can't get in."""
    stdin, stdout = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    return stdin, stdout
