"""Real Neovim and Emacs in a terminal, attached to a real server according to docs/editors.md.

A relay between them shows the test every message and lets it send an agent's requests. `make
test-terminal-editors` installs the editors.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from support.terminal import TIMEOUT_S, Terminal, terminal
from support.wire import Message

TESTS = Path(__file__).parents[1]
# Else every Emacs begins to compile what the system's files need, into its own new home.
NOT_COMPILED = "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)"
ASK, SHOW = "window/showMessageRequest", "window/showDocument"


class RealEditor:
    """The editor's screen and keys, its messages, and an agent's requests."""

    def __init__(self, screen: Terminal, root: Path, wire: Wire) -> None:
        self.screen = screen
        self.root = root
        self.wire = wire

    async def press(self, keys: str, method: str) -> Message:
        """Press keys that make the editor, or then the server, send this method once more."""
        seen = len(self.wire.all(method))
        self.screen.press(keys)
        return await self.wire.seen(method, seen + 1)

    async def read_and_edit(self, path: str, old: str, new: str) -> asyncio.Future[Message]:
        """Start an agent's edit, after reading the file."""
        await self.wire.ask("agentfs/read", {"path": path})
        params = {"path": path, "old_string": old, "new_string": new, "agent": "Ada"}
        return self.wire.ask("agentfs/edit", params)


class Wire:
    """The relay's reports."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, Message]] = []
        self._changed = asyncio.Event()
        self._to_server: asyncio.StreamWriter | None = None
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        self._numbers = itertools.count(1)

    async def attach(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._to_server = writer
        with contextlib.suppress(asyncio.CancelledError):  # the test is over
            while line := await reader.readline():
                told = json.loads(line)
                self._take(told["from"], told["message"])
        writer.close()

    def _take(self, sender: str, message: Message) -> None:
        self.messages.append((sender, message))
        if "method" not in message and (waiting := self._waiting.pop(str(message.get("id")), None)):
            waiting.set_result(message.get("result") or message)
        self._changed.set()

    def ask(self, method: str, params: Message) -> asyncio.Future[Message]:
        """Send an agent's request; returns a future for its response."""
        assert self._to_server is not None
        request_id = f"test-{next(self._numbers)}"
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        request = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        self._to_server.write(json.dumps(request).encode() + b"\n")
        return answer

    def notify(self, method: str, params: Message) -> None:
        """Send a notification of the editor's or the agent's."""
        assert self._to_server is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self._to_server.write(json.dumps(message).encode() + b"\n")

    def all(self, method: str) -> list[Message]:
        return [message for _, message in self.messages if message.get("method") == method]

    async def seen(self, method: str, count: int = 1) -> Message:
        """Wait for the `count`th message with that method."""
        await self.until(lambda: len(self.all(method)) >= count, f"{count} x {method}")
        return self.all(method)[count - 1]

    async def answered(self, request: Message) -> Message:
        """The editor's response to the server's request."""

        def answers() -> list[Message]:
            return [
                message
                for sender, message in self.messages
                if sender == "editor" and "method" not in message and message.get("id") == request["id"]
            ]

        await self.until(lambda: bool(answers()), f"an answer to {request['method']}")
        return answers()[0]

    async def response(self, request: Message) -> Message:
        """The server's response to the editor's request."""

        def answers() -> list[Message]:
            return [
                message
                for sender, message in self.messages
                if sender == "server" and "method" not in message and message.get("id") == request["id"]
            ]

        await self.until(lambda: bool(answers()), f"a response to {request['method']}")
        return answers()[0]

    async def until(self, there: Callable[[], bool], what: str) -> None:
        """Wait until a message has made this true."""
        try:
            async with asyncio.timeout(TIMEOUT_S):
                while not there():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            methods = [f"{sender} {message.get('method', message)}" for sender, message in self.messages]
            raise AssertionError(f"never sent: {what}\n" + "\n".join(methods)) from None


@contextlib.asynccontextmanager
async def editing(
    root: Path,
    command: list[str],
    server: list[str] | None = None,
    starts: tuple[str, str] | None = None,
    more_env: dict[str, str] | None = None,
) -> AsyncIterator[RealEditor]:
    """The editor with the server attached. Its configuration finds the server on the PATH. `starts`: what the
    screen asks before the editor starts it, and the keys that answer."""
    wire = Wire()
    home = root.parent / "home"
    home.mkdir(exist_ok=True)
    (home / ".emacs.d").mkdir(exist_ok=True)
    (home / ".emacs.d/early-init.el").write_text(NOT_COMPILED)
    socket = str(home / "relay")
    listening = await asyncio.start_unix_server(wire.attach, socket, limit=1 << 26)
    launcher = home / "agentfs-lsp"
    words = [
        sys.executable,
        "-m",
        "support.relay",
        socket,
        *(server or [sys.executable, "-m", "agentfs_lsp"]),
    ]
    version = f"[ \"$1\" = --version ] && exec '{sys.executable}' -m agentfs_lsp --version"
    launcher.write_text(f"#!/bin/sh\n{version}\nexec " + " ".join(f"'{word}'" for word in words) + "\n")
    launcher.chmod(0o755)
    env = {
        "PATH": f"{home}:{os.environ['PATH']}",
        "PYTHONPATH": str(TESTS),
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_RUNTIME_DIR": str(home),
        **(more_env or {}),
    }
    async with listening, terminal(command, root, env) as screen:
        if starts is not None:
            await screen.shows(starts[0])
            screen.press(starts[1])
        # Until the settings are known, each change is asked.
        await wire.answered(await wire.seen("workspace/configuration"))
        yield RealEditor(screen, root, wire)
