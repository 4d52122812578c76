"""Transcripts: all messages between a client and a real server, readable, and the same in every run on every
machine.

A transcript consists of blocks: a heading such as `--- client`, then one message as indented JSON with sorted
keys. A response of the client's script follows the server's request directly, after whatever the script sent
on the way to it.
"""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentfs_lsp import __version__
from support.client import Editor, RpcError
from support.editor import connected, editing
from support.wire import Message

__all__ = ["Block", "Recorder", "Transcript", "blocks_of"]

TIMES = {"duration_ms", "time_ms", "mtime_ms", "file_mtime_ms", "expected_mtime_ms", "waited_ms", "since_ms"}
"""Keys whose numbers vary. Only whether they are integers is kept."""

_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")
_REQUEST = re.compile(r"(?<=^agentfs-)[0-9a-f]{8}-(?=(?:question-)?\d+$)")
_INCIDENT = re.compile(r"(incident |事件编号 )[0-9a-f]{8}\b")
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(Z|\+00:00)")
_HEAD = re.compile(r"^--- (.+)\n", re.MULTILINE)
_BARRIER = "test/barrier"


@dataclass
class Block:
    """`by` is its heading. `answer`: what the client's script sent because of it."""

    by: str
    content: Any
    answer: list[Block] = field(default_factory=list)


@dataclass
class Recorder(Editor):
    """A scripted editor that records what it sends and receives. Its script must answer without waiting."""

    blocks: list[Block] = field(default_factory=list)
    _answering: Block | None = None
    _barriers: int = 0

    def transmit(self, framed: bytes) -> None:
        """Send a message with its header."""
        message = json.loads(framed.partition(b"\r\n\r\n")[2])
        if not (isinstance(message, dict) and message.get("method") == _BARRIER):
            self._note("client", _without_capabilities(message))
        super().transmit(framed)

    def send_raw(self, data: bytes, framed: bool = True) -> None:
        """Send bytes that are not a message; `framed`: as a body."""
        self._note("client, as text", data.decode("ascii", "backslashreplace"))
        header = b"Content-Length: %d\r\n\r\n" % len(data) if framed else b""
        self.send_bytes(header + data)

    async def caught_up(self) -> None:
        """Wait until the server has processed everything sent so far and its immediate responses are here."""
        self._barriers += 1
        try:
            await self.start_as(f"barrier-{self._barriers}", _BARRIER, None)
        except RpcError:
            return
        raise AssertionError(_BARRIER)

    async def tell(self, method: str, params: Any) -> None:
        """Send a notification, and wait for the server's immediate messages."""
        self.notify(method, params)
        await self.caught_up()

    async def refused(self, method: str, params: Any = None) -> None:
        """Send a request that gets a JSON-RPC error."""
        try:
            await self.request(method, params)
        except RpcError:
            return
        raise AssertionError(method)

    async def answered(self, method: str, count: int = 1) -> Message:
        """Wait until the server has sent this request `count` times and the script has answered."""
        message = await self.seen_message(method, count)
        await self.caught_up()
        return message

    def _note(self, by: str, content: Any) -> None:
        blocks = self.blocks if self._answering is None else self._answering.answer
        blocks.append(Block(by, copy.deepcopy(content)))

    def _receive(self, message: Message) -> None:
        if not str(message.get("id")).startswith("barrier-"):
            self.blocks.append(Block("server", message))
        super()._receive(message)

    async def _answer(self, message: Message) -> None:
        (self._answering,) = (block for block in self.blocks if block.content is message)
        try:
            await super()._answer(message)
        finally:
            self._answering = None


class Transcript:
    """The messages of one scenario, over one or more connections, and the actions in the workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.blocks: list[Block] = []

    @asynccontextmanager
    async def editing(
        self, opened: Callable[..., Any] = editing, *, greeting: bool = False, **options: Any
    ) -> AsyncIterator[Recorder]:
        """An editor whose messages are recorded, with the server's `greeting` only on request. `opened`
        creates the editor from `options`, such as a persona's `editing`."""
        async with opened(self.root, editor_class=self._recorder, **options) as editor:
            assert isinstance(editor, Recorder)
            if not greeting:
                hello = next(one for one in editor.received if "result" in one)
                self.blocks[:] = [block for block in self.blocks if block.content is not hello]
            await editor.caught_up()
            yield editor

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Recorder]:
        """A connection before any message."""
        async with connected(self.root, editor_class=self._recorder) as editor:
            assert isinstance(editor, Recorder)
            yield editor

    def remove(self, path: str) -> None:
        """Remove a file of the workspace."""
        (self.root / path).unlink()
        self.blocks.append(Block("on disk", {path: None}))

    def put(self, files: dict[str, str | bytes]) -> None:
        """Write these files of the workspace."""
        for path, content in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        shown = {path: (self.root / path).read_bytes() for path in files}
        self.blocks.append(Block("on disk", {path: _shown(data) for path, data in shown.items()}))

    def note(self, what: str, content: Any) -> None:
        """Record something else that happened."""
        self.blocks.append(Block(what, content))

    def text(self) -> str:
        """The transcript, with the final workspace."""
        files = {
            path.relative_to(self.root).as_posix(): _shown(path.read_bytes())
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and os.access(path, os.R_OK)
        }
        normal = _Normal(self.root)
        blocks = [*_in_order(self.blocks), Block("on disk at the end", files)]
        return "\n".join(
            f"--- {block.by}\n{_printed(normal.of(_without_version(block.content)))}\n" for block in blocks
        )

    def _recorder(self, *connection: Any) -> Recorder:
        return Recorder(*connection, blocks=self.blocks)


def blocks_of(text: str) -> list[tuple[str, Any]]:
    """The blocks of a transcript: who, and the message."""
    _, *parts = _HEAD.split(text)
    return [(by, json.loads(content)) for by, content in zip(parts[::2], parts[1::2], strict=True)]


class _Normal:
    """Replaces what varies between runs and machines; ids by their order of appearance."""

    def __init__(self, root: Path) -> None:
        home = root.parent
        spelled = {home.as_uri(): "file:///home/ada", str(home): "/home/ada"}
        spelled |= {home.resolve().as_uri(): "file:///home/ada", str(home.resolve()): "/home/ada"}
        self._paths = sorted(spelled.items(), key=lambda one: -len(one[0]))
        self._ids: dict[str, str] = {}

    def of(self, value: Any, key: str = "") -> Any:
        match value:
            case dict():
                return {self._text(name): self.of(each, name) for name, each in sorted(value.items())}
            case list() if key == "actions" and value.count(value[0]) > 1:  # an approval in a random position
                return sorted(value, key=str)
            case list():
                return [self.of(each) for each in value]
            case str() if key == "version" and value == __version__:
                return "<version>"
            case str():
                return self._text(value)
            case int() | float() if key in TIMES:
                return type(value)(0)
            case _:
                return value

    def _text(self, text: str) -> str:
        for path, shown in self._paths:
            text = text.replace(path, shown)
        text = _REQUEST.sub("", _DATE_TIME.sub("<time>", text))
        text = _INCIDENT.sub(r"\1<number>", text)
        return _ID.sub(lambda found: self._ids.setdefault(found[0], f"<id {len(self._ids) + 1}>"), text)


def _in_order(blocks: list[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        yield from _in_order(block.answer)


def _printed(content: Any) -> str:
    """With invisible characters escaped."""
    text = json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False)
    return "".join(one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text)


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _without_version(message: Any) -> Any:
    """A message without its `jsonrpc` member."""
    if isinstance(message, dict) and message.get("jsonrpc") == "2.0":
        return {key: value for key, value in message.items() if key != "jsonrpc"}
    return message


def _without_capabilities(message: Any) -> Any:
    """Without a real editor's long capabilities, and its process id, which varies."""
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return message
    params = dict(message["params"])
    del params["processId"]
    if len(params["capabilities"]) > 2:
        params["capabilities"] = "those of " + params["clientInfo"]["name"]
    return {**message, "params": params}
