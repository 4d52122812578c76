"""An editor's server with an agents' socket, and an agent that sends bytes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from agentfs_lsp.sockets import discovery
from agentfs_lsp.sockets.discovery import Entry
from support.editor import Editor, editing
from support.wire import Message, frame, read_message


def starting(root: Path, sockets: Path, **options: Any) -> AbstractAsyncContextManager[Editor]:
    """An editor whose server will have a socket there."""
    return editing(root, env={"AGENTFS_TEST_SOCKETS": str(sockets)}, **options)


@asynccontextmanager
async def found(root: Path, sockets: Path, **options: Any) -> AsyncIterator[tuple[Editor, Entry]]:
    """The same, once agents find it; with its entry."""
    async with starting(root, sockets, **options) as editor:
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
