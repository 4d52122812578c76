"""Settings are put into files that already have others."""

import json
import tomllib

import pytest

from agentfs_lsp.commands.agents import AGENTS, SERVER
from agentfs_lsp.commands.merging import UnclearError, merged

COMMAND = ["agentfs-lsp"]
CODEX = AGENTS["codex"].project(COMMAND, True)[".codex/config.toml"]
MANY = [
    (path, settings)
    for agent in AGENTS.values()
    for made in (agent.project, agent.user)
    if made is not None
    for only in (False, True)
    for path, settings in made(COMMAND, only).items()
]


@pytest.mark.parametrize(("path", "settings"), MANY)
@pytest.mark.parametrize("before", ["", " \n"])
def test_a_new_file_has_the_settings_and_then_stays(path: str, settings: object, before: str) -> None:
    text = merged(path, before, settings)
    assert (tomllib if path.endswith(".toml") else json).loads(text) == settings
    assert text.endswith("\n")
    assert merged(path, text, settings) == text


def test_toml_keeps_comments_order_and_other_tables() -> None:
    before = (
        '# mine\nmodel = "x"  # why\n\n[mcp_servers.other]\ncommand = "y"\n\n[profiles.a]\nb = { c = 1 }\n'
    )
    after = merged("config.toml", before, CODEX)
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
    given, wanted = tomllib.loads(before), tomllib.loads(after)
    assert wanted["mcp_servers"] == {**given["mcp_servers"], SERVER: CODEX["mcp_servers"][SERVER]}
    assert {**wanted, "mcp_servers": 0} == {**given, **CODEX, "mcp_servers": 0}


@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_json_keeps_order_and_indent(indent: int | str) -> None:
    given = {"z": 1, "permissions": {"allow": ["Bash(ls)"]}, "a": "ü"}
    before = json.dumps(given, indent=indent, ensure_ascii=False) + "\n"
    after = merged("a.json", before, {"permissions": {"allow": ["mcp__agentfs"], "deny": ["Edit"]}})
    wanted = {**given, "permissions": {"allow": ["Bash(ls)", "mcp__agentfs"], "deny": ["Edit"]}}
    assert after == json.dumps(wanted, indent=indent, ensure_ascii=False) + "\n"


def test_an_old_entry_of_the_server_is_replaced_as_a_whole() -> None:
    before = json.dumps({"mcp": {SERVER: {"command": ["old"], "environment": {"A": "b"}}}})
    settings = AGENTS["opencode"].project(COMMAND, False)["opencode.json"]
    assert json.loads(merged("opencode.json", before, settings)) == settings


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.json", "{"), ("a.json", "[]"), ("a.json", '{"mcp": 1}'), ("a.json", "// c\n{}"), ("a.toml", "=")],
)
def test_what_is_not_understood_is_refused(path: str, text: str) -> None:
    with pytest.raises(UnclearError):
        merged(path, text, AGENTS["opencode"].project(COMMAND, False)["opencode.json"])
