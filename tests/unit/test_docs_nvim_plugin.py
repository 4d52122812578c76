"""The documents of editors/nvim name what its Lua has, and nothing else."""

import re

from support.docs import REPOSITORY, examples, section, text_of

PLUGIN = REPOSITORY / "editors" / "nvim"
LUA = PLUGIN / "lua" / "agentfs"
HELP = (PLUGIN / "doc" / "agentfs.txt").read_text()
README = (PLUGIN / "README.md").read_text()


def lua(name: str) -> str:
    return (LUA / name).read_text()


def test_the_help_lists_every_command() -> None:
    table = lua("commands.lua").partition("M.COMMANDS = {")[2]
    commands = set(re.findall(r"^  (\w+) = \{$", table, re.MULTILINE))
    assert len(commands) > 20
    assert commands == set(re.findall(r"\*:Agentfs-(\w+)\*", HELP))
    assert set(re.findall(r"`:Agentfs (\w+)", README)) <= commands


def test_the_documents_list_every_option() -> None:
    defaults = lua("config.lua").partition("local defaults = {")[2].partition("\n}\n")[0]
    options = set(re.findall(r"^  (\w+) = ", defaults, re.MULTILINE))
    keys = set(re.findall(r"^    (\w+) = ", defaults, re.MULTILINE))
    for text in (README, HELP):
        assert options - {"install"} <= set(re.findall(r"\b(\w+) = ", text))
        assert keys <= set(re.findall(r"\b(\w+) = ['f]", text))


def test_the_help_lists_every_event() -> None:
    fired = {
        name
        for file in LUA.glob("*.lua")
        for name in re.findall(r"events'?\)?\.fire\('(\w+)'", file.read_text())
    }
    assert {f"Agentfs{name}" for name in fired} == set(re.findall(r"^(Agentfs\w+)\t", HELP, re.MULTILINE))


def test_the_help_lists_every_highlight_group() -> None:
    groups = dict(re.findall(r"^  (Agentfs\w+) = '(\w+)'", lua("highlight.lua"), re.MULTILINE))
    assert groups == dict(re.findall(r"^\t(Agentfs\w+)\t+(\w+)$", HELP, re.MULTILINE))
    used = {
        name for file in LUA.glob("*.lua") for name in re.findall(r"'(Agentfs[A-Z]\w+)'", file.read_text())
    }
    assert used - {"AgentfsUnload"} <= set(groups)


def test_the_architecture_lists_every_module() -> None:
    listed = examples(section(text_of("architecture.md"), "The Neovim plugin"), "text")[0]
    assert set(re.findall(r"\b(\w+\.lua)\b", listed)) == {file.name for file in LUA.glob("*.lua")}
