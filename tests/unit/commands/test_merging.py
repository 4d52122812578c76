"""Settings are put into files that already have others, and nothing else in the text changes."""

import json
import tomllib

import pytest

from agentfs_lsp.commands.agents import AGENTS, SERVER, Settings
from agentfs_lsp.commands.merging import UnclearError, merged

COMMAND = ["agentfs-lsp"]
CODEX = AGENTS["codex"].project(COMMAND, True)[".codex/config.toml"]
OPENCODE = AGENTS["opencode"].project(COMMAND, False)["opencode.json"]
MANY = [
    (path, settings)
    for agent in AGENTS.values()
    for made in (agent.project, agent.user)
    if made is not None
    for only in (False, True)
    for path, settings in made(COMMAND, only).items()
]
RULES = {"permissions": {"allow": ["mcp__agentfs"], "deny": ["Edit"]}}


@pytest.mark.parametrize(("path", "settings"), MANY)
@pytest.mark.parametrize("before", ["", " \n"])
def test_a_new_file_has_the_settings_and_then_stays(path: str, settings: Settings, before: str) -> None:
    text = merged(path, before, settings)
    assert (tomllib if path.endswith(".toml") else json).loads(text) == settings
    assert text.endswith("\n")
    assert merged(path, text, settings) == text


@pytest.mark.parametrize("indent", [1, 2, 4, "\t"])
def test_json_keeps_order_and_indent(indent: int | str) -> None:
    given = {"z": 1, "permissions": {"allow": ["Bash(ls)"]}, "a": "ü"}
    before = json.dumps(given, indent=indent, ensure_ascii=False) + "\n"
    wanted = {**given, "permissions": {"allow": ["Bash(ls)", "mcp__agentfs"], "deny": ["Edit"]}}
    assert merged("a.json", before, RULES) == json.dumps(wanted, indent=indent, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '// mine\n{\n  "servers": {\n    "o": {"url": "//o"}, // why\n    /* z */\n  },\n}\n',
            '// mine\n{\n  "servers": {\n    "o": {"url": "//o"}, // why\n    /* z */\n    "n": 1\n  },\n}\n',
        ),
        (
            '{\n  "servers": {\n    "o": 1 // why\n  }\n}',
            '{\n  "servers": {\n    "o": 1, // why\n    "n": 1\n  }\n}',
        ),
        ('{"servers": {"o": 1}, "z": [1]}', '{"servers": {"o": 1, "n": 1}, "z": [1]}'),
        ('{\n\t"z": {}\n}\n', '{\n\t"z": {},\n\t"servers": {\n\t\t"n": 1\n\t}\n}\n'),
        ('{"servers": {}}\n', '{"servers": {\n  "n": 1\n}}\n'),
        ("{\n}\n", '{\n  "servers": {\n    "n": 1\n  }\n}\n'),
        ('{ // "servers": {}\n}', '{ // "servers": {}\n  "servers": {\n    "n": 1\n  }\n}'),
        ('{"servers": null}\n', '{"servers": {\n  "n": 1\n}}\n'),
        ('{"servers": {"n": [2]}}', '{"servers": {"n": 1}}'),
        ('{"servers": {"n": 1}} // the same\n', '{"servers": {"n": 1}} // the same\n'),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_json_with_comments_is_only_added_to(before: str, after: str, line_end: str) -> None:
    before, after = before.replace("\n", line_end), after.replace("\n", line_end)
    assert merged("a.json", before, {"servers": {"n": 1}}) == after


@pytest.mark.parametrize(
    "before",
    [
        '# mine\nmodel = "x"  # why\n\n[mcp_servers.other]\ncommand = "y"\n\n[profiles.a]\nb = { c = 1 }\n',
        "# mine\n[a]\nb = 1\n# about c\n[c]",
        'mcp_servers.other.command = "y"\n[z]\na = [\n  1,\n]\n',
        'model = """\nx"""\n',
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_toml_is_only_added_to(before: str, line_end: str) -> None:
    before = before.replace("\n", line_end)
    after = merged("config.toml", before, CODEX)
    assert before in after
    assert after.count("\r") == (after.count("\n") if line_end == "\r\n" else 0)
    given, wanted = tomllib.loads(before), tomllib.loads(after)
    others = given.get("mcp_servers", {})
    assert wanted == {**given, **CODEX, "mcp_servers": {**others, **CODEX["mcp_servers"]}}


def test_toml_that_is_there_is_changed_in_its_place() -> None:
    before = (
        'sandbox_mode = "workspace-write" # mine\napproval_policy = "never"\n\n'
        '[ mcp_servers . agentfs ] # old\ncommand = "old"\nenv = { A = "b" }\n\n# about a\n[a]\nb = 1\n'
    )
    assert merged("config.toml", before, CODEX) == (
        'sandbox_mode = "read-only" # mine\napproval_policy = "never"\n\n'
        '[ mcp_servers . agentfs ] # old\ncommand = "agentfs-lsp"\nargs = ["mcp", "--hold", "3500"]\n'
        'tool_timeout_sec = 3600\ndefault_tools_approval_mode = "approve"\n\n# about a\n[a]\nb = 1\n'
    )


def test_an_old_entry_of_the_server_is_replaced_as_a_whole() -> None:
    before = json.dumps({"mcp": {SERVER: {"command": ["old"], "environment": {"A": "b"}}}})
    assert json.loads(merged("opencode.json", before, OPENCODE)) == OPENCODE


@pytest.mark.parametrize(
    ("path", "text"),
    [
        *(
            ("a.json", text)
            for text in ("{", "[]", "1", '{"mcp": 1}', '{"a": b}', '{"a" 1}', "{1: 2}", "{,}")
        ),
        *(("a.json", text) for text in ('{"a": 1 "b": 2}', '{"a": "b\nc"}', "{} {}", "{/}", "[" * 100_000)),
        *(("a.toml", text) for text in ("=", "mcp = 1", "mcp = {}", '["mcp".agentfs]', "[mcp.agentfs.env]")),
        ("a.toml", 'mcp.agentfs.type = "x"'),
        ("a.toml", "[mcp.agentfs]\na = [\n[1]]"),
    ],
)
def test_what_is_not_understood_is_refused(path: str, text: str) -> None:
    with pytest.raises(UnclearError):
        merged(path, text, OPENCODE)


def test_keys_that_take_too_long_to_read_are_not_read() -> None:
    with pytest.raises(UnclearError, match="too long"):
        merged("config.toml", f"{'a.' * 20_000}a = 1\n", CODEX)
