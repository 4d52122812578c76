"""A scripted editor: a real server process on stdio, and a client that does what the test tells it.

It keeps its own documents the plain way (whole strings, positions counted in UTF-16 units by hand), so that
nothing of the server is used to check the server. By default it behaves like a good client without a review
of its own: it answers what it must, applies edits that are pinned to the right version, and asks nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from support.wire import Message, frame, read_message

TIMEOUT_S = 30.0
"""How long a test waits for an event before it fails; events come in milliseconds."""

REVIEW = {"experimental": {"agentfs": {"review": True, "save": True}}}
MANUAL: dict[str, Any] = {}
AUTO = {"approval": {"mode": "auto_edit"}}

Answer = Callable[[Any], Any]


class RpcError(Exception):
    """A JSON-RPC error that the server answered with, or that the script answers with."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(code, message)
        self.code, self.message = code, message


class _NoAnswer:
    """The script never answers."""


NO_ANSWER = _NoAnswer()


@dataclass
class OpenDocument:
    """A document as this editor holds it."""

    uri: str
    text: str
    version: int = 1


@dataclass
class Editor:
    """One connection to one server process."""

    process: asyncio.subprocess.Process
    root: Path
    state: Path
    documents: dict[str, OpenDocument] = field(default_factory=dict)
    received: list[Message] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    initialized: Message = field(default_factory=dict)
    _waiting: dict[int | str, asyncio.Future[Any]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _number: int = 0
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    # --- agents and requests ------------------------------------------------------------------------------

    async def request(self, method: str, params: Any = None) -> Any:
        """The result; raises RpcError when the answer is one."""
        return await self.start(method, params)

    def start(self, method: str, params: Any = None) -> asyncio.Future[Any]:
        """Send a request; the future is its answer. `future.request_id` cancels it."""
        self._number += 1
        return self.start_as(self._number, method, params)

    def start_as(self, request_id: int | str, method: str, params: Any) -> asyncio.Future[Any]:
        """The same with an id of the test's own choice."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        future.request_id = request_id  # type: ignore[attr-defined]
        unanswered = loop.call_later(TIMEOUT_S, _give_up, future)
        future.add_done_callback(lambda _: unanswered.cancel())
        self._waiting[request_id] = future
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
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

    def cancel(self, future: asyncio.Future[Any]) -> None:
        """`$/cancelRequest` for a started request."""
        self.notify("$/cancelRequest", {"id": future.request_id})  # type: ignore[attr-defined]

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, message: object) -> None:
        """Send any message."""
        self.send_bytes(frame(message))

    def send_bytes(self, data: bytes) -> None:
        """Send any bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    # --- documents ----------------------------------------------------------------------------------------

    @property
    def encoding(self) -> str:
        """The position encoding agreed on."""
        return self.initialized.get("capabilities", {}).get("positionEncoding", "utf-16")

    def uri(self, path: str) -> str:
        """The URI of a file in the root."""
        return (self.root / path).as_uri()

    def open(self, path: str, text: str | None = None, language: str = "plaintext") -> OpenDocument:
        """Open a file as an editor does; `text` other than the disk's is unsaved work."""
        uri = self.uri(path)
        shown = (self.root / path).read_bytes().decode() if text is None else text
        document = self.documents[uri] = OpenDocument(uri, shown)
        item = {"uri": uri, "languageId": language, "version": 1, "text": shown}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return document

    def change(self, path: str, text: str) -> None:
        """The user has typed: the document now reads `text`."""
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
        """Apply a WorkspaceEdit to the open documents the way editors do: all or nothing, right versions.
        Not `pinned`: whatever the versions; not `tell`: didChange is left to `catch_up`."""
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
                for one in sorted(change["edits"], key=lambda one: _key(one["range"]), reverse=True)
            ]
            self._tell_change(document, wire)
        return True

    def catch_up(self, path: str) -> None:
        """Tell what the document reads by now."""
        self.change(path, self.documents[self.uri(path)].text)

    def _tell_change(self, document: OpenDocument, changes: list[Message]) -> None:
        identifier = {"uri": document.uri, "version": document.version}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": changes})

    # --- what the server sends ----------------------------------------------------------------------------

    async def seen(self, method: str, count: int = 1) -> Message:
        """Wait until the server has sent this method `count` times; its last params."""
        return (await self.seen_message(method, count))["params"]

    async def seen_message(self, method: str, count: int = 1) -> Message:
        """The same with the whole message."""
        return await self._the(count, lambda message: message.get("method") == method)

    async def message(self, fits: Callable[[Message], bool]) -> Message:
        """Wait for the first message of the server that fits."""
        return await self._the(1, fits)

    async def _the(self, count: int, fits: Callable[[Message], bool]) -> Message:
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
        """Settle, and do the client's part of 9.1: apply, report, save, report."""
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
        """The server's exit code, once it has ended."""
        return await asyncio.wait_for(self.process.wait(), TIMEOUT_S)

    async def _listen(self) -> None:
        assert self.process.stdout is not None
        while (message := await read_message(self.process.stdout)) is not None:
            self.received.append(message)
            if "method" not in message:
                self._settle_answer(message)
            elif "id" in message:
                task = asyncio.ensure_future(self._answer(message))
                self._tasks.add(task)
            self._changed.set()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(EOFError("the server has ended"))

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
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        except RpcError as error:
            wire = {"code": error.code, "message": error.message}
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": wire})


@contextlib.asynccontextmanager
async def connected(
    root: Path,
    *,
    answers: dict[str, Answer] | None = None,
    command: list[str] | None = None,
    arguments: Sequence[str] = (),
    state: Path | None = None,
    env: dict[str, str] | None = None,
    stderr: Path | None = None,
) -> AsyncIterator[Editor]:
    """A server process with nothing said yet. It is killed at the end, where it has not ended by itself.
    `arguments` are added to the command; `stderr` is a file to keep what it writes there."""
    state = state or root.parent / f"{root.name}-state"
    with _writing(stderr) as errors:
        process = await asyncio.create_subprocess_exec(
            *(command or [sys.executable, "-m", "agentfs_lsp"]),
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors if stderr else None,
            env={**os.environ, "XDG_STATE_HOME": str(state), **(env or {})},
            limit=1 << 30,
        )
    editor = Editor(process, root, state)
    editor.answers = {
        "workspace/applyEdit": lambda params: {"applied": editor.apply(params["edit"])},
        "workspace/configuration": lambda params: [None for _ in params["items"]],
        "client/registerCapability": lambda _: None,
        **(answers or {}),
    }
    listening = asyncio.ensure_future(editor._listen())
    try:
        yield editor
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        listening.cancel()
        for task in editor._tasks:
            task.cancel()
        await asyncio.gather(listening, *editor._tasks, return_exceptions=True)
        assert process.stdin is not None
        process.stdin.close()


@contextlib.asynccontextmanager
async def editing(
    root: Path,
    *,
    capabilities: Message | None = None,
    options: Message | None = None,
    name: str = "test editor",
    folders: list[tuple[str, Path]] | None = None,
    locale: str | None = None,
    **connection: Any,
) -> AsyncIterator[Editor]:
    """An editor with the workspace `root` open, shut down properly at the end. `connection`: what `connected`
    takes."""
    async with connected(root, **connection) as editor:
        params = handshake(root, capabilities, options, name, folders, locale)
        editor.initialized = await editor.request("initialize", params)
        editor.notify("initialized", {})
        yield editor
        if editor.process.returncode is None:
            with contextlib.suppress(EOFError, RpcError):
                await editor.request("shutdown")
            editor.notify("exit", None)
            await editor.ended()


def _give_up(future: asyncio.Future[Any]) -> None:
    if not future.done():
        future.set_exception(TimeoutError("the server does not answer"))


def _writing(path: Path | None) -> IO[bytes]:
    return (path or Path(os.devnull)).open("wb")


def handshake(
    root: Path,
    capabilities: Message | None = None,
    options: Message | None = None,
    name: str = "test editor",
    folders: list[tuple[str, Path]] | None = None,
    locale: str | None = None,
) -> Message:
    """The params of `initialize`."""
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": name},
        "locale": locale,
        "rootUri": None if folders == [] else root.as_uri(),
        "workspaceFolders": [
            {"name": folder, "uri": path.as_uri()}
            for folder, path in ([(root.name, root)] if folders is None else folders)
        ],
        "capabilities": capabilities or {},
        "initializationOptions": options,
    }


_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_LINE = re.compile(r"\r\n|\r|\n")


def apply_text_edits(text: str, edits: list[Message], encoding: str = "utf-16") -> str:
    """TextEdits applied from the last to the first; columns are units of the encoding."""
    for edit in sorted(edits, key=lambda one: _key(one["range"]), reverse=True):
        start, end = (offset_of(text, edit["range"][edge], encoding) for edge in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def offset_of(text: str, position: Message, encoding: str = "utf-16") -> int:
    """A position as an offset, counted by hand."""
    starts = [0, *(match.end() for match in _LINE.finditer(text))]
    if position["line"] >= len(starts):
        return len(text)
    line = text[starts[position["line"]] :]
    units, offset = 0, 0
    while units < position["character"] and offset < len(line):
        units += (
            len(line[offset].encode(f"{encoding}-le" if encoding != "utf-8" else encoding)) // _UNIT[encoding]
        )
        offset += 1
    return starts[position["line"]] + offset


def path_of(uri: str) -> str:
    """The path of a `file:` URI of a test's."""
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(uri).path)


def recorded(name: str) -> Message:
    """What a real editor sent in its `initialize`: {"clientInfo", "capabilities"}."""
    folder = Path(__file__).parents[1] / "editors" / "capabilities"
    loaded = json.loads((folder / f"{name}-client-capabilities.json").read_text())
    assert isinstance(loaded, dict)
    return loaded


def _key(span: Message) -> tuple[int, int]:
    return span["start"]["line"], span["start"]["character"]
