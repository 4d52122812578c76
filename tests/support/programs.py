"""Real agents' programs, which have `agentfs-lsp mcp` as their MCP server and a scripted model.

Each runs in a home of its own, with an environment of its own, and reaches nothing but loopback.
"""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.outside import LAUNCHER
from support.scripted_model import Model, scripted_model

INSTALLED = Path(__file__).parents[2] / ".agents" / "node_modules" / ".bin"
NOWHERE = "http://127.0.0.1:9"
TASK = "Do what the user wants."


@dataclass(frozen=True, slots=True)
class Place:
    """What a program is told about where it runs. `server`: the command of the MCP server; `served`: its
    environment; `limit_s`: the program's own time limit for a call."""

    root: Path
    home: Path
    model: str
    server: list[str]
    served: dict[str, str]
    limit_s: int

    def write(self, path: str, text: str) -> None:
        """A file of the program's configuration."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@dataclass(frozen=True, slots=True)
class Program:
    """An agent's program. `configure` writes its configuration and returns its arguments and environment."""

    command: str
    prefix: str
    """What it puts before the names of the server's tools."""
    label: str
    """What its users see as the agent."""
    configure: Callable[[Place], tuple[list[str], dict[str, str]]]
    own: Callable[[str], list[tuple[str, dict[str, str], str]]]
    """Calls of its own tools that would change this file, with the refusal."""
    tells_of_its_limit: bool = True
    """Whether it cancels a call that takes too long with that reason, and not as when its user cancels it."""


def _codex(place: Place) -> tuple[list[str], dict[str, str]]:
    served = ", ".join(f"{name} = {json.dumps(value)}" for name, value in place.served.items())
    place.write(
        ".codex/config.toml",
        f"""
model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "read-only"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{place.model}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[mcp_servers.agentfs]
command = {json.dumps(place.server[0])}
args = {json.dumps(place.server[1:])}
env = {{ {served} }}
default_tools_approval_mode = "approve"
tool_timeout_sec = {place.limit_s}
""",
    )
    return ["exec", "--skip-git-repo-check", TASK], {}


def _opencode(place: Place) -> tuple[list[str], dict[str, str]]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.model}/v1", "apiKey": "none"},
        "models": {"scripted": {"tool_call": True, "limit": {"context": 100_000, "output": 4000}}},
    }
    server = {
        "type": "local",
        "command": place.server,
        "environment": place.served,
    }
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "provider": {"scripted": provider},
        "mcp": {"agentfs": server},
        "experimental": {"mcp_timeout": 1000 * place.limit_s},
        "permission": {"edit": "deny", "bash": "deny"},
    }
    place.write(".config/opencode/opencode.json", json.dumps(settings))
    quiet = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
    return ["run", TASK], {f"OPENCODE_DISABLE_{name}": "1" for name in quiet}


def _own_of_codex(file: str) -> list[tuple[str, dict[str, str], str]]:
    return [("exec_command", {"cmd": f"echo own >{file}"}, "Read-only file system")]


def _own_of_opencode(file: str) -> list[tuple[str, dict[str, str], str]]:
    return [
        ("edit", {"filePath": file, "oldString": "two", "newString": "own"}, "unavailable tool"),
        ("write", {"filePath": file, "content": "own"}, "unavailable tool"),
        ("bash", {"command": f"echo own >{file}", "description": "own"}, "unavailable tool"),
    ]


PROGRAMS = {
    "codex": Program("codex", "mcp__agentfs/", "Codex", _codex, _own_of_codex, tells_of_its_limit=False),
    "opencode": Program("opencode", "agentfs_", "opencode", _opencode, _own_of_opencode),
}


@dataclass(frozen=True, slots=True)
class Agent:
    """A program that runs."""

    program: Program
    model: Model
    process: asyncio.subprocess.Process
    log: Path

    async def call(self, tool: str, **arguments: Any) -> str:
        """Let the model call a tool of agentfs; returns the result as the model gets it."""
        return await self.call_own(self.program.prefix + tool, arguments)

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
    home = root.parent / f"home-{program.command}-{len(os.listdir(root.parent))}"
    home.mkdir()
    node = shutil.which("node")
    assert node is not None
    async with scripted_model() as model:
        served = {"AGENTFS_TEST_SOCKETS": str(sockets), "XDG_STATE_HOME": str(home / "agentfs-state")}
        server = [sys.executable, "-P", LAUNCHER, "mcp", *options]
        arguments, more = program.configure(Place(root, home, model.url, server, served, limit_s))
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
