"""`agentfs-lsp connect`: the settings of agents' programs, reviewed before they are written."""

import asyncio
import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

from support.command import run
from support.editor import AUTO, REVIEWING
from support.outside import LAUNCHER, environment, serving
from support.personas import answering, pressing
from support.terminal import terminal

COMMAND = [sys.executable, "-P", LAUNCHER, "connect"]
SERVER = {"command": sys.executable, "args": ["-P", "-m", "agentfs_lsp", "mcp"]}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def told(home: Path, root: Path, sockets: Path) -> dict[str, str]:
    return {**environment(root, sockets), "HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


async def test_the_editor_shows_the_change_and_only_then_it_is_written(
    root: Path, home: Path, sockets: Path
) -> None:
    (root / ".mcp.json").write_text('{\n    "mcpServers": {"mine": {"command": "x"}}\n}\n')
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    async with serving(root, sockets, **REVIEWING) as editor:
        connecting = asyncio.create_subprocess_exec(
            *COMMAND, cwd=root, env=told(home, root, sockets), stdout=asyncio.subprocess.PIPE
        )
        process = await connecting
        proposed = await editor.seen("agentfs/proposed")
        paths = [".claude/settings.json", ".codex/config.toml", ".mcp.json"]
        assert sorted(file["path"] for file in proposed["files"]) == paths
        assert not (root / ".codex").exists()
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert "Codex is set up. Start a new session of it." in said
    text = (root / ".mcp.json").read_text()
    assert json.loads(text)["mcpServers"] == {"mine": {"command": "x"}, "agentfs": SERVER}
    assert text.startswith('{\n    "mcpServers": {"mine": {"command": "x"}, "agentfs": ')
    toml = tomllib.loads((root / ".codex/config.toml").read_text())
    assert toml["mcp_servers"]["agentfs"]["args"][:4] == SERVER["args"]
    assert "Changed: .mcp.json, .claude/settings.json, .codex/config.toml." in said
    again = run(*COMMAND, cwd=root, env=told(home, root, sockets))  # nobody is asked
    assert (again.returncode, "Codex is set up already." in again.stdout) == (0, True), again.stderr
    assert (root / ".mcp.json").read_text() == text


@pytest.mark.parametrize("several", [False, True])
async def test_the_folder_may_be_inside_one_of_the_editors(
    root: Path, home: Path, sockets: Path, several: bool
) -> None:
    (root / "sub").mkdir()
    folders = [("notes", home), ("work", root)] if several else None
    async with serving(root, sockets, options=AUTO, folders=folders, **REVIEWING) as editor:
        process = await asyncio.create_subprocess_exec(
            *COMMAND, "codex", "--workspace", "sub", cwd=root, env=told(home, root, sockets)
        )
        proposed = await editor.seen("agentfs/proposed")  # in every mode
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        assert await process.wait() == 0
    assert [path.relative_to(root) for path in root.rglob("*.toml")] == [Path("sub/.codex/config.toml")]


async def test_without_an_editor_the_terminal_asks(root: Path, home: Path, sockets: Path) -> None:
    for answer, is_there in (("n\n", False), ("y\n", True)):
        async with terminal([*COMMAND, "opencode"], root, told(home, root, sockets)) as shown:
            asked = await shown.shows("Apply this change?")
            assert "No editor with agentfs has this folder open: asking here.\nApply" in asked
            shown.press(answer)
            await shown.shows("is set up" if is_there else "You did not accept the change.")
            assert "the user" not in shown.text
        assert (root / "opencode.json").exists() is is_there


async def test_the_users_settings_are_those_in_the_home(root: Path, home: Path, sockets: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text('model = "x" # mine\n')
    async with terminal([*COMMAND, "--user", "codex"], root, told(home, root, sockets)) as shown:
        await shown.shows("Apply this change?")
        shown.press("y\n")
        assert "No editor" not in await shown.shows("is set up")
    assert (home / ".codex/config.toml").read_text().startswith('model = "x" # mine\n')
    elsewhere = told(home, root, sockets) | {"CODEX_HOME": str(root)}
    moved = run(*COMMAND, "--user", "codex", cwd=root, env=elsewhere)
    assert (moved.returncode, "CODEX_HOME says where Codex keeps its settings" in moved.stderr) == (2, True)
    told_so = run(*COMMAND, "--user", "claude-code", cwd=root, env=told(home, root, sockets))
    assert "To connect it, run:" in told_so.stdout
    assert (told_so.returncode, "claude mcp add --scope user agentfs -- " in told_so.stdout) == (0, True)
    shown = run(*COMMAND, "--user", "--print", "codex", cwd=root, env=told(home, root, sockets))
    assert shown.stdout.startswith("# Codex: ~/.codex/config.toml\n")
    assert list(root.iterdir()) == []


async def test_settings_in_an_unsaved_buffer_connect_nobody(root: Path, home: Path, sockets: Path) -> None:
    (root / "opencode.json").write_text("{}\n")
    async with serving(root, sockets, answers=answering(pressing("Approve"))) as editor:
        editor.open("opencode.json")
        editor.change("opencode.json", "{ }\n")
        for _ in range(2):
            connecting = asyncio.create_subprocess_exec(
                *COMMAND, "opencode", cwd=root, env=told(home, root, sockets), stdout=asyncio.subprocess.PIPE
            )
            said = (await (await connecting).communicate())[0].decode()
            assert "The settings are not saved yet. Save them in the editor." in said
            assert "is set up" not in said
        assert "agentfs" in editor.documents[editor.uri("opencode.json")].text
    assert (root / "opencode.json").read_text() == "{}\n"


def test_where_only_reaches_no_tools_it_says_so(root: Path, home: Path, sockets: Path) -> None:
    def stays(*arguments: str) -> bool:
        shown = run(*COMMAND, "--print", "--only", *arguments, cwd=root, env=told(home, root, sockets))
        return "keeps its own tools" in shown.stderr

    assert [stays(agent) for agent in ("claude-code", "codex", "vscode")] == [False, False, True]
    assert [stays("--user", agent) for agent in ("claude-code", "codex", "vscode")] == [True, False, True]


def test_nobody_to_ask_is_a_refusal(root: Path, home: Path, sockets: Path) -> None:
    refused = run(*COMMAND, "gemini", cwd=root, env=told(home, root, sockets), start_new_session=True)
    assert refused.returncode == 3
    assert refused.stderr.startswith("agentfs-lsp connect: Nobody could be asked, so nothing was changed")
    assert "--print" in refused.stderr
    assert list(root.iterdir()) == []


def test_a_server_that_is_not_installed_starts_by_its_path(root: Path, home: Path, sockets: Path) -> None:
    """The extension's."""
    script = home / "run_server.py"
    script.write_text(
        f"import sys; sys.path[1:1] = {sys.path[1:]}; from agentfs_lsp.__main__ import main; main()"
    )
    isolated = [sys.executable, "-I", "-S", str(script)]
    read = run(*isolated, "call", "status", cwd=root, env=told(home, root, sockets))
    assert json.loads(read.stdout)["status"] == "success", read.stderr
    shown = run(*isolated, "connect", "--print", "codex", cwd=root, env=told(home, root, sockets))
    (server,) = tomllib.loads(shown.stdout)["mcp_servers"].values()
    assert [server["command"], *server["args"][:4]] == [*isolated, "mcp"]


@pytest.mark.parametrize("broken", [b'{\n  "servers": {\n}\n', b'{"name": "\xff"}\n'])
def test_a_file_that_is_not_understood_stays_and_the_settings_are_shown(
    root: Path, home: Path, sockets: Path, broken: bytes
) -> None:
    (root / ".vscode").mkdir()
    (root / ".vscode/mcp.json").write_bytes(broken)
    unclear = run(*COMMAND, "vscode", cwd=root, env=told(home, root, sockets))
    assert (unclear.returncode, "Add this yourself" in unclear.stdout) == (1, True)
    shown, _, last = unclear.stdout.split("\n\n", 1)[1].rpartition("VS Code is not set up")
    assert json.loads(shown)["servers"]["agentfs"]["type"] == "stdio"
    assert last == ": see above.\n"
    assert (root / ".vscode/mcp.json").read_bytes() == broken


async def test_one_file_that_is_not_understood_stops_no_other_agent(
    root: Path, home: Path, sockets: Path
) -> None:
    (root / ".mcp.json").write_text("{ not JSON")
    process = await connecting(root, home, sockets, "claude-code", "codex", answer="accepted")
    said = (await process.communicate())[0].decode()
    assert process.returncode == 1
    assert "'.mcp.json' was not changed: " in said
    assert "Claude Code is not set up: see above." in said
    assert "Codex is set up. Start" in said
    assert (root / ".mcp.json").read_text() == "{ not JSON"
    assert (root / ".claude/settings.json").exists()


async def test_who_keeps_tools_of_its_own_is_told_with_the_command_that_denies_them(
    root: Path, home: Path, sockets: Path
) -> None:
    process = await connecting(root, home, sockets, "claude-code", "vscode", answer="accepted")
    said = (await process.communicate())[0].decode()
    assert "Claude Code keeps its own tools that change files without a review: Edit, Write, " in said
    assert "connect --only claude-code\n" in said
    assert "VS Code keeps its own tools that change files: --only cannot deny them here." in said
    process = await connecting(root, home, sockets, "--only", "claude-code", answer="accepted")
    assert "keeps its own" not in (await process.communicate())[0].decode()
    plain = run(*COMMAND, "claude-code", cwd=root, env=told(home, root, sockets))  # they stay denied
    assert plain.stdout == "Claude Code is set up already.\n"


async def test_a_program_gets_the_result_as_json_and_finds_the_review_by_its_session(
    root: Path, home: Path, sockets: Path
) -> None:
    (root / ".mcp.json").write_text("{}\n")
    async with serving(root, sockets, **REVIEWING) as editor:
        arguments = ("--json", "--session", "mine", "claude-code", "vscode")
        process = await asyncio.create_subprocess_exec(
            *COMMAND, *arguments, cwd=root, env=told(home, root, sockets), stdout=asyncio.subprocess.PIPE
        )
        proposed = await editor.seen("agentfs/proposed")
        assert proposed["session"].endswith("/mine")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "accepted"})
        said = json.loads((await process.communicate())[0])
    assert said["agents"] == [
        {"name": "claude-code", "title": "Claude Code", "own_tools": "deniable"},
        {"name": "vscode", "title": "VS Code", "own_tools": "undeniable"},
    ]
    assert "Claude Code is set up. Start a new session of it." in said["lines"]


def listed(root: Path, home: Path, sockets: Path, *arguments: str) -> dict[str, str]:
    """The agents that are set up, and what becomes of their own tools."""
    ended = run(*COMMAND, "--list", "--json", *arguments, cwd=root, env=told(home, root, sockets))
    assert ended.returncode == 0, ended.stderr
    return {one["name"]: one["own_tools"] for one in json.loads(ended.stdout)["agents"]}


def test_the_agents_that_are_set_up_are_listed(root: Path, home: Path, sockets: Path) -> None:
    assert listed(root, home, sockets) == {}
    (root / ".mcp.json").write_text('{"mcpServers": {"agentfs": {"command": "gone"}}, // mine\n}')
    (root / ".codex").mkdir()
    (root / ".codex/config.toml").write_text(
        'sandbox_mode = "read-only"\napproval_policy = "never"\n[mcp_servers.agentfs]\ncommand = "x"\n'
    )
    (root / "opencode.json").write_text("{ not JSON")
    (root / ".gemini").mkdir()
    (root / ".gemini/settings.json").write_bytes(b'{"mcpServers": {"other": {}}, "x": "\xff"}')
    (root / ".vscode").mkdir()
    with (root / ".vscode/mcp.json").open("wb") as huge:
        huge.truncate(1 << 40)
    before = sorted(root.rglob("*"))
    assert listed(root, home, sockets) == {"claude-code": "deniable", "codex": "denied"}
    assert listed(root, home, sockets, "codex") == {"codex": "denied"}
    assert listed(root, home, sockets, "--user") == {}
    shown = run(*COMMAND, "--list", cwd=root, env=told(home, root, sockets)).stdout
    assert "Codex is set up.\nGemini CLI is not set up.\n" in shown
    assert sorted(root.rglob("*")) == before


def test_a_folder_may_have_any_name(root: Path, home: Path, sockets: Path) -> None:
    folder = root / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    refused = run(*COMMAND, "gemini", cwd=folder, env=told(home, folder, sockets), start_new_session=True)
    assert refused.returncode == 3
    assert refused.stderr.startswith("agentfs-lsp connect: Nobody could be asked")


async def test_other_settings_that_allow_its_tools_again_are_named(
    root: Path, home: Path, sockets: Path
) -> None:
    (root / "opencode.json").write_text('{"agent": {"build": {"permission": {"edit": "allow"}}}}\n')
    process = await connecting(root, home, sockets, "--only", "--json", "opencode", answer="accepted")
    said = json.loads((await process.communicate())[0])
    why = (
        "opencode can still change files without a review, with its own tools: its setting "
        "agent.build.permission.edit in 'opencode.json' allows them again. Change that yourself."
    )
    agent = {"name": "opencode", "title": "opencode", "own_tools": "overridden", "told": why}
    assert (said["agents"], why in said["lines"]) == ([agent], True)
    assert listed(root, home, sockets) == {"opencode": "overridden"}
    shown = run(*COMMAND, "--list", "opencode", cwd=root, env=told(home, root, sockets)).stdout
    assert shown == f"opencode is set up.\n{why}\n"


async def test_settings_that_exclude_the_server_connect_nobody(root: Path, home: Path, sockets: Path) -> None:
    (root / ".gemini").mkdir()
    (root / ".gemini/settings.json").write_text('{"mcp": {"excluded": ["agentfs"]}}\n')
    process = await connecting(root, home, sockets, "--json", "gemini", answer="accepted")
    said = json.loads((await process.communicate())[0])
    why = (
        "Gemini CLI cannot use agentfs: its setting mcp.excluded in '.gemini/settings.json' excludes it. "
        "Change that yourself."
    )
    lines = ["Changed: .gemini/settings.json.", why, "Gemini CLI is not set up: see above."]
    assert (said["agents"], said["lines"], process.returncode) == ([], lines, 0)
    shown = run(*COMMAND, "--list", "gemini", cwd=root, env=told(home, root, sockets)).stdout
    assert shown == f"{why}\nGemini CLI is not set up.\n"


async def test_amended_settings_connect_nobody_for_certain(root: Path, home: Path, sockets: Path) -> None:
    process = await connecting(root, home, sockets, "opencode", answer="amended")
    said = (await process.communicate())[0].decode()
    assert (process.returncode, "You amended the settings." in said) == (0, True)
    assert "set up" not in said


async def test_an_undo_takes_the_settings_back(root: Path, home: Path, sockets: Path) -> None:
    env = told(home, root, sockets)
    async with terminal([*COMMAND, "--only", "claude-code"], root, env) as shown:
        await shown.shows("Enter: more")
        shown.press("\n")
        await shown.shows("Apply this change?")
        shown.press("y\n")
        await shown.shows("is set up")
        assert await shown.process.wait() == 0  # only then is the change in the history
    listed = run(*COMMAND[:-1], "history", cwd=root, env=env).stdout
    change = re.search(r"^change (\w+)", listed, re.MULTILINE)
    assert change, listed
    undone = run(*COMMAND[:-1], "undo", "--yes", change[1], cwd=root, env=env)
    assert (undone.returncode, (root / ".claude/settings.json").exists()) == (0, False), undone.stderr
    assert not (root / ".mcp.json").exists()


async def connecting(
    root: Path, home: Path, sockets: Path, *arguments: str, answer: str
) -> asyncio.subprocess.Process:
    """The command, which has been answered so in the editor."""
    async with serving(root, sockets, **REVIEWING) as editor:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *arguments,
            cwd=root,
            env=told(home, root, sockets),
            stdout=asyncio.subprocess.PIPE,
        )
        proposed = await editor.seen("agentfs/proposed")
        texts = [{"uri": file["uri"], "text": "{}\n"} for file in proposed["files"]]
        settled = {"id": proposed["id"], "decision": answer}
        await editor.request("agentfs/settle", settled | ({"files": texts} if answer == "amended" else {}))
        await process.wait()
    return process


async def test_at_a_terminal_it_says_that_the_change_waits_in_the_editor(
    root: Path, home: Path, sockets: Path
) -> None:
    async with (
        serving(root, sockets, **REVIEWING) as editor,
        terminal([*COMMAND, "codex"], root, told(home, root, sockets)) as shown,
    ):
        await shown.shows("Review the change in your editor.")
        proposed = await editor.seen("agentfs/proposed")
        await editor.request("agentfs/settle", {"id": proposed["id"], "decision": "rejected"})
        await shown.shows("You did not accept the change. Nothing was changed.")


def test_vs_code_is_connected_on_request_only(root: Path, home: Path, sockets: Path) -> None:
    """Its extension needs no settings."""
    (home / ".vscode").mkdir()
    (home / ".codex").mkdir()
    found = run(*COMMAND, "--print", cwd=root, env=told(home, root, sockets))
    assert ("# Codex" in found.stdout, "# VS Code" in found.stdout) == (True, False)
    asked = run(*COMMAND, "--print", "vscode", cwd=root, env=told(home, root, sockets))
    assert "# VS Code" in asked.stdout


def test_what_is_wrong_is_said(root: Path, home: Path, sockets: Path) -> None:
    def failed(*arguments: str) -> tuple[int, str]:
        ended = run(*COMMAND, *arguments, cwd=root, env=told(home, root, sockets))
        return ended.returncode, ended.stderr

    assert failed()[0] == 2
    assert "Name one: claude-code, codex" in failed()[1]
    assert "must be one of claude-code" in failed("emacs")[1]
    assert "is not a folder" in failed("codex", "--workspace", "nowhere")[1]
    assert "is not a folder" in failed("--list", "--workspace", "nowhere")[1]
    assert list(root.iterdir()) == []
