"""Real agents' programs, which have `agentfs-lsp mcp` as their MCP server and a scripted model.

Each runs in a home of its own, with an environment of its own, and reaches nothing but loopback.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentfs_lsp.commands.agents import AGENTS, SERVER
from agentfs_lsp.commands.merging import merged
from support.editor import Editor
from support.outside import LAUNCHER
from support.scripted_model import Model, scripted_model

INSTALLED = Path(__file__).parents[2] / ".agents" / "node_modules"
NOWHERE = "http://127.0.0.1:9"
TASK = "Do what the user wants."


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program works, and its home. `model`: its model's address; `options`: of `agentfs-lsp mcp`;
    `env`: the environment of that; `limit_s`: the program's own time limit for a call."""

    root: Path
    home: Path
    model: str
    options: tuple[str, ...]
    env: dict[str, str]
    limit_s: int

    def connected(self, name: str) -> dict[str, dict[str, Any]]:
        """The settings by file, as `agentfs-lsp connect --only` makes them."""
        made = AGENTS[name].project([sys.executable, "-P", LAUNCHER], True)
        return {path: dict(settings) for path, settings in made.items()}

    def write(self, path: str, settings: dict[str, Any]) -> str:
        """A file of settings in the program's home; returns its path."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(merged(path, "", settings))
        return str(file)


Own = list[tuple[str, dict[str, str], str]]
"""Calls of tools, each with what its result says."""


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's program. `configure` writes its settings and returns its arguments and environment."""

    command: str
    prefix: str
    """What it puts before the names of the server's tools."""
    label: str
    """What its users see as the agent."""
    configure: Callable[[Place], tuple[list[str], dict[str, str]]]
    own: Callable[[str], Own]
    """Calls of its own tools that would change this file, all refused."""
    tells_of_its_limit: bool | None = True
    """Whether it cancels a call that takes too long with that reason, and not as when its user cancels it;
    None if it does not cancel."""


# --- Codex --------------------------------------------------------------------------------------------------


def _codex(place: Place) -> tuple[list[str], dict[str, str]]:
    ((path, settings),) = place.connected("codex").items()
    server = settings["mcp_servers"][SERVER]
    server["args"] += place.options
    server |= {"env": place.env, "tool_timeout_sec": place.limit_s}
    place.write(path, _model_of_codex(place) | settings)
    return ["exec", "--skip-git-repo-check", TASK], {}


def _connected_codex(place: Place) -> tuple[list[str], dict[str, str]]:
    with Path(place.write(".codex/config.toml", _model_of_codex(place))).open("a") as settings:
        settings.write(f'\n[projects."{place.root}"]\ntrust_level = "trusted"\n')
    return ["exec", "--skip-git-repo-check", TASK], {}


def _model_of_codex(place: Place) -> dict[str, Any]:
    provider = {
        "name": "scripted",
        "base_url": f"{place.model}/v1",
        "wire_api": "responses",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }
    return {
        "model": "scripted",
        "model_provider": "scripted",
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
        "model_providers": {"scripted": provider},
    }


def _own_of_codex(file: str) -> Own:
    return [("exec_command", {"cmd": f"echo own >{file}"}, "Read-only file system")]


# --- opencode -----------------------------------------------------------------------------------------------


def _opencode(place: Place) -> tuple[list[str], dict[str, str]]:
    ((_, settings),) = place.connected("opencode").items()
    server = settings["mcp"][SERVER]
    server["command"] += place.options
    server["environment"] = place.env
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model}/v1", "apiKey": "none"},
        "models": {"scripted": {"tool_call": True, "limit": {"context": 100_000, "output": 4000}}},
    }
    more = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "experimental": {"mcp_timeout": 1000 * place.limit_s},
    }
    place.write(".config/opencode/opencode.json", more | settings)
    quiet = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
    return ["run", TASK], {f"OPENCODE_DISABLE_{name}": "1" for name in quiet}


def _own_of_opencode(file: str) -> Own:
    return [
        ("edit", {"filePath": file, "oldString": "two", "newString": "own"}, "unavailable tool"),
        ("write", {"filePath": file, "content": "own"}, "unavailable tool"),
        ("bash", {"command": f"echo own >{file}", "description": "own"}, "unavailable tool"),
    ]


# --- Claude Code --------------------------------------------------------------------------------------------


def claude_code(place: Place, *arguments: str, **env: str) -> tuple[list[str], dict[str, str]]:
    """The arguments and the environment with these."""
    return ["-p", TASK, *arguments], {
        "ANTHROPIC_BASE_URL": place.model,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        **env,
    }


def _claude_code(place: Place) -> tuple[list[str], dict[str, str]]:
    servers, permissions = place.connected("claude-code").values()
    server = servers["mcpServers"][SERVER]
    server["args"] += place.options
    server["env"] = place.env
    files = [
        "--mcp-config",
        place.write("mcp.json", servers),
        "--settings",
        place.write("settings.json", permissions),
    ]
    return claude_code(place, *files, "--strict-mcp-config", MCP_TOOL_TIMEOUT=str(1000 * place.limit_s))


def _own_of_claude_code(file: str) -> Own:
    return [
        ("Edit", {"file_path": file, "old_string": "two", "new_string": "own"}, "No such tool"),
        ("Write", {"file_path": file, "content": "own"}, "No such tool"),
        ("Bash", {"command": f"echo own >{file}"}, "Output redirection"),
    ]


# --- Gemini CLI ---------------------------------------------------------------------------------------------


def _gemini(place: Place) -> tuple[list[str], dict[str, str]]:
    ((path, settings),) = place.connected("gemini").items()
    server = settings["mcpServers"][SERVER]
    server["args"] += place.options
    server |= {"env": place.env, "timeout": 1000 * place.limit_s}
    more = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
    }
    place.write(path, more | settings)
    return ["-m", "gemini-2.5-flash", "-p", TASK], {
        "GOOGLE_GEMINI_BASE_URL": place.model,
        "GEMINI_API_KEY": "none",
    }


def _own_of_gemini(file: str) -> Own:
    return [
        ("write_file", {"file_path": file, "content": "own"}, "not found"),
        ("replace", {"file_path": file, "old_string": "two", "new_string": "own"}, "not found"),
        ("run_shell_command", {"command": f"echo own >{file}"}, "not found"),
    ]


PROGRAMS = {
    "codex": Program(".bin/codex", "mcp__agentfs/", "Codex", _codex, _own_of_codex, tells_of_its_limit=False),
    "opencode": Program(".bin/opencode", "agentfs_", "opencode", _opencode, _own_of_opencode),
    "claude-code": Program(".bin/claude", "mcp__agentfs__", "Claude Code", _claude_code, _own_of_claude_code),
    "claude-code-next": Program(
        "claude-code-next/bin/claude.exe",
        "mcp__agentfs__",
        "Claude Code",
        _claude_code,
        _own_of_claude_code,
        tells_of_its_limit=None,
    ),
    "gemini": Program(".bin/gemini", "mcp_agentfs_", "gemini-cli-mcp-client", _gemini, _own_of_gemini),
}

CONNECTED_CODEX = Program(".bin/codex", "mcp__agentfs/", "Codex", _connected_codex, _own_of_codex)
"""It gets agentfs from the settings that are in its workspace."""


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that runs."""

    program: Program
    model: Model
    process: asyncio.subprocess.Process
    log: Path

    async def call(self, tool: str, **arguments: Any) -> str:
        """Let the model call a tool of agentfs; returns the result as the model gets it. Claude Code may
        still be connecting when its model is first asked, and then knows no such tool yet."""
        for _ in range(100):
            result = await self.call_own(self.program.prefix + tool, arguments)
            if "No such tool available" not in result:
                break
        return result

    async def call_own(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Let the model call any tool."""
        return await self._alive(self.model.call(tool, arguments))

    async def end(self) -> int:
        """End the model's turn; returns the program's exit code."""
        await self._alive(self.model.end())
        async with asyncio.timeout(60):
            return await self.process.wait()

    async def _alive(self, awaited: Any) -> Any:
        """The result, unless the program ends before."""
        result = asyncio.ensure_future(awaited)
        ended = asyncio.ensure_future(self.process.wait())
        try:
            await asyncio.wait({result, ended}, return_when=asyncio.FIRST_COMPLETED)
            assert result.done(), f"the program ended: {self.log.read_text()[-2000:]}"
            return result.result()
        except BaseException as error:
            error.add_note(self.log.read_text()[-2000:])
            raise
        finally:
            result.cancel()
            ended.cancel()


@asynccontextmanager
async def running(
    program: Program, root: Path, sockets: Path, *options: str, limit_s: int = 3600
) -> AsyncIterator[Agent]:
    """The program at work in the workspace. `options`: of `agentfs-lsp mcp`."""
    home = Path(tempfile.mkdtemp(prefix="home-", dir=root.parent))
    node = shutil.which("node")
    assert node is not None
    async with scripted_model() as model:
        served = {"AGENTFS_TEST_SOCKETS": str(sockets), "XDG_STATE_HOME": str(home / "agentfs-state")}
        arguments, more = program.configure(Place(root, home, model.url, options, served, limit_s))
        env = {
            "PATH": f"{Path(node).parent}:/usr/bin:/bin",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HTTP_PROXY": NOWHERE,
            "HTTPS_PROXY": NOWHERE,
            "NO_PROXY": "127.0.0.1",
            **more,
        }
        log = home / "log"
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                str(INSTALLED / program.command),
                *arguments,
                cwd=root,
                env=env,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        try:
            yield Agent(program, model, process, log)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def asked(editor: Editor, file: Path, number: int = 1) -> dict[str, Any]:
    """The `number`th proposal for the file, with its texts."""
    return await editor.request("agentfs/proposal", {"id": await _proposed(editor, file, number)})


async def withdrawn(editor: Editor, file: Path) -> None:
    """Wait until the first proposal for the file is withdrawn."""
    over = {"id": await _proposed(editor, file, 1), "outcome": "withdrawn"}
    await editor.message(lambda message: over.items() <= (message.get("params") or {}).items())


async def _proposed(editor: Editor, file: Path, number: int) -> str:
    def fits(message: dict[str, Any]) -> bool:
        return (
            message.get("method") == "agentfs/proposed" and message["params"]["files"][0]["path"] == file.name
        )

    announced = await editor.matching(number, fits)
    return str(announced["params"]["id"])
