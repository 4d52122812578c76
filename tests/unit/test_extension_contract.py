"""The VS Code extension has the same settings and wire format as the server."""

import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api.params import EditParams, ReadParams, WriteParams
from agentfs_lsp.domain.settings.rules import OPERATIONS, PERMISSIONS, Rule, Rules
from agentfs_lsp.domain.settings.settings import SETTINGS, SaveMode, Setting
from agentfs_lsp.domain.settings.shapes import Seconds
from agentfs_lsp.domain.shapes import Choice, Flag, Whole
from agentfs_lsp.domain.text import joining
from agentfs_lsp.lsp.features.agents import COMMANDS
from support.docs import codes, keys, section, table

EXTENSION = Path(__file__).parents[2] / "extension"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text("utf-8"))
CONTRIBUTED: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
TEXTS: dict[str, str] = json.loads((EXTENSION / "package.nls.json").read_text("utf-8"))
RESTRICTED: list[str] = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
README = (EXTENSION / "README.md").read_text("utf-8")

OWN = {
    "agentfs.decorations.enabled",
    "agentfs.interpreter",
    "agentfs.notifications.onReturn",
    "agentfs.onAccept.codeActions",
    "agentfs.review.style",
    "agentfs.statusBar.count",
    "agentfs.trace.server",
}
USERS_ALONE = {"application", "machine"}


def loosens(setting: Setting) -> bool:
    """Whether some value lets agents do more, so that no workspace may set it."""
    return setting.strictest is not None or setting.wrong_asks or setting.key.startswith("limits.")


# --- settings ---------------------------------------------------------------------------------------------


def test_the_settings_are_the_servers_and_its_own() -> None:
    assert set(CONTRIBUTED) == {f"agentfs.{key}" for key in SETTINGS} | OWN


@pytest.mark.parametrize("setting", list(SETTINGS.values()), ids=lambda one: one.key)
def test_a_setting_has_the_servers_default_and_bounds(setting: Setting) -> None:
    told = CONTRIBUTED[f"agentfs.{setting.key}"]
    assert told["default"] == (
        list(setting.default) if isinstance(setting.default, tuple) else setting.default
    )
    assert TEXTS[told["description"].strip("%")] == setting.meaning
    unset = [None] if setting.default is None else []
    match setting.shape:
        case Choice(options=options):
            assert told["enum"] == [*options, *unset]
        case Flag():
            assert told["type"] == "boolean"
        case Whole(minimum=minimum, maximum=maximum):
            assert (told["type"], told["minimum"], told["maximum"]) == ("integer", minimum, maximum)
        case Seconds(minimum=minimum, maximum=maximum):
            assert (told["minimum"], told["maximum"]) == (minimum, maximum)
        case Rules():
            members = told["items"]["properties"]
            assert set(members) == {field.name for field in fields(Rule)}
            assert all(members[operation]["enum"] == list(PERMISSIONS) for operation in OPERATIONS)


@pytest.mark.parametrize("setting", list(filter(loosens, SETTINGS.values())), ids=lambda one: one.key)
def test_no_workspace_can_loosen(setting: Setting) -> None:
    assert CONTRIBUTED[f"agentfs.{setting.key}"]["scope"] in USERS_ALONE
    assert f"agentfs.{setting.key}" in RESTRICTED


def test_no_workspace_decides_what_runs() -> None:
    assert CONTRIBUTED["agentfs.interpreter"]["scope"] == "machine"
    assert "agentfs.interpreter" in RESTRICTED


def test_its_own_settings_are_not_sent_to_the_server() -> None:
    own = (EXTENSION / "src" / "server" / "settings.ts").read_text("utf-8")
    kept = re.search(r"const OWN = new Set\(\[(.*?)\]\)", own)
    assert kept
    heads = set(re.findall(r"'(\w+)'", kept[1]))
    assert heads == {key.split(".")[1] for key in OWN}
    assert heads.isdisjoint(key.partition(".")[0] for key in SETTINGS)


def test_its_commands_are_not_the_servers() -> None:
    own = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert all(command.startswith("agentfs.ui.") for command in own)
    assert own.isdisjoint(COMMANDS)


# --- the wire ---------------------------------------------------------------------------------------------


def test_when_it_saves() -> None:
    settings = (EXTENSION / "src" / "server" / "settings.ts").read_text("utf-8")
    saving = re.search(r"  save: (.*);", settings)
    assert saving
    assert set(re.findall(r"'(\w+)'", saving[1])) == set(SaveMode.__args__)


def test_the_refusals_that_end_in_a_word_of_their_own() -> None:
    settling = (EXTENSION / "src" / "proposals" / "settling.ts").read_text("utf-8")
    table = re.search(r"const REFUSED.*?{(.*?)}", settling, re.DOTALL)
    assert table
    assert set(re.findall(r"(\w+): '", table[1])) <= set(Code.__args__)


def test_the_tools_of_the_chat_take_what_the_requests_take() -> None:
    requests = {"agentfs_read": ReadParams, "agentfs_write": WriteParams, "agentfs_edit": EditParams}
    tools = {tool["name"]: tool["inputSchema"] for tool in MANIFEST["contributes"]["languageModelTools"]}
    assert set(tools) == set(requests)
    for name, schema in tools.items():
        known = fields(requests[name])
        assert set(schema["properties"]) <= {field.name for field in known} - {"session", "agent"}
        assert set(schema["required"]) == {field.name for field in known if field.default is MISSING}


@pytest.mark.parametrize("name", ["JOINED", "ENDING", "EMOJI", "IDEOGRAPHS", "MATHEMATICAL"])
def test_where_joiners_and_selectors_are_ordinary(name: str) -> None:
    display = (EXTENSION / "src" / "util" / "display.ts").read_text("utf-8")
    listed = re.search(rf"^const {name} =(.*?);$", display, re.DOTALL | re.MULTILINE)
    assert listed
    there = "".join(re.findall(r"`(.*?)`", listed[1]))
    assert re.sub(r"\\u{(\w+)}", lambda it: f"\\U{it[1]:>08}", there) == getattr(joining, name)


def test_no_menu_names_a_key_that_usually_does_something_else() -> None:
    # A menu names the last key of its command, whatever the conditions of that key are.
    contributes = MANIFEST["contributes"]
    keys: dict[str, set[str]] = {}
    for binding in contributes["keybindings"]:
        keys.setdefault(binding["key"], set()).add(binding["command"])
    named = {item["command"] for menu in contributes["menus"].values() for item in menu if "command" in item}
    for commands in keys.values():
        assert len(commands & named) <= 1, commands


# --- its README -------------------------------------------------------------------------------------------


def test_the_readme_names_the_keys() -> None:
    contributed = {
        (binding["key"].title(), binding["mac"].title())
        for binding in MANIFEST["contributes"]["keybindings"]
        if binding["command"] != "agentfs.ui.again"  # which holds keys for a moment
    }
    told = {
        pair
        for row in table(section(README, "Reviewing"), "")
        for pair in zip(codes(row["key"]), codes(row["on macOS"]), strict=True)
    }
    assert told == contributed


def test_the_readme_names_settings_and_tools() -> None:
    settings = table(section(README, "Settings"), "setting")
    assert set(keys(settings)) <= set(CONTRIBUTED)
    for row in settings:
        options = CONTRIBUTED[row["setting"].strip("`")].get("enum", [])
        named = {code.strip('"') for code in codes(row[""]) if code.startswith('"')}
        assert named == set(options) or not named
    tools = {
        tool["name"]: f"#{tool['toolReferenceName']}"
        for tool in MANIFEST["contributes"]["languageModelTools"]
    }
    told = {row["tool"].strip("`"): row["in a prompt"].strip("`") for row in table(README, "tool")}
    assert told == tools


def test_the_readme_names_the_api() -> None:
    api = (EXTENSION / "src" / "api.ts").read_text("utf-8")
    members = re.compile(r"^  (?:readonly )?(\w+)(?=[(:])", re.MULTILINE)
    shown, real = (
        members.findall(re.search(r"interface AgentfsApi {\n(.*?)^}", text, re.MULTILINE | re.DOTALL)[1])  # type: ignore[index]
        for text in (README, api)
    )
    assert set(shown) == set(real)
    assert f"{MANIFEST['publisher']}.{MANIFEST['name']}" in README
    assert f"VS Code {MANIFEST['engines']['vscode'].lstrip('^').removesuffix('.0')} or newer" in README
