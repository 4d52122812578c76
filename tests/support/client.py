"""The editor's end of a connection to a server process, controlled by the test.

It keeps its own documents in the simplest way (whole strings, positions counted by hand), so that the
server's code never checks itself. The bytes on the wire are the client's; real editors check these.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentfs_lsp.client.endpoint import Endpoint
from support.fork_server import ForkedServer
from support.text_edits import apply_text_edits, path_of, place_of
from support.wire import Message, frame

TIMEOUT_S = 120.0
"""Seconds to wait for an event before failing; events take milliseconds."""

CHUNK = 1 << 20
"""Bytes that are read from the server at once."""

Answer = Callable[[Any], Any]
ServerProcess = asyncio.subprocess.Process | ForkedServer


class RpcError(Exception):
    """A JSON-RPC error in a response of the server or of the script."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class _NoAnswer:
    """The script never answers."""


NO_ANSWER = _NoAnswer()


@dataclass
class OpenDocument:
    """A document in this editor."""

    uri: str
    text: str
    version: int = 1


@dataclass
class Editor:
    """One connection to one server process."""

    process: ServerProcess
    root: Path
    state: Path
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    received: list[Message] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    initialized: Message = field(default_factory=dict)
    listening: asyncio.Task[None] | None = None
    _waiting: dict[int | str, asyncio.Future[Any]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _held: bytearray | None = None
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._endpoint = Endpoint(self.transmit)

    # --- agents and requests ------------------------------------------------------------------------------

    async def request(self, method: str, params: Any = None) -> Any:
        """Send a request and wait for its result. Raises RpcError."""
        return await self.start(method, params)

    def start(self, method: str, params: Any = None) -> asyncio.Future[Any]:
        """Send a request; returns a future for its result. `future.request_id` cancels it."""
        return self._awaited(self._endpoint.request(method, params))

    def start_as(self, request_id: int | str, method: str, params: Any) -> asyncio.Future[Any]:
        """The same with a given id."""
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return self._awaited(request_id)

    def _awaited(self, request_id: int | str) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        future.request_id = request_id  # type: ignore[attr-defined]
        unanswered = loop.call_later(TIMEOUT_S, _give_up, future)
        future.add_done_callback(lambda _: unanswered.cancel())
        self._waiting[request_id] = future
        return future

    async def read(self, path: str, **params: Any) -> Message:
        """agentfs/read."""
        return await self.request("agentfs/read", {"path": path, **params})

    async def write(self, path: str, content: str, **params: Any) -> Message:
        """agentfs/write."""
        return await self.request("agentfs/write", {"path": path, "content": content, **params})

    async def edit(self, path: str, old: str, new: str, **params: Any) -> Message:
        """agentfs/edit."""
        return await self.request(
            "agentfs/edit", {"path": path, "old_string": old, "new_string": new, **params}
        )

    async def undo(self, change_id: str | None = None, **params: Any) -> Message:
        """agentfs/undo."""
        return await self.request("agentfs/undo", {"change_id": change_id, **params})

    async def time_out(self) -> None:
        """Let an hour pass for the server, once it has handled what was sent so far."""
        for _ in range(3):
            await self.request("agentfs/status")
        self.process.send_signal(signal.SIGUSR1)

    async def in_vain(self, answer: Awaitable[Message], edits: int = 1) -> Message:
        """Wait for this response, which keeps the server waiting for more than the script's answer to the
        `edits`th edit."""
        asked = asyncio.ensure_future(answer)
        await self.seen_message("workspace/applyEdit", edits)
        await self.time_out()
        return await asked

    async def pending(self) -> list[Message]:
        """The pending proposals."""
        pending: list[Message] = (await self.request("agentfs/status"))["data"]["pending"]
        return pending

    async def are_pending(self, *states: str) -> list[Message]:
        """Wait until the pending proposals have reached these states."""
        pending = await self.pending()
        while [one["state"] for one in pending] != list(states):
            pending = await self.pending()
        return pending

    def cancel(self, future: asyncio.Future[Any]) -> None:
        """Send `$/cancelRequest` for a started request."""
        self._endpoint.cancel(future.request_id)  # type: ignore[attr-defined]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._endpoint.notify(method, params)

    def send(self, message: object) -> None:
        """Send a message exactly as it is, right or wrong."""
        self.transmit(frame(message))

    def transmit(self, framed: bytes) -> None:
        """Send a message with its header."""
        self.send_bytes(framed)

    def send_bytes(self, data: bytes) -> None:
        """Send any bytes."""
        assert self.process.stdin is not None
        if self._held is None:
            self.process.stdin.write(data)
        else:
            self._held += data

    @contextmanager
    def in_one_piece(self) -> Iterator[None]:
        """What is sent in this context reaches the server in one write."""
        self._held = bytearray()
        yield
        held, self._held = self._held, None
        self.send_bytes(bytes(held))

    # --- documents ----------------------------------------------------------------------------------------

    @property
    def encoding(self) -> str:
        """The agreed position encoding."""
        return self.initialized.get("capabilities", {}).get("positionEncoding", "utf-16")

    def uri(self, path: str) -> str:
        """The URI of a file in the root."""
        return (self.root / path).as_uri()

    def open(self, path: str, text: str | None = None, language: str = "plaintext") -> OpenDocument:
        """Open a file; a `text` other than the disk's is unsaved work."""
        uri = self.uri(path)
        shown = (self.root / path).read_bytes().decode() if text is None else text
        document = self.documents[uri] = OpenDocument(uri, shown)
        item = {"uri": uri, "languageId": language, "version": 1, "text": shown}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return document

    def change(self, path: str, text: str) -> None:
        """The user types: the document now has this text."""
        document = self.documents[self.uri(path)]
        document.text, document.version = text, document.version + 1
        self._tell_change(document, [{"text": text}])

    def save(self, path: str) -> None:
        """The user saves."""
        document = self.documents[self.uri(path)]
        (self.root / path).write_bytes(document.text.encode())
        self.notify("textDocument/didSave", {"textDocument": {"uri": document.uri}})

    def close(self, path: str) -> None:
        """The user closes the document."""
        document = self.documents.pop(self.uri(path))
        self.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def apply(self, edit: Message, *, pinned: bool = True, tell: bool = True) -> bool:
        """Apply a WorkspaceEdit to the open documents like an editor: all or nothing, for matching versions.
        `pinned` False ignores versions; `tell` False leaves didChange to `catch_up`."""
        changes = edit["documentChanges"]
        for change in changes:
            document = self.documents.get(change["textDocument"]["uri"])
            if document is None or (pinned and document.version != change["textDocument"]["version"]):
                return False
        for change in changes:
            document = self.documents[change["textDocument"]["uri"]]
            document.text = apply_text_edits(document.text, change["edits"], self.encoding)
            if not tell:
                continue
            document.version += 1
            wire = [
                {"range": one["range"], "text": one["newText"]}
                for one in sorted(change["edits"], key=lambda one: place_of(one["range"]), reverse=True)
            ]
            self._tell_change(document, wire)
        return True

    def catch_up(self, path: str) -> None:
        """Send didChange with the document's current text."""
        self.change(path, self.documents[self.uri(path)].text)

    def _tell_change(self, document: OpenDocument, changes: list[Message]) -> None:
        identifier = {"uri": document.uri, "version": document.version}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    # --- what the server sends ----------------------------------------------------------------------------

    async def seen(self, method: str, count: int = 1) -> Message:
        """Wait until the server has sent this method `count` times; returns the last params."""
        return (await self.seen_message(method, count))["params"]

    async def seen_message(self, method: str, count: int = 1) -> Message:
        """The same with the whole message."""
        return await self.matching(count, lambda message: message.get("method") == method)

    async def message(self, fits: Callable[[Message], bool]) -> Message:
        """Wait for the server's first matching message."""
        return await self.matching(1, fits)

    async def matching(self, count: int, fits: Callable[[Message], bool]) -> Message:
        """Wait for the server's `count`th matching message."""
        async with asyncio.timeout(TIMEOUT_S):
            while len(found := [message for message in self.received if fits(message)]) < count:
                self._changed.clear()
                await self._changed.wait()
        return found[count - 1]

    def all(self, method: str) -> list[Message]:
        """Every message of this method so far."""
        return [message for message in self.received if message.get("method") == method]

    async def proposed(self, number: int = 1) -> Message:
        """The `number`-th proposal with its texts, for `review` clients."""
        announced = await self.seen("agentfs/proposed", number)
        return await self.request("agentfs/proposal", {"id": announced["id"]})

    async def settle(self, proposal: Message, decision: str = "accepted", **more: Any) -> Message:
        """Settle, and act as the client of 9.1: apply, report, save, report."""
        answer = await self.request("agentfs/settle", {"id": proposal["id"], "decision": decision, **more})
        if answer.get("apply"):
            uri = answer["apply"]["documentChanges"][0]["textDocument"]["uri"]
            done = self.apply(answer["apply"])
            report = {"id": proposal["id"], "files": [{"uri": uri, "applied": done}]}
            applied = await self.request("agentfs/applied", report)
            for saved in applied.get("save", []):
                self.save(os.path.relpath(path_of(saved), self.root))
                await self.request(
                    "agentfs/saved", {"id": proposal["id"], "files": [{"uri": uri, "saved": True}]}
                )
            return {"settle": answer, "applied": applied}
        return {"settle": answer}

    async def ended(self) -> int:
        """The server's exit code, after it has ended and all its output has arrived."""
        code = await asyncio.wait_for(self.process.wait(), TIMEOUT_S)
        if self.listening is not None:
            await asyncio.wait([self.listening], timeout=TIMEOUT_S)
        return code

    async def _listen(self) -> None:
        assert self.process.stdout is not None
        while data := await self.process.stdout.read(CHUNK):
            for message in self._endpoint.messages(data):
                self._receive(message)
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server has ended"))

    def _receive(self, message: Message) -> None:
        self.received.append(message)
        if "method" not in message:
            self._settle_answer(message)
        elif "id" in message:
            task = asyncio.ensure_future(self._answer(message))
            self._tasks.add(task)
        self._changed.set()

    def _settle_answer(self, message: Message) -> None:
        future = self._waiting.pop(message["id"], None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(RpcError(message["error"]["code"], message["error"]["message"]))
        else:
            future.set_result(message["result"])

    async def _answer(self, message: Message) -> None:
        answer = self.answers.get(message["method"])
        try:
            if answer is None:
                raise RpcError(-32601, "unknown method")
            result = answer(message["params"])
            if isinstance(result, Awaitable):
                result = await result
            if isinstance(result, _NoAnswer):
                return
            self._endpoint.answer(message["id"], result)
        except RpcError as error:
            self._endpoint.refuse(message["id"], error.code, error.message)


def _give_up(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_exception(TimeoutError("the server does not answer"))
