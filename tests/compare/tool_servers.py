"""Tool servers that speak MCP: the npm file server, and one in Python."""

import asyncio
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from bench import installation
from bench.client import Server, ServerFailedError
from bench.peers import SCRIPTS
from compare.party import Edit, Party, PartyFailedError, environment
from compare.verdicts import Outcome


class ToolServer(Party):
    """One of them. They differ in the command and in the tools' names."""

    read_tool: ClassVar[str]

    @abstractmethod
    def command(self) -> Sequence[str]:
        """Raises NotAvailableError."""

    @abstractmethod
    def arguments(self, edit: Edit) -> dict[str, Any]:
        """Of the tool `edit_file`, besides the path."""

    async def start(self) -> None:
        beside = self.root.parent
        env = environment(beside / "home")
        self._server = Server(self.command(), "line", env=env, log=beside / "log", cwd=self.root)
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "compare", "version": "1"},
        }
        await asyncio.to_thread(self._server.call, "initialize", hello)
        self._server.notify("notifications/initialized", {})

    async def close(self) -> None:
        with suppress(OSError):
            self._server.close()

    @property
    def pid(self) -> int:
        return self._server.process.pid

    async def read(self, path: str) -> str:
        return (await self._use(self.read_tool, path)).text

    async def edit(self, edit: Edit) -> Outcome:
        return await self._use("edit_file", edit.path, **self.arguments(edit))

    async def write(self, path: str, content: str) -> Outcome:
        return await self._use("write_file", path, content=content)

    async def _use(self, tool: str, path: str, **arguments: Any) -> Outcome:
        call = {"name": tool, "arguments": {"path": str(self.root / path), **arguments}}
        try:
            answer, _ = await asyncio.to_thread(self._server.call, "tools/call", call)
        except ServerFailedError as error:
            if self._server.process.poll() is not None:
                raise PartyFailedError(str(error)) from error
            return Outcome(False, str(error))
        return Outcome(not answer.get("isError"), "".join(one.get("text", "") for one in answer["content"]))


class NpmServer(ToolServer):
    """The npm package @modelcontextprotocol/server-filesystem."""

    name = "npm file server"
    about = "over stdio, with the workspace as its only allowed folder; tools `edit_file` and `write_file`"
    read_tool = "read_text_file"

    @property
    def version(self) -> str:
        installation.npm_filesystem()
        return next(one for one in installation.installed_versions().split(", ") if one.startswith("@"))

    def command(self) -> Sequence[str]:
        node, entry = installation.npm_filesystem()
        return [node, str(entry), str(self.root)]

    def arguments(self, edit: Edit) -> dict[str, Any]:
        return {"edits": [{"oldText": edit.old, "newText": edit.new}]}


class PythonServer(ToolServer):
    """A careful tool server with the Python SDK, the one of `make bench`."""

    name = "Python mcp server"
    about = (
        "`tests/bench/servers/mcp_tools.py`, over stdio: what a careful author writes with the SDK: one "
        "folder, unique exact replacement, whole-file replacement through a temporary file"
    )
    read_tool = "read_file"

    @property
    def version(self) -> str:
        installation.python_mcp()
        return next(
            one for one in installation.installed_versions().split(", ") if one.startswith("mcp-")
        ).replace("-", " ")

    def command(self) -> Sequence[str]:
        return [str(installation.python_mcp()), str(SCRIPTS / "mcp_tools.py"), str(self.root)]

    def arguments(self, edit: Edit) -> dict[str, Any]:
        return {"old_text": edit.old, "new_text": edit.new}
