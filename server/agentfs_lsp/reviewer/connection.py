"""A reviewer's connection to the server of an editor (docs/protocol.md#18-the-reviewers-socket)."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, Self

from agentfs_lsp import __version__
from agentfs_lsp.client.endpoint import Endpoint, ProtocolError
from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION, Entry, peer_uid
from agentfs_lsp.sockets.pairing import NONCE_BYTES, code, commitment

NAME: Final = "agentfs-lsp review"

_STRANGE: Final = "The server's answer is not one of this protocol."

_READ: Final = 1 << 16
_GRACE_S: Final = 2.0


class Unreachable(Exception):
    """There is no server to decide for, or it does not accept this reviewer. The text says why."""


class Refused(Exception):
    """The server answered with a JSON-RPC error, or is gone."""


class Server(Protocol):
    """The editor's server: `Connection`, or a stand-in of it."""

    def follow(
        self, on_told: Callable[[str, Mapping[str, Any]], object], on_gone: Callable[[], object]
    ) -> None:
        """Call these with each notification, and when the server is gone."""

    async def request(self, method: str, params: object) -> Any:
        """The result of a request. Raises Refused."""


class Connection:
    """Use it on one event loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, entry: Entry) -> None:
        self._reader, self._writer = reader, writer
        self._entry = entry
        self._endpoint = Endpoint(writer.write)
        self._nonce = secrets.token_bytes(NONCE_BYTES)
        self._waiting: dict[object, asyncio.Future[Any]] = {}
        self._is_gone = False
        self._listening = asyncio.ensure_future(self._listen())
        self._early: list[tuple[str, Mapping[str, Any]]] = []
        self._on_told: Callable[[str, Mapping[str, Any]], object] = lambda *told: self._early.append(told)
        self._on_gone: Callable[[], object] = lambda: None
        self.editor = entry.editor
        self.roots: tuple[str, ...] = entry.roots

    @classmethod
    async def find(cls, root: Path) -> Self | None:
        """Connect to the server that serves `root`; None if there is none. Raises Unreachable."""
        entry = await asyncio.to_thread(discovery.find, root, None, discovery.reviewers_folder())
        if entry is None:
            return None
        try:
            reader, writer = await asyncio.open_unix_connection(entry.socket)
        except OSError as error:
            raise Unreachable(str(error)) from error
        if peer_uid(writer.get_extra_info("socket")) != os.geteuid():
            writer.transport.abort()
            raise Unreachable("The socket belongs to another user.")
        return cls(reader, writer, entry)

    async def attach(self) -> str:
        """Begin; returns the code to show to the user. Raises Refused."""
        greeting = await self.request(
            "agentfs/attach",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "token": self._entry.token,
                "client": {"name": NAME, "version": __version__},
                "commitment": commitment(self._nonce),
            },
        )
        try:
            self.editor, self.roots = str(greeting["editor"]), tuple(map(str, greeting["roots"]))
            return code(self._nonce, bytes.fromhex(greeting["nonce"]), os.getpid())
        except (KeyError, TypeError, ValueError):
            raise Refused(_STRANGE) from None

    async def pair(self) -> None:
        """Wait until the user has allowed this reviewer in the editor. Raises Refused with the reason if
        not."""
        answer = await self.request("agentfs/pair", {"nonce": self._nonce.hex()})
        try:
            reason = None if answer["ok"] is True else str(answer["reason"])
        except (KeyError, TypeError):
            reason = _STRANGE
        if reason is not None:
            raise Refused(reason)

    async def request(self, method: str, params: object) -> Any:
        """The result of a request. Raises Refused."""
        if self._is_gone:
            raise Refused("The connection is closed.")
        ident = self._endpoint.request(method, params)
        answer = self._waiting[ident] = asyncio.get_running_loop().create_future()
        try:
            return await answer
        finally:
            self._waiting.pop(ident, None)

    def follow(
        self, on_told: Callable[[str, Mapping[str, Any]], object], on_gone: Callable[[], object]
    ) -> None:
        """Call `on_told` with the method and the params of each notification, also of those that have come
        already, and `on_gone` when the server has hung up."""
        self._on_told, self._on_gone = on_told, on_gone
        early, self._early = self._early, []
        for method, params in early:
            on_told(method, params)
        if self._is_gone:
            on_gone()

    async def close(self) -> None:
        """Hang up. What is undecided stays so, for the editor."""
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                await self._writer.wait_closed()

    async def _listen(self) -> None:
        try:
            with suppress(OSError, ProtocolError):
                while data := await self._reader.read(_READ):
                    for message in self._endpoint.messages(data):
                        self._receive(message)
        finally:
            self._is_gone = True
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Refused("The server has closed the connection."))
        self._on_gone()

    def _receive(self, message: Mapping[str, Any]) -> None:
        if "method" in message:
            self._on_told(message["method"], message.get("params") or {})
            return
        answer = self._waiting.get(message.get("id"))
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(Refused(message["error"].get("message", "")))
        else:
            answer.set_result(message.get("result"))
