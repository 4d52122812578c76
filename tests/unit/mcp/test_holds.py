"""How long calls are held."""

import pytest

from agentfs_lsp.mcp.connection import Caller
from agentfs_lsp.mcp.holds import hold_s


@pytest.mark.parametrize(
    ("name", "silent", "reported"),
    [
        ("claude-code", 1800, 28 * 3600),
        ("codex-mcp-client", 60, 60),
        ("gemini-cli-mcp-client", 600, 600),
        ("opencode", 60, 28 * 3600),
        ("Zed", 60, 60),
        ("goose", 300, 300),
        ("", 60, 60),
        ("mcp", 60, 60),
    ],
)
def test_a_call_is_held_a_little_shorter_than_its_client_waits(
    name: str, silent: float, reported: float
) -> None:
    assert 0.7 * silent < hold_s(Caller(name), reports=False) < silent
    assert 0.7 * reported < hold_s(Caller(name), reports=True) < reported


def test_a_client_without_a_limit_waits_for_long() -> None:
    assert hold_s(Caller("Visual Studio Code"), reports=False) > 3600
