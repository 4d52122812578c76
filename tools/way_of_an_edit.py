"""Counts the functions between an edit's incoming bytes and its outgoing ones.

    .venv/bin/python tools/way_of_an_edit.py [review]

Counts what takes part in the edit's I/O: every function of the server on the stack, called or awaited, when
its request is read and answered, a port of the use cases does I/O (the disk, the history, the client), or
work is given to a thread or task. Excludes pure computation (matching, diffs, texts) and what is behind a
port. Without `review` policy allows the edit; with it, a review client accepts it, by requests of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentfs_lsp.adapters.catalog import translator_for
from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.adapters.review.diff_file import DiffFiles
from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.lsp.server import create_server
from agentfs_lsp.lsp.transport.connection import Transport

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    Function = tuple[str, str]
    """Module and name."""

PACKAGE = "agentfs_lsp/"
IO = {
    "adapters/disk.py": "DiskStore.",
    "adapters/history/history.py": "SqliteHistory.",
    "adapters/landing/transaction.py": "",
    "lsp/outgoing.py": "Outgoing.",
    "lsp/transport/writer.py": "Writer.put",
    "service/state/workspace.py": "in_thread",
}
"""Where I/O happens: by module, the prefix of the functions' names."""
HANDED_ON = (asyncio.ensure_future.__code__, asyncio.to_thread.__code__)
"""Functions that give work to another task or thread, whose stack doesn't show for whom it works."""
BEHIND = ("adapters/disk.py", "adapters/fs/", "adapters/landing/", "adapters/history/", "domain/")
"""Pure modules, and those behind the ports."""
TRIES = 3
"""The shortest of this many attempts counts: on a busy machine the transport sometimes pauses."""


class Way(dict["Function", None]):
    """The functions on the way, in order of their first I/O."""

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """For `sys.setprofile`."""
        if event != "call":
            return
        at = _function(frame)
        if frame.f_code in HANDED_ON or (at and at[1].startswith(IO.get(at[0], "-"))):
            for function in reversed([one for one in _stack(frame) if not one[0].startswith(BEHIND)]):
                self.setdefault(function)

    def __str__(self) -> str:
        return f"{len(self)} functions in {len({module for module, _ in self})} modules"


def _function(frame: FrameType) -> Function | None:
    _, package, module = frame.f_code.co_filename.rpartition(PACKAGE)
    return (module, frame.f_code.co_qualname) if package else None


def _stack(frame: FrameType | None) -> Iterator[Function]:
    while frame is not None:
        function = _function(frame)
        if function is not None and not function[1].endswith(">"):
            yield function
        frame = frame.f_back


class Client:
    """A client of a whole server in this process, over pipes. It accepts what it is asked."""

    def __init__(self, state: StateFolder) -> None:
        self._requests, self._answers = os.pipe(), os.pipe()
        self._said: asyncio.Queue[Any] = asyncio.Queue()
        self._held = b""
        self._number = 0
        self._transport = Transport(
            self._requests[0],
            self._answers[1],
            on_message=lambda message: server.protocol.handle_message(message),  # noqa: PLW0108 - made below
            on_malformed=lambda *_: None,
            on_end=lambda: None,
            max_body=1 << 20,
        )
        self._history = SqliteHistory(state, HistorySettings())
        disk, diffs = DiskStore(state), DiffFiles(state.path)
        own = (disk, self._history, diffs, [state.path], translator_for)
        server = create_server(self._transport.send, lambda _: None, *own)
        self._loop = asyncio.get_running_loop()
        self._transport.start(self._loop)
        self._loop.add_reader(self._answers[0], self._listen)

    def _listen(self) -> None:
        self._held += os.read(self._answers[0], 1 << 20)
        while b"\r\n\r\n" in self._held:
            head, _, rest = self._held.partition(b"\r\n\r\n")
            size = int(head.split(b":")[1])
            if len(rest) < size:
                return
            self._said.put_nowait(json.loads(rest[:size]))
            self._held = rest[size:]

    def tell(self, method: str, **more: object) -> None:
        """Send a message."""
        body = json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode()
        os.write(self._requests[1], b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def ask(self, method: str, **params: object) -> Any:
        """Send a request, and wait for its result."""
        self._number += 1
        self.tell(method, params=params, id=self._number)
        while True:
            message = await self._said.get()
            if message.get("method") == "agentfs/proposed":
                proposal = message["params"]["id"]
                self.tell("agentfs/settle", params={"id": proposal, "decision": "accepted"}, id=proposal)
            elif message.get("id") == self._number and "method" not in message:
                return message["result"]

    def close(self) -> None:
        """End the server."""
        self._loop.remove_reader(self._answers[0])
        self._transport.close()
        self._history.close()
        for end in (*self._requests, *self._answers):
            os.close(end)


async def _measured(root: Path, state: StateFolder, *, reviewed: bool) -> Way:
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    client = Client(state)
    knows = {"experimental": {"agentfs": {"review": True}}} if reviewed else {}
    options = {"approval": {"mode": "manual" if reviewed else "auto_edit"}}
    uri = root.as_uri()
    await client.ask("initialize", rootUri=uri, capabilities=knows, initializationOptions=options)
    client.tell("initialized", params={})
    await client.ask("agentfs/read", path="a.txt")
    await client.ask("agentfs/edit", path="a.txt", old_string="one", new_string="number 0")
    ways = []
    for number in range(TRIES):
        way, old, new = Way(), f"number {number}", f"number {number + 1}"
        threading.setprofile(way.profile)
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))  # to profile its thread too
        sys.setprofile(way.profile)
        answer = await client.ask("agentfs/edit", path="a.txt", old_string=old, new_string=new)
        sys.setprofile(None)
        threading.setprofile(None)
        assert answer["data"]["applied"], answer
        ways.append(way)
    client.close()
    return min(ways, key=len)


def way_of_an_edit(*, reviewed: bool = False) -> Way:
    """Make an edit of a small file through a whole server."""
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as home:
        before = os.environ.get("XDG_STATE_HOME")
        os.environ["XDG_STATE_HOME"] = home
        try:
            return asyncio.run(_measured(Path(root).resolve(), StateFolder(), reviewed=reviewed))
        finally:
            if before is None:
                del os.environ["XDG_STATE_HOME"]
            else:
                os.environ["XDG_STATE_HOME"] = before


if __name__ == "__main__":
    found = way_of_an_edit(reviewed=sys.argv[1:] == ["review"])
    for module, name in found:
        print(f"{module}: {name}")
    print(found)
