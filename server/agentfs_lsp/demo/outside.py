"""An agent in a program of its own, which uses `agentfs-lsp mcp` (docs/protocol.md#mcp).

It has no model: it makes the calls that it is given.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

Call = tuple[str, dict[str, Any]]
"""A tool's name and arguments."""

Hear = Callable[[str, dict[str, Any], str | None], None]
"""Called with a call, and again with its result, the text that a model would read."""

VERSION: Final = "2025-11-25"
HOLD_S: Final = 24 * 3600
"""The person may take a day."""

GOODBYE_S: Final = 10.0


class AgentError(Exception):
    """The program ended, or what it sent is not the protocol."""


class McpClient:
    """An MCP client, and the server that it starts. Use it as a context manager."""

    name = "MCP client"

    def __init__(self, root: Path, log: Path) -> None:
        # -P: a module in the workspace must not replace a real one.
        command = [sys.executable, "-P", "-m", "agentfs_lsp", "mcp", "--hold", str(HOLD_S)]
        with log.open("ab") as stderr:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=root,
                start_new_session=True,  # Ctrl-C in the terminal is for the demo
            )
        self._ids = itertools.count(1)

    def play(self, calls: Sequence[Call], hear: Hear) -> None:
        """Make the calls one after the other. Raises AgentError."""
        client = {"name": self.name, "version": "1"}
        params = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
        self._request("initialize", params)
        self._send({"method": "notifications/initialized"})
        for tool, arguments in calls:
            hear(tool, arguments, None)
            result = self._request("tools/call", {"name": tool, "arguments": arguments})
            hear(tool, arguments, result["content"][0]["text"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GOODBYE_S)
            self._process.kill()

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        ident = next(self._ids)
        self._send({"id": ident, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("id") == ident and "result" in message:
                result: dict[str, Any] = message["result"]
                return result
        raise AgentError

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise AgentError from error
