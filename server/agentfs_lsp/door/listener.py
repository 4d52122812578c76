"""A socket of the server: opens and closes with the settings, and carries the bytes of its connections
(docs/protocol.md#16-the-agents-socket). `agents.py` and `reviewers.py` say for whom."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.door.connection import ClosingHost, Connection
from agentfs_lsp.door.entry import OwnEntry
from agentfs_lsp.sockets.discovery import peer_pid, peer_uid

_log = logging.getLogger(__name__)

MAX_CONNECTIONS: Final = 64
HANDSHAKE_S: Final = 10.0
"""Seconds until a program must have attached."""

GOODBYE_S: Final = 1.0
"""Seconds for a program to read its last responses."""

MAX_HELD: Final = 256 << 20
"""Bytes of messages that all programs at this socket together have not completed, or not read, or that are
under way. Above this, the one with the most is cut off: never one that has less than its share."""

_READ: Final = 1 << 12
"""Bytes whose requests are served in one go."""


class _Carrier(NamedTuple):
    """What carries a connection. `pid`: the process at the other end, 0 if the system does not tell."""

    task: asyncio.Task[Any] | None
    transport: asyncio.WriteTransport
    pid: int


class Wire(NamedTuple):
    """What a connection sends with: `send` takes bytes, `close` ends the connection after what was sent."""

    send: Callable[[bytes], None]
    close: Callable[[], None]


C = TypeVar("C", bound=Connection)


class Listener(ABC, Generic[C]):
    """A door of one server. `editor` returns the name of the editor. Use it on the event loop."""

    def __init__(self, host: ClosingHost, editor: Callable[[], str]) -> None:
        self._host = host
        self._editor = editor
        self._connections: dict[C, _Carrier] = {}
        self._changes = asyncio.Event()
        self._entry: OwnEntry | None = None
        self._server: asyncio.Server | None = None
        self._told: object = None
        self._following = asyncio.ensure_future(self._follow())

    def changed(self) -> None:
        """The settings or the folders may have changed."""
        self._changes.set()

    async def close(self) -> None:
        """Stop listening, and finish the requests of all connections."""
        self._following.cancel()
        await asyncio.gather(self._following, return_exceptions=True)
        await self._stop("shutdown")

    # --- for whom -----------------------------------------------------------------------------------------

    @abstractmethod
    def _folder(self) -> Path:
        """The folder of the socket and its entry."""

    @abstractmethod
    def _is_on(self) -> bool:
        """Whether the settings allow it."""

    async def _is_shut_out(self, pid: int) -> bool:  # noqa: ARG002
        """Whether the user has disconnected this process."""
        return False

    @abstractmethod
    def _connect(self, token: str, pid: int, wire: Wire, *, is_shut_out: bool) -> C:
        """A connection of the process `pid`, 0 if the system does not tell; `token` is the entry's."""

    # --- the socket ---------------------------------------------------------------------------------------

    async def _follow(self) -> None:
        while True:
            await self._changes.wait()
            self._changes.clear()
            await self._host.wait_until_prepared()
            try:
                await self._update()
            except OSError as error:
                _log.warning("nobody can connect to a socket: %s", type(error).__name__)
                await self._stop("shutdown")
            except Exception as error:  # noqa: BLE001 - the next change is followed again
                record_incident(_log, error)
                await self._stop("shutdown")

    async def _update(self) -> None:
        ws = self._host.workspace
        if not self._is_on():
            await self._stop("settings")
            return
        roots = [root.path for root in ws.roots]
        if self._entry is None:
            self._entry = OwnEntry(self._folder())
            listening = await asyncio.to_thread(self._entry.listen)
            self._server = await asyncio.start_unix_server(self._accept, sock=listening)
        if (roots, self._editor()) != self._told:
            self._told = (roots, self._editor())
            await asyncio.to_thread(self._entry.write, *self._told)

    async def _stop(self, reason: WithdrawnReason) -> None:
        """Nobody connects any more. Connections that exist get the responses to their requests, and end."""
        entry, self._entry, self._told = self._entry, None, None
        if entry is not None:
            await asyncio.to_thread(entry.remove)
        if self._server is not None:
            self._server.close()
            self._server = None
        connections = dict(self._connections)
        await asyncio.gather(*(connection.cut_off(reason) for connection in connections))
        tasks = (carrier.task for carrier in connections.values() if carrier.task is not None)
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- its connections ----------------------------------------------------------------------------------

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        transport = writer.transport
        pid = _users_process(writer.get_extra_info("socket"))
        is_shut_out = pid is not None and await self._is_shut_out(pid)
        entry = self._entry
        if entry is None or pid is None or len(self._connections) >= MAX_CONNECTIONS:
            transport.abort()
            return

        def send(data: bytes) -> None:
            if not transport.is_closing():
                writer.write(data)
                self._bound()

        def close() -> None:
            if not transport.is_closing():
                writer.close()
                # Without this, one that does not read its responses would never be let go.
                asyncio.get_running_loop().call_later(GOODBYE_S, transport.abort)

        connection = self._connect(entry.token, pid, Wire(send, close), is_shut_out=is_shut_out)
        self._connections[connection] = _Carrier(asyncio.current_task(), transport, pid)
        expiry = asyncio.get_running_loop().call_later(HANDSHAKE_S, _expire, connection, writer)
        try:
            with suppress(OSError):
                while not transport.is_closing() and (data := await reader.read(_READ)):
                    connection.receive(data)
                    self._bound()
                    await asyncio.sleep(0)  # the editor and others come between
        finally:
            expiry.cancel()
            await connection.finish()
            connection.hang_up()
            with suppress(OSError):
                await writer.wait_closed()
            del self._connections[connection]

    def _bound(self) -> None:
        """Keep what all programs together take within `MAX_HELD`."""
        held = {
            transport: transport.get_write_buffer_size() + (0 if transport.is_closing() else connection.held)
            for connection, (_, transport, _) in self._connections.items()
        }
        if sum(held.values()) > MAX_HELD:
            max(held, key=lambda one: held[one]).abort()


def _users_process(connected: socket.socket) -> int | None:
    """The process at the other end; None if it is not the user's."""
    try:
        return peer_pid(connected) if peer_uid(connected) == os.geteuid() else None
    except OSError:
        return None


def _expire(connection: Connection, writer: asyncio.StreamWriter) -> None:
    if not connection.is_attached:
        writer.transport.abort()
