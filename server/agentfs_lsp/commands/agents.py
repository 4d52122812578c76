"""The agents' programs that `agentfs-lsp connect` knows, and what goes into their files."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Settings = Mapping[str, Any]
"""What a file must contain: objects are merged, lists united, and everything else is set."""

Command = Sequence[str]
"""What starts `agentfs-lsp`."""

SERVER: Final = "agentfs"
"""The name of the MCP server."""

HOLD_S: Final = 3500
"""How long a call is held where the settings make the program wait for an hour."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent's program. `program`: its command; `folder`: what it keeps in the home.

    `project(command, only)`: the settings by file in the workspace folder. With `only`, they leave the
    program no other tool that changes files, unless it `keeps_its_tools`. `user`: the same in the home,
    unless the environment has `moved` them; or else `adding(command)`, the program's own command for it,
    where it writes that file itself all the time. `own_tools`: its tools that change files.
    `has_extension`: with ours, it needs no settings."""

    title: str
    program: str
    folder: str
    project: Callable[[Command, bool], Mapping[str, Settings]]
    user: Callable[[Command, bool], Mapping[str, Settings]] | None = None
    adding: Callable[[Command], str] | None = None
    moved: str = ""
    keeps_its_tools: bool = False
    own_tools: tuple[str, ...] = ()
    has_extension: bool = False

    def is_here(self) -> bool:
        """Whether this machine has it."""
        return shutil.which(self.program) is not None or (Path.home() / self.folder).is_dir()


def _server(command: Command, *arguments: str) -> dict[str, Any]:
    return {"command": command[0], "args": [*command[1:], "mcp", *arguments]}


_CLAUDE_CODES_TOOLS: Final = ("Edit", "Write", "NotebookEdit")
_GEMINIS_TOOLS: Final = ("write_file", "replace")


def _claude_code(command: Command, only: bool) -> Mapping[str, Settings]:
    permissions = {"allow": ["mcp__agentfs"]}
    if only:
        permissions["deny"] = [*_CLAUDE_CODES_TOOLS]
    return {
        ".mcp.json": {"mcpServers": {SERVER: _server(command)}},
        ".claude/settings.json": {"permissions": permissions},
    }


def _codex(command: Command, only: bool) -> Mapping[str, Settings]:
    alone = {"sandbox_mode": "read-only", "approval_policy": "never"} if only else {}
    server = {
        **_server(command, "--hold", str(HOLD_S)),
        "tool_timeout_sec": 3600,
        "default_tools_approval_mode": "approve",
    }
    return {".codex/config.toml": {**alone, "mcp_servers": {SERVER: server}}}


def _gemini(command: Command, only: bool) -> Mapping[str, Settings]:
    alone = {"tools": {"exclude": [*_GEMINIS_TOOLS]}} if only else {}
    server = {
        **_server(command, "--hold", str(HOLD_S)),
        "timeout": 3_600_000,
        "trust": True,
    }
    return {".gemini/settings.json": {"mcpServers": {SERVER: server}, **alone}}


def _opencode(command: Command, only: bool) -> Mapping[str, Settings]:
    alone = {"permission": {"edit": "deny", "bash": "deny"}} if only else {}
    server = {"type": "local", "command": [*command, "mcp"], "enabled": True}
    return {"opencode.json": {"mcp": {SERVER: server}, **alone}}


def _opencode_user(command: Command, only: bool) -> Mapping[str, Settings]:
    ((_, settings),) = _opencode(command, only).items()
    return {".config/opencode/opencode.json": settings}


def _vscode(command: Command, only: bool) -> Mapping[str, Settings]:  # noqa: ARG001 - it has no such setting
    server = _server(command, "--workspace", "${workspaceFolder}")
    return {".vscode/mcp.json": {"servers": {SERVER: {"type": "stdio", **server}}}}


def _add_to_claude_code(command: Command) -> str:
    return shlex.join(["claude", "mcp", "add", "--scope", "user", "agentfs", "--", *command, "mcp"])


def _add_to_vscode(command: Command) -> str:
    return shlex.join(["code", "--add-mcp", json.dumps({"name": "agentfs", **_server(command)})])


AGENTS: Final = {
    "claude-code": Agent(
        "Claude Code",
        "claude",
        ".claude",
        _claude_code,
        adding=_add_to_claude_code,
        own_tools=_CLAUDE_CODES_TOOLS,
    ),
    "codex": Agent(
        "Codex", "codex", ".codex", _codex, _codex, moved="CODEX_HOME", own_tools=("apply_patch", "shell")
    ),
    "gemini": Agent("Gemini CLI", "gemini", ".gemini", _gemini, _gemini, own_tools=_GEMINIS_TOOLS),
    "opencode": Agent(
        "opencode",
        "opencode",
        ".config/opencode",
        _opencode,
        _opencode_user,
        moved="XDG_CONFIG_HOME",
        own_tools=("edit", "bash"),
    ),
    "vscode": Agent(
        "VS Code",
        "code",
        ".vscode",
        _vscode,
        adding=_add_to_vscode,
        keeps_its_tools=True,
        has_extension=True,
    ),
}
