"""An editor's server with a reviewers' socket, reviewers that the user allows, and one that sends bytes."""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentfs_lsp.reviewer.connection import Connection
from agentfs_lsp.sockets import discovery, pairing
from agentfs_lsp.sockets.discovery import Entry
from support.agents_socket import Raw, starting
from support.editor import ASK, NO_ANSWER, Editor
from support.wire import Message

TIMEOUT_S = 60.0


def answering(title: str | None, among: str = "eviewer") -> Any:
    """The user's answer to the question about a reviewer; other questions get none."""

    def answer(params: Message) -> Any:
        if among not in params["message"]:
            return NO_ANSWER
        return None if title is None else {"title": title}

    return answer


async def entry_of(editor: Editor, root: Path, *, there: bool = True) -> Entry:
    """Wait until reviewers find the server for `root`, or no longer."""
    async with asyncio.timeout(TIMEOUT_S):
        while True:
            entry = discovery.find(root, None, discovery.reviewers_folder())
            if (entry is not None) == there:
                return entry  # type: ignore[return-value]
            await editor.request("agentfs/status")


@asynccontextmanager
async def found(root: Path, sockets: Path, **options: Any) -> AsyncIterator[tuple[Editor, Entry]]:
    """An editor whose server reviewers find. Its user allows them, unless `answers` say otherwise."""
    answers = {ASK: answering("Allow"), **options.pop("answers", {})}
    async with starting(root, sockets, answers=answers, **options) as editor:
        yield editor, await entry_of(editor, root)


class Reviewer:
    """A reviewer that the user has allowed, with what it was told."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.told: list[tuple[str, Mapping[str, Any]]] = []
        self.is_gone = False
        self._changed = asyncio.Event()
        connection.follow(self._hear, self._lose)

    async def seen(self, method: str, count: int = 1) -> Mapping[str, Any]:
        """The params of the `count`th notification of this kind."""
        async with asyncio.timeout(TIMEOUT_S):
            while len(found := [params for told, params in self.told if told == method]) < count:
                self._changed.clear()
                await self._changed.wait()
        return found[count - 1]

    async def lost(self) -> None:
        """Wait until the server has hung up."""
        async with asyncio.timeout(TIMEOUT_S):
            while not self.is_gone:
                self._changed.clear()
                await self._changed.wait()

    async def settle(self, ident: str, decision: str = "accepted", **more: Any) -> Message:
        """agentfs/settle."""
        answer = await self.connection.request("agentfs/settle", {"id": ident, "decision": decision, **more})
        assert isinstance(answer, dict)
        return answer

    def _hear(self, method: str, params: Mapping[str, Any]) -> None:
        self.told.append((method, params))
        self._changed.set()

    def _lose(self) -> None:
        self.is_gone = True
        self._changed.set()


@asynccontextmanager
async def attached(root: Path) -> AsyncIterator[Reviewer]:
    """A reviewer that the user allows."""
    connection = await Connection.find(root)
    assert connection is not None
    reviewer = Reviewer(connection)
    try:
        await connection.attach()
        await connection.pair()
        yield reviewer
    finally:
        await connection.close()


class RawReviewer(Raw):
    """A reviewer that sends bytes."""

    nonce = b""

    async def attach(self, entry: Entry, name: str = "review", **params: Any) -> Message:
        self.nonce = secrets.token_bytes(pairing.NONCE_BYTES)
        told = {"commitment": pairing.commitment(self.nonce), **params}
        return await super().attach(entry, name, **told)

    async def pair(self, nonce: str | None = None) -> Message:
        return await self.ask("agentfs/pair", {"nonce": self.nonce.hex() if nonce is None else nonce}, 2)

    def code(self, greeting: Message, pid: int | None = None) -> str:
        servers = bytes.fromhex(greeting["result"]["nonce"])
        return pairing.code(self.nonce, servers, os.getpid() if pid is None else pid)
