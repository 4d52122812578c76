"""The measured servers, all with the same three operations: read, write, edit.

agentfs and its comparison servers run in this environment, the peers where they are installed
(installation.py).
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from typing import Any
from zipfile import ZipFile

from . import installation
from .client import Framing, Server, ServerFailedError
from .results import AGENTFS, BARE, MCP, NPM, PYGLS

SCRIPTS = Path(__file__).resolve().parent / "servers"


@dataclass(frozen=True, slots=True)
class Party:
    """How to start a server for a workspace. `scratch` is for its log and agentfs' state, and `options` are
    its settings, besides those of `LanguageServer`."""

    name: str
    framing: Framing
    command: Callable[[Path], Sequence[str]]
    options: Mapping[str, Any] = field(default_factory=dict)

    def start(self, workspace: Path, scratch: Path) -> Connection:
        """Start it and wait for the response to `initialize`. Raises ServerFailedError."""
        kind = LanguageServer if self.framing == "header" else ToolServer
        return kind(self, workspace, scratch)


class Connection(ABC):
    """A started server. Every call returns milliseconds, or raises ServerFailedError."""

    client = Server
    """The end of the pipes that answers the server's requests."""

    def __init__(self, party: Party, workspace: Path, scratch: Path) -> None:
        self.workspace = workspace
        self.party = party
        command = party.command(workspace)
        home = scratch / "home"
        home.mkdir(exist_ok=True)
        env = {**os.environ, "HOME": str(home)}
        for name in (
            "XDG_STATE_HOME",
            "XDG_DATA_HOME",
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_RUNTIME_DIR",
        ):
            env[name] = str(home)
        start = perf_counter_ns()
        self.server = self.client(
            command,
            party.framing,
            env=env,
            cwd=workspace,
            log=scratch / f"{party.name.replace(' ', '-')}.log",
        )
        try:
            self._initialize()
        except ServerFailedError:
            self.close()
            raise
        self.start_ms = (perf_counter_ns() - start) / 1e6

    @abstractmethod
    def read(self, name: str) -> float:
        """Read a whole file."""

    @abstractmethod
    def write(self, name: str, content: str) -> float:
        """Replace a whole file."""

    @abstractmethod
    def edit(self, name: str, old: str, new: str) -> float:
        """Replace the only occurrence of `old`."""

    @property
    def pid(self) -> int:
        """The process id."""
        return self.server.process.pid

    def close(self) -> None:
        """End the process."""
        self.server.close()

    @abstractmethod
    def _initialize(self) -> None:
        """The handshake."""


class LanguageServer(Connection):
    """agentfs, or a comparison server that only knows `agentfs/status`. Nobody can be asked, so all changes
    are allowed, as a user may choose."""

    capabilities: Mapping[str, Any] = {}
    options: Mapping[str, Any] = {"approval": {"mode": "auto_edit"}}

    def _initialize(self) -> None:
        uri = self.workspace.as_uri()
        self.server.call(
            "initialize",
            {
                "processId": os.getpid(),
                "clientInfo": {"name": "bench", "version": "1"},
                "rootUri": uri,
                "workspaceFolders": [{"uri": uri, "name": self.workspace.name}],
                "capabilities": self.capabilities,
                "initializationOptions": {**self.options, **self.party.options},
            },
        )
        self.server.notify("initialized", {})

    def status(self, *before: tuple[str, Any]) -> float:
        """The smallest request, after the notifications `before` it."""
        return self._ask("agentfs/status", {}, *before)

    def history(self, **params: str) -> float:
        """The newest 50 matching changes."""
        return self._ask("agentfs/history", params)

    def read(self, name: str) -> float:
        return self._ask("agentfs/read", {"path": name, "limit": 0})

    def write(self, name: str, content: str) -> float:
        return self._ask("agentfs/write", {"path": name, "content": content})

    def edit(self, name: str, old: str, new: str) -> float:
        return self._ask("agentfs/edit", {"path": name, "old_string": old, "new_string": new})

    def batch(self, names: list[str], content: str) -> float:
        """Replace all these files together."""
        operations = [{"tool": "write", "params": {"path": name, "content": content}} for name in names]
        answer, elapsed = self.server.call("agentfs/batch", {"operations": operations})
        if answer["status"] == "error" or answer["stats"]["files_changed"] != len(names):
            raise ServerFailedError(f"agentfs/batch: {answer['text']}"[:300])
        return elapsed

    def _ask(self, method: str, params: dict[str, Any], *before: tuple[str, Any]) -> float:
        answer, elapsed = self.server.call(method, params, *before)
        if answer["status"] != "success":
            raise ServerFailedError(f"{method}: {answer.get('text') or answer}"[:300])
        if method in ("agentfs/write", "agentfs/edit") and (
            not answer["data"]["applied"] or answer["data"].get("unchanged")
        ):
            raise ServerFailedError(f"{method}: nothing landed")
        return elapsed


class ToolServer(Connection):
    """A peer that speaks MCP; the npm package and the Python server differ only in their tools' names."""

    def __init__(self, party: Party, workspace: Path, scratch: Path) -> None:
        self._npm = party.name == NPM
        super().__init__(party, workspace, scratch)

    def _initialize(self) -> None:
        self.server.call(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            },
        )
        self.server.notify("notifications/initialized", {})

    def read(self, name: str) -> float:
        return self._use("read_text_file" if self._npm else "read_file", name, {})

    def write(self, name: str, content: str) -> float:
        return self._use("write_file", name, {"content": content})

    def edit(self, name: str, old: str, new: str) -> float:
        if self._npm:
            return self._use("edit_file", name, {"edits": [{"oldText": old, "newText": new}]})
        return self._use("edit_file", name, {"old_text": old, "new_text": new})

    def _use(self, tool: str, name: str, arguments: dict[str, Any]) -> float:
        path = str(self.workspace / name)
        answer, elapsed = self.server.call(
            "tools/call", {"name": tool, "arguments": {"path": path, **arguments}}
        )
        if answer.get("isError"):
            raise ServerFailedError(f"{tool}: {answer['content'][0].get('text')}"[:300])
        return elapsed


def agentfs() -> Party:
    """This project's server, as it is without the extras, which development installs."""
    return Party(
        AGENTFS,
        "header",
        lambda _: [sys.executable, "-m", "agentfs_lsp"],
        options={"diagnostics": {"syntax": False}},
    )


def bundled(folder: Path) -> Party:
    """This project's server as the VS Code extension starts it, unpacked into `folder`. Raises
    NotAvailableError."""
    try:
        with ZipFile(installation.PROJECT / "dist" / "agentfs.vsix") as package:
            package.extractall(folder, [it for it in package.namelist() if "/bundled/" in it])
    except OSError as error:
        raise installation.NotAvailableError("`make vsix` has not been run") from error
    script = str(folder / "extension" / "bundled" / "run_server.py")
    return Party(AGENTFS, "header", lambda _: [sys.executable, "-I", "-S", script])


def bare_loop() -> Party:
    """The minimum for a Python server (servers/bare_loop.py)."""
    return Party(BARE, "header", lambda _: [sys.executable, str(SCRIPTS / "bare_loop.py")])


def stock_pygls() -> Party:
    """Unmodified pygls (servers/stock_pygls.py)."""
    return Party(PYGLS, "header", lambda _: [sys.executable, str(SCRIPTS / "stock_pygls.py")])


def npm_filesystem() -> Party:
    """The npm package. Raises NotAvailableError."""
    node, entry = installation.npm_filesystem()
    return Party(NPM, "line", lambda workspace: [node, str(entry), str(workspace)])


def python_mcp() -> Party:
    """A tool server with the Python SDK (servers/mcp_tools.py). Raises NotAvailableError."""
    python = installation.python_mcp()
    return Party(MCP, "line", lambda workspace: [str(python), str(SCRIPTS / "mcp_tools.py"), str(workspace)])
