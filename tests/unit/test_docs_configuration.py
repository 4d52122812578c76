"""docs/configuration.md describes exactly the settings."""

import json
import re
import tomllib

from agentfs_lsp.domain.policy.protected import ASKED_FOR_CHANGES, ASKED_FOR_EVERYTHING, DENIED
from agentfs_lsp.domain.settings.formatters import Formatters
from agentfs_lsp.domain.settings.rules import Globs, Paths, Rules, Switches
from agentfs_lsp.domain.settings.settings import SETTINGS
from agentfs_lsp.domain.settings.shapes import Encoding, Folder, NamedRoots, Seconds
from agentfs_lsp.domain.shapes import Choice, Flag, Shape, Whole
from agentfs_lsp.lsp.configuration.workspace_file import read_file
from agentfs_lsp.service.files.store import Root
from support.docs import examples, section, text_of
from support.layers import layered

RULES = '`[{"files": [globs], "read", "write", "edit": "allow", "ask" or "deny", "requires": switch}]`'
ACCEPTED = {
    Flag: "`true`, `false`",
    Encoding: "an encoding that extends ASCII",
    Folder: "the path of a folder",
    NamedRoots: '`[{"path": …, "name": …}]`, or `"uri"` for `"path"`',
    Rules: RULES,
    Globs: "`[globs]`",
    Paths: "`[paths]`",
    Formatters: "`{glob: [words]}`, or `{glob: [[words], …]}`",
    Switches: '`{"name": true or false}`',
}
DOCS = text_of("configuration.md")


def accepted(shape: Shape) -> str:
    """The values that a setting accepts, with their unit."""
    match shape:
        case Choice(options):
            return ", ".join(f'`"{option}"`' for option in options)
        case Whole(unit, minimum, maximum):
            return f"{unit}, {minimum} to {maximum}"
        case Seconds(minimum, maximum):
            return f"seconds, {minimum:g} to {maximum:g}"
    return ACCEPTED[type(shape)]


def test_the_table_is_the_definition() -> None:
    rows = [line for line in section(DOCS, "The settings").split("\n") if line.startswith("| `")]
    assert rows == [
        f"| `{one.key}` | `{json.dumps(one.default)}` | {accepted(one.shape)} | {one.meaning} |"
        for one in SETTINGS.values()
    ]


def test_the_strictest_values_are_told() -> None:
    told = " ".join(section(DOCS, "Invalid settings").split())
    pairs = re.findall(r"`([a-z_.]+)` for `([^`]+)`", told)
    assert {key: json.loads(value) for key, value in pairs} == {
        setting.key: json.loads(json.dumps(setting.strictest))
        for setting in SETTINGS.values()
        if setting.strictest is not None
    }


def test_the_protected_lists_are_those_in_force() -> None:
    lists = [tuple(text.split()) for text in examples(section(DOCS, "What is always protected"), "gitignore")]
    assert lists == [ASKED_FOR_CHANGES, ASKED_FOR_EVERYTHING, DENIED]


def test_the_examples_that_are_data_are_taken_as_they_stand() -> None:
    (vscode,) = (json.loads(text) for text in examples(section(DOCS, "VS Code"), "json"))
    (helix,) = (
        tomllib.loads(text)["language-server"]["agentfs"] for text in examples(section(DOCS, "Helix"), "toml")
    )
    assert helix["command"] == "agentfs-lsp"
    bare = {key.removeprefix("agentfs."): value for key, value in vscode.items()}
    for raw in (bare, helix["config"]):
        layers = layered(("changed", raw))
        assert layers.problems == ()
        assert (layers.settings.approval.timeout_s, layers.settings.limits.read_lines) == (300, 5000)


def test_every_key_in_the_other_examples_is_a_setting() -> None:
    named = {part for key in SETTINGS for part in key.split(".")}
    (lua,) = examples(section(DOCS, "Neovim"), "lua")
    eglot, lsp_mode = examples(section(DOCS, "Emacs"), "elisp")
    keys = re.findall(r"(\w+) = ", lua.split("agentfs = {")[1]) + re.findall(
        r":(\w+) ", eglot.split("(:agentfs")[1]
    )
    assert keys
    assert set(keys) <= named
    assert set(re.findall(r"agentfs\.([a-z_.]+)", lsp_mode)) <= set(SETTINGS)


def test_the_table_of_workspace_settings_matches_the_code() -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", section(DOCS, "What a workspace can set"), re.MULTILINE)
    told = dict(rows)
    assert set(told) == {key for key, setting in SETTINGS.items() if setting.in_workspace != "users"}
    starts = {"free": "any value", "lower": "the lower", "besides": "in addition to yours"}
    for key, said in told.items():
        setting = SETTINGS[key]
        only = f"only `{json.dumps(setting.strictest)}`"
        assert said.startswith(starts.get(setting.in_workspace, only))


def test_the_examples_of_rules_are_taken_as_they_stand() -> None:
    (rules,) = (json.loads(text) for text in examples(section(DOCS, "Rules"), "json"))
    layers = layered(("changed", rules))
    assert (layers.problems, len(layers.settings.rules)) == ((), 3)
    (toml,) = examples(section(DOCS, "What a workspace can set"), "toml")
    file = read_file(Root("r", "/r", "file:///r"), toml.encode())
    assert file.problems == ()
    assert file.tightening.values.keys() == {"protected", "limits.read_lines", "rules"}
