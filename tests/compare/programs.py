"""Agents' programs with their own tools: the real program runs, and a scripted model calls the tools.

Where a program asks its model for anything else, such as a title, the model answers "Done.".
"""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any, ClassVar

from compare import installation
from compare.party import Edit, Party, PartyFailedError, whole_lines
from compare.verdicts import Outcome
from support import programs, scripted_model
from support.programs import TASK, Agent, Place, Program

scripted_model.STEP_S = 300.0  # programs may take long to start on a busy machine


class ProgramParty(Party):
    """One of them. It works in one turn of its model."""

    package: ClassVar[str]
    executable: ClassVar[str]

    @property
    def version(self) -> str:
        return installation.program(self.package)

    async def start(self) -> None:
        self._closing = AsyncExitStack()
        program = Program(self.executable, "", "", self.configure, lambda _: [])
        running = programs.running(program, self.root, self.root.parent / "sockets")
        self._agent: Agent = await self._closing.enter_async_context(running)

    async def close(self) -> None:
        await self._closing.aclose()

    @property
    def pid(self) -> int:
        return self._agent.process.pid

    @staticmethod
    @abstractmethod
    def configure(place: Place) -> tuple[list[str], dict[str, str]]:
        """Its settings: defaults, apart from the model, and from what would ask a person or the network."""

    async def _use(self, tool: str, success: str, **arguments: Any) -> Outcome:
        """`success`: what the result says if it is one."""
        try:
            told = await self._agent.call_own(tool, arguments)
        except AssertionError as error:
            raise PartyFailedError(str(error)) from error
        return Outcome(success in told, told)

    def _path(self, path: str) -> str:
        return str(self.root / path)


class Gemini(ProgramParty):
    """Gemini CLI."""

    name = "Gemini CLI"
    about = (
        "the program with a scripted model, `--approval-mode auto_edit`; tools `replace` and `write_file`. "
        "Its mending of a failed edit by a model is off by default, and off here"
    )
    package = "@google/gemini-cli"
    executable = ".bin/gemini"
    replaces_all = True

    @staticmethod
    def configure(place: Place) -> tuple[list[str], dict[str, str]]:
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "model": {"disableLoopDetection": True},  # after 30 calls, it would ask a model
        }
        place.write(".gemini/settings.json", settings)
        arguments = ["-m", "gemini-2.5-flash", "--approval-mode", "auto_edit", "-p", TASK]
        return arguments, {"GOOGLE_GEMINI_BASE_URL": place.model, "GEMINI_API_KEY": "none"}

    async def read(self, path: str) -> str:
        return (await self._use("read_file", "", file_path=self._path(path))).text

    async def edit(self, edit: Edit) -> Outcome:
        arguments = {"old_string": edit.old, "new_string": edit.new, "instruction": "Change this text."}
        if edit.replace_all:
            arguments["allow_multiple"] = True  # type: ignore[assignment]
        return await self._use("replace", "Successfully", file_path=self._path(edit.path), **arguments)

    async def write(self, path: str, content: str) -> Outcome:
        return await self._use("write_file", "Successfully", file_path=self._path(path), content=content)


class OpenCode(ProgramParty):
    """opencode."""

    name = "opencode"
    about = "the program with a scripted model, `opencode run`, default permissions; tools `edit` and `write`"
    package = "opencode-ai"
    executable = ".bin/opencode"
    replaces_all = True

    @staticmethod
    def configure(place: Place) -> tuple[list[str], dict[str, str]]:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{place.model}/v1", "apiKey": "none"},
            "models": {"scripted": {"tool_call": True, "limit": {"context": 100_000, "output": 4000}}},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "provider": {"scripted": provider},
        }
        place.write(".config/opencode/opencode.json", settings)
        quiet = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD")
        return ["run", TASK], {f"OPENCODE_DISABLE_{name}": "1" for name in quiet}

    async def read(self, path: str) -> str:
        return (await self._use("read", "", filePath=self._path(path))).text

    async def edit(self, edit: Edit) -> Outcome:
        arguments = {"oldString": edit.old, "newString": edit.new}
        if edit.replace_all:
            arguments["replaceAll"] = True  # type: ignore[assignment]
        return await self._use("edit", "successfully", filePath=self._path(edit.path), **arguments)

    async def write(self, path: str, content: str) -> Outcome:
        return await self._use("write", "successfully", filePath=self._path(path), content=content)


class Codex(ProgramParty):
    """Codex, whose apply_patch takes a patch of whole lines, of one file or of several."""

    name = "Codex"
    about = (
        "the program with a scripted model, `codex exec --sandbox workspace-write`; its `apply_patch`, "
        "called from its shell tool. An edit is a patch of the lines that the request touches"
    )
    package = "@openai/codex"
    executable = ".bin/codex"
    has_read = False
    whole_lines = True

    @staticmethod
    def configure(place: Place) -> tuple[list[str], dict[str, str]]:
        place.write(".codex/config.toml", programs._model_of_codex(place))
        return ["exec", "--skip-git-repo-check", "--sandbox", "workspace-write", TASK], {}

    async def read(self, path: str) -> str:
        return (await self._use("exec_command", "", cmd=f"cat '{path}'")).text

    async def edit(self, edit: Edit) -> Outcome:
        return await self.change([edit])

    async def change(self, edits: Sequence[Edit]) -> Outcome:
        hunks = []
        for edit in edits:
            lines = whole_lines(self.known.get(edit.path, ""), edit)
            assert lines is not None, "the case is not for formats of whole lines"
            old, new = lines
            hunks += [f"*** Update File: {edit.path}", "@@", *(f"-{one}" for one in old)]
            hunks += [f"+{one}" for one in new]
        return await self._patch(hunks)

    async def write(self, path: str, content: str) -> Outcome:
        lines = content.removesuffix("\n").split("\n")
        return await self._patch([f"*** Add File: {path}", *(f"+{one}" for one in lines)])

    async def _patch(self, lines: Sequence[str]) -> Outcome:
        patch = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
        return await self._use("exec_command", "Success. Updated", cmd=f"apply_patch <<'EOF'\n{patch}EOF\n")
