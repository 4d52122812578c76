"""The agents' programs that `agentfs-lsp connect` knows, and what goes into their files."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
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
    `has_extension`: with ours, it needs no settings. Of what one of these files means, `excluding` yields
    the keys that keep it from using our server, and `overriding` those that allow its tools in spite of
    `only`."""

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
    excluding: Callable[[Any], Iterator[str]] = lambda _: iter(())
    overriding: Callable[[Any], Iterator[str]] = lambda _: iter(())

    def is_here(self) -> bool:
        """Whether this machine has it."""
        return shutil.which(self.program) is not None or (Path.home() / self.folder).is_dir()


def _server(command: Command, *arguments: str) -> dict[str, Any]:
    return {"command": command[0], "args": [*command[1:], "mcp", *arguments]}


_CLAUDE_CODES_TOOLS: Final = ("Edit", "Write", "NotebookEdit")
_GEMINIS_TOOLS: Final = ("write_file", "replace")
_CODEX_ALONE: Final = {"sandbox_mode": "read-only", "approval_policy": "never"}


def _claude_code(command: Command, only: bool) -> Mapping[str, Settings]:
    permissions = {"allow": ["mcp__agentfs"]}
    if only:
        permissions["deny"] = [*_CLAUDE_CODES_TOOLS]
    return {
        ".mcp.json": {"mcpServers": {SERVER: _server(command)}},
        ".claude/settings.json": {"permissions": permissions},
    }


def _codex(command: Command, only: bool) -> Mapping[str, Settings]:
    alone = _CODEX_ALONE if only else {}
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


# --- What else is in their files and matters. The value of a key can be anything. ---


def _table(value: Any, *keys: str) -> Mapping[str, Any]:
    """What is below these keys; empty if that is no table."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _names(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _claude_code_excludes(settings: Any) -> Iterator[str]:
    if SERVER in _names(_table(settings).get("disabledMcpjsonServers")):
        yield "disabledMcpjsonServers"
    denied = [one for one in _names(_table(settings, "permissions").get("deny")) if isinstance(one, str)]
    if any(fnmatchcase(tool, one) for one in denied for tool in ("mcp__agentfs", "mcp__agentfs__edit")):
        yield "permissions.deny"


def _codex_excludes(settings: Any) -> Iterator[str]:
    if _table(settings, "mcp_servers", SERVER).get("enabled") is False:
        yield "mcp_servers.agentfs.enabled"


def _codex_overrides(settings: Any) -> Iterator[str]:
    """Before Codex 0.134, the profile that the file selects went before the rest of it."""
    profile = _table(settings).get("profile")
    chosen = _table(settings, "profiles", profile) if isinstance(profile, str) else {}
    if any(chosen.get(key, value) != value for key, value in _CODEX_ALONE.items()):
        yield f"profiles.{profile}"


def _gemini_excludes(settings: Any) -> Iterator[str]:
    servers = _table(settings, "mcp")
    if SERVER in _names(servers.get("excluded")):
        yield "mcp.excluded"
    if isinstance(servers.get("allowed"), list) and SERVER not in servers["allowed"]:
        yield "mcp.allowed"


def _opencode_excludes(settings: Any) -> Iterator[str]:
    if _table(settings, "mcp", SERVER).get("enabled") is False:
        yield "mcp.agentfs.enabled"
    for key, actions in _opencodes_rules(settings, "agentfs_edit"):
        if actions == {"deny"}:
            yield key


def _opencode_overrides(settings: Any) -> Iterator[str]:
    """An agent's rules come after those of all agents."""
    holders = {"": settings}
    for kind in ("agent", "mode"):
        holders |= {f"{kind}.{name}.": rules for name, rules in _table(settings, kind).items()}
    for at, holder in holders.items():
        found = [rule for tool in ("edit", "bash") for rule in _opencodes_rules(holder, tool)]
        yield from dict.fromkeys(at + key for key, actions in found if actions - {"deny"})


def _opencodes_rules(holder: Any, tool: str) -> Iterator[tuple[str, set[str]]]:
    """The rule for a tool, if there is one: its key, and its actions. The last that matches counts. `tools`
    is the older form, to which `permission` is added."""
    given = _table(holder).get("permission")
    permission = {"*": given} if isinstance(given, str) else _table(given)
    older = {
        "edit" if one in ("write", "patch", "multiedit") else one: "allow" if is_on else "deny"
        for one, is_on in _table(holder, "tools").items()
    }
    for key, rule in reversed({**older, **permission}.items()):
        if fnmatchcase(tool, key):
            actions = rule.values() if isinstance(rule, Mapping) else [rule]
            yield f"permission.{key}" if key in permission else "tools", {str(one) for one in actions}
            return


AGENTS: Final = {
    "claude-code": Agent(
        "Claude Code",
        "claude",
        ".claude",
        _claude_code,
        adding=_add_to_claude_code,
        own_tools=_CLAUDE_CODES_TOOLS,
        excluding=_claude_code_excludes,
    ),
    "codex": Agent(
        "Codex",
        "codex",
        ".codex",
        _codex,
        _codex,
        moved="CODEX_HOME",
        own_tools=("apply_patch", "shell"),
        excluding=_codex_excludes,
        overriding=_codex_overrides,
    ),
    "gemini": Agent(
        "Gemini CLI",
        "gemini",
        ".gemini",
        _gemini,
        _gemini,
        own_tools=_GEMINIS_TOOLS,
        excluding=_gemini_excludes,
    ),
    "opencode": Agent(
        "opencode",
        "opencode",
        ".config/opencode",
        _opencode,
        _opencode_user,
        moved="XDG_CONFIG_HOME",
        own_tools=("edit", "bash"),
        excluding=_opencode_excludes,
        overriding=_opencode_overrides,
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
