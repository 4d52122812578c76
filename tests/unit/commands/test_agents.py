"""The files of agents' programs."""

from typing import Any

import pytest

from agentfs_lsp.commands.agents import AGENTS, Agent
from agentfs_lsp.domain.globs import Spelled
from agentfs_lsp.domain.policy.protected import protection_of


@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_no_agent_changes_its_own_settings_unasked(agent: Agent) -> None:
    for made in (agent.project, agent.user or agent.project):
        for path in made(["agentfs-lsp"], True):
            found = protection_of(Spelled.of(path))
            assert found is not None, path
            assert found.change == "ask"


ONLY = {"edit": "deny", "bash": "deny"}


@pytest.mark.parametrize(
    ("name", "settings", "keys"),
    [
        ("claude-code", {"permissions": {"deny": ["Edit", "mcp__other"]}}, []),
        ("claude-code", {"permissions": {"deny": ["mcp__agentfs"]}}, ["permissions.deny"]),
        ("claude-code", {"permissions": {"deny": [1, "mcp__agentfs__*"]}}, ["permissions.deny"]),
        ("claude-code", {"disabledMcpjsonServers": ["agentfs"]}, ["disabledMcpjsonServers"]),
        ("claude-code", {"disabledMcpjsonServers": "agentfs", "permissions": []}, []),
        ("codex", {"mcp_servers": {"agentfs": {"enabled": True}}}, []),
        ("codex", {"mcp_servers": {"agentfs": {"enabled": False}}}, ["mcp_servers.agentfs.enabled"]),
        ("gemini", {"mcp": {"excluded": ["other"], "allowed": ["agentfs"]}}, []),
        ("gemini", {"mcp": {"excluded": ["agentfs"], "allowed": []}}, ["mcp.excluded", "mcp.allowed"]),
        ("opencode", {"permission": {"*": "deny", "agentfs_*": "allow"}}, []),
        ("opencode", {"permission": {"*": "deny"}}, ["permission.*"]),
        ("opencode", {"permission": "deny"}, ["permission.*"]),
        ("opencode", {"tools": {"agentfs*": False}}, ["tools"]),
        ("opencode", {"mcp": {"agentfs": {"enabled": False}}}, ["mcp.agentfs.enabled"]),
        ("opencode", [], []),
    ],
)
def test_the_keys_that_exclude_the_server(name: str, settings: Any, keys: list[str]) -> None:
    assert list(AGENTS[name].excluding(settings)) == keys


@pytest.mark.parametrize(
    ("name", "settings", "keys"),
    [
        ("codex", {"profile": "full", "profiles": {"other": {"sandbox_mode": "workspace-write"}}}, []),
        ("codex", {"profile": "a", "profiles": {"a": {"model": "x", "sandbox_mode": "read-only"}}}, []),
        (
            "codex",
            {"profile": "full", "profiles": {"full": {"sandbox_mode": "danger-full-access"}}},
            ["profiles.full"],
        ),
        ("opencode", {"permission": {"*": "allow", **ONLY}}, []),
        ("opencode", {"permission": {**ONLY, "*": "allow"}}, ["permission.*"]),
        ("opencode", {"permission": {**ONLY, "*": {"x": "deny", "y": "ask"}}}, ["permission.*"]),
        ("opencode", {"permission": ONLY, "tools": {"edit": True, "write": True, "bash": True}}, []),
        ("opencode", {"permission": ONLY, "tools": {"bash": True, "*": True}}, ["tools"]),
        ("opencode", {"agent": {"build": {"model": "x", "permission": {"edit": "deny"}}, "plan": 1}}, []),
        (
            "opencode",
            {"agent": {"build": {"permission": {"edit": "allow", "bash": {"rm": "deny", "ls": "allow"}}}}},
            ["agent.build.permission.edit", "agent.build.permission.bash"],
        ),
        ("opencode", {"agent": {"build": {"permission": "allow"}}}, ["agent.build.permission.*"]),
        ("opencode", {"mode": {"build": {"tools": {"write": True}}}}, ["mode.build.tools"]),
        ("opencode", {"agent": [], "permission": ["edit"]}, []),
    ],
)
def test_the_keys_that_allow_denied_tools(name: str, settings: Any, keys: list[str]) -> None:
    assert list(AGENTS[name].overriding(settings)) == keys
