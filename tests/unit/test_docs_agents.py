"""docs/agents.md: the settings are what `agentfs-lsp connect --print` prints; the rest is true of them."""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.commands.agents import AGENTS
from agentfs_lsp.commands.merging import merged
from agentfs_lsp.mcp.connection import Caller
from agentfs_lsp.mcp.holds import hold_s
from support.command import agentfs, run
from support.docs import REPOSITORY, codes, examples, section, table, text_of

DOCS = text_of("agents.md")
HERE = Path(sys.executable).parent

SETTINGS = re.compile(r"^`(\S+)`:\n\n```(?:json|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^# [^\n]*: (\S+)\n(.*?\n)(?=\n# |\Z)", re.MULTILINE | re.DOTALL)

each_agent = pytest.mark.parametrize("name", AGENTS)


def printed(*arguments: str) -> dict[str, str]:
    """The settings by file, where `agentfs-lsp` is on the PATH."""
    command = [str(HERE / "agentfs-lsp"), "connect", "--print", *arguments]
    ended = run(*command, env={"PATH": str(HERE)}, check=True)
    return dict(PRINTED.findall(ended.stdout.rstrip("\n") + "\n"))


def loaded(path: str, text: str) -> Any:
    return tomllib.loads(text) if path.endswith(".toml") else json.loads(text)


@each_agent
def test_the_settings_are_what_connect_prints(name: str) -> None:
    told = dict(SETTINGS.findall(section(DOCS, AGENTS[name].title)))
    assert told == printed(name)
    assert told


@each_agent
def test_what_only_adds_is_told(name: str) -> None:
    plain, only = printed(name), printed("--only", name)
    told = re.findall(r"`--only`\sadds\s((?:[^`.:]|`[^`]*`)+)[.:]", section(DOCS, AGENTS[name].title))
    assert len(told) == sum(plain[path] != only[path] for path in only)
    for path in only:
        if plain[path] != only[path]:
            is_toml = path.endswith(".toml")
            lines = "\n".join(codes(told[0]))
            added = loaded(path, lines if is_toml else f"{{{lines}}}")
            assert loaded(path, merged(path, plain[path], added)) == loaded(path, only[path])


def test_the_commands_and_names_are_those_of_connect() -> None:
    start = section(DOCS, "Start")
    assert all(f"`{name}`" in start for name in AGENTS)
    usage = agentfs("connect", "--help").stdout
    assert set(re.findall(r"--\w+", start)) == {"--user", "--only", "--print", "--list", "--json"}
    assert all(option in usage for option in ("--user", "--only", "--print", "--list", "--json"))


def test_how_long_programs_wait_is_what_the_server_knows() -> None:
    seconds = {"about a day": 80_000, "5 minutes": 240, "a minute": 40}
    for row in table(section(DOCS, "While a change waits for you"), "program"):
        for name in re.split(", (?:and )?", row["program"]):
            if row["waits for"] in seconds:  # else, the settings say so
                caller = Caller(name={"VS Code": "Visual Studio Code"}.get(name, name))
                least = seconds[row["waits for"]]
                assert least < hold_s(caller, reports=True) < 1.5 * least, name


@pytest.mark.parametrize("program", ["Claude Code", "Zed", "Other programs"])
def test_the_other_examples_are_json(program: str) -> None:
    for block in examples(section(DOCS, program), "json"):
        assert json.loads(block)


def test_the_extension_knows_the_same_programs_and_files() -> None:
    source = (REPOSITORY / "extension/src/views/programs.ts").read_text("utf-8")
    known = re.findall(r"\{ name: '(.+?)', title: '(.+?)', files: \[(.+?)\] \}", source)
    told = {name: (title, re.findall(r"'(.+?)'", files)) for name, title, files in known}
    assert told == {name: (agent.title, [*agent.project([""], False)]) for name, agent in AGENTS.items()}


@pytest.mark.parametrize("page", ["agent-mode.md", "agent-mode.zh-cn.md"])
def test_the_extensions_page_has_the_agent_that_is_told_here(page: str) -> None:
    (told,) = examples(section(DOCS, "VS Code"), "markdown")
    assert examples((REPOSITORY / "extension/media" / page).read_text("utf-8"), "markdown") == [told]
