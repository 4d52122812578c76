"""The VS Code extension knows the same settings and the same wire as the server."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.adapters.review.client import PENDING
from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api import params as wire
from agentfs_lsp.api.methods import AGENT_REQUESTS, USER_REQUESTS
from agentfs_lsp.domain.settings.rules import OPERATIONS, PERMISSIONS, Rule, Rules
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.settings.settings import SETTINGS, SaveMode, Setting
from agentfs_lsp.domain.settings.shapes import Choice, Flag, Seconds, Whole
from agentfs_lsp.lsp import review_params
from agentfs_lsp.lsp.features.agents import COMMANDS
from agentfs_lsp.lsp.features.editor import EDITOR_REQUESTS
from agentfs_lsp.service.proposal.proposals import Outcome, State
from support.docs import codes, keys, section, table

EXTENSION = Path(__file__).parents[2] / "extension"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text("utf-8"))
CONTRIBUTED: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
TEXTS: dict[str, str] = json.loads((EXTENSION / "package.nls.json").read_text("utf-8"))
RESTRICTED: list[str] = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
README = (EXTENSION / "README.md").read_text("utf-8")
PROTOCOL = (EXTENSION / "src" / "protocol.ts").read_text("utf-8")

OWN = {"agentfs.interpreter", "agentfs.review.style", "agentfs.trace.server"}
USERS_ALONE = {"application", "machine"}


def loosens(setting: Setting) -> bool:
    """Whether some value of it lets agents do more, so that no workspace may choose it."""
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
    own = (EXTENSION / "src" / "config.ts").read_text("utf-8")
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


def interface(name: str) -> dict[str, str]:
    """The members of an interface of protocol.ts, inherited ones too; those that may be absent with `?`."""
    found = re.search(
        rf"^export interface {name}( extends (\w+))? {{\n(.*?)^}}", PROTOCOL, re.MULTILINE | re.DOTALL
    )
    assert found, f"no interface {name}"
    members = dict(re.findall(r"^  (\w+\??): (.*);$", found[3], re.MULTILINE))
    return {**(interface(found[2]) if found[2] else {}), **members}


def union(name: str) -> set[str]:
    """The words of a type of protocol.ts."""
    found = re.search(rf"^export type {name} =(.*?);", PROTOCOL, re.MULTILINE | re.DOTALL)
    assert found, f"no type {name}"
    return set(re.findall(r"'([^']+)'", found[1]))


def methods(name: str) -> set[str]:
    found = re.search(rf"^export const {name} = {{(.*?)}}", PROTOCOL, re.MULTILINE | re.DOTALL)
    assert found, f"no table {name}"
    return set(re.findall(r"'(agentfs/\w+)'", found[1]))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("ReadParams", wire.ReadParams),
        ("WriteParams", wire.WriteParams),
        ("EditParams", wire.EditParams),
        ("BatchParams", wire.BatchParams),
    ],
)
def test_what_agents_send(name: str, params: type) -> None:
    expected = {field.name if field.default is MISSING else f"{field.name}?" for field in fields(params)}
    assert set(interface(name)) == expected


def test_what_a_decision_is_told_as() -> None:
    source = Path(review_params.__file__).read_text("utf-8")
    all_of_it, of_a_file = (
        ast.literal_eval(known) for known in re.findall(r"refuse_unknown\(\w+, ({.*?})\)", source)
    )
    assert {name.rstrip("?") for name in interface("SettleParams")} == all_of_it
    assert {name.rstrip("?") for name in interface("SettledFile")} == of_a_file
    assert {name.rstrip("?") for name in interface("AppliedFile")} == {"uri", "applied", "reason"}
    assert {name.rstrip("?") for name in interface("SavedFile")} == {"uri", "saved", "reason"}


def test_the_words() -> None:
    assert union("Outcome") == set(Outcome.__args__)
    assert union("Mode") == set(Mode.__args__)
    assert set(re.findall(r"'(\w+)'", interface("Proposal")["state"])) == set(State.__args__)
    assert f"PENDING = '{PENDING}'" in PROTOCOL
    settings = (EXTENSION / "src" / "config.ts").read_text("utf-8")
    saving = re.search(r"  save: (.*);", settings)
    assert saving
    assert set(re.findall(r"'(\w+)'", saving[1])) == set(SaveMode.__args__)


def test_the_refusals_that_end_in_a_word_of_their_own() -> None:
    decisions = (EXTENSION / "src" / "features" / "decide.ts").read_text("utf-8")
    table = re.search(r"const REFUSED.*?{(.*?)}", decisions, re.DOTALL)
    assert table
    assert set(re.findall(r"(\w+): '", table[1])) <= set(Code.__args__)


def test_the_methods() -> None:
    assert methods("AgentMethod") == set(AGENT_REQUESTS)
    assert methods("EditorMethod") == {*EDITOR_REQUESTS, *USER_REQUESTS}
    announced = "".join(
        path.read_text("utf-8")
        for path in (
            Path(review_params.__file__).parent / "announcements.py",
            Path(review_params.__file__).parent / "editor.py",
        )
    )
    told = set(re.findall(r"notify\(\"(agentfs/\w+)\"", announced))
    assert methods("Told") == told | {"agentfs/documentState", "agentfs/fileEncodings"}


def test_the_tools_of_the_chat_take_what_the_requests_take() -> None:
    requests = {"agentfs_read": "ReadParams", "agentfs_write": "WriteParams", "agentfs_edit": "EditParams"}
    tools = {tool["name"]: tool["inputSchema"] for tool in MANIFEST["contributes"]["languageModelTools"]}
    assert set(tools) == set(requests)
    for name, schema in tools.items():
        members = interface(requests[name])
        known = {member.rstrip("?") for member in members}
        assert set(schema["properties"]) <= known - {"session", "agent"}
        assert set(schema["required"]) == {member for member in members if not member.endswith("?")}


# --- its README -------------------------------------------------------------------------------------------


def test_the_readme_names_the_keys() -> None:
    contributed = {
        (binding["key"].title(), binding["mac"].title()) for binding in MANIFEST["contributes"]["keybindings"]
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
