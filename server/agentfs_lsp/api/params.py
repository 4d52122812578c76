"""The parameters of each request. `parsing.py` validates them.

`make generated` creates the tables of docs/protocol.md and extension/src/protocol/types.ts from these
classes. The string below a field is its meaning there. `results.py` declares the responses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentfs_lsp.api.parsing import bounded
from agentfs_lsp.domain.paths import PathMode
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.change_request import ChangeRequest
from agentfs_lsp.service.edit import Edit
from agentfs_lsp.service.timing import UNTIMED, Timing
from agentfs_lsp.service.write import Write

DialectName = Literal["standard", "gemini", "workspace", "mcp"]

NAME_CHARACTERS = 80
SESSION_CHARACTERS = 200
EXPLANATION_CHARACTERS = 10_000
MAX_OPERATIONS = 1000
HISTORY_CHANGES = 1000
HASH_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """The parameters that every request takes (docs/protocol.md#2-requests)."""

    session: str = bounded("default", least=1, most=SESSION_CHARACTERS)
    """the session that the reads, the mode, and the proposals belong to"""
    agent: str = bounded("", most=NAME_CHARACTERS)
    """the agent's name, shown to the user as claimed"""
    workDoneToken: int | str | None = None  # noqa: N815 - LSP's own name
    """the token for progress reports, as in LSP"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusParams(Params):
    """agentfs/status."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadParams(Params):
    """agentfs/read."""

    path: str
    """[section 4](#4-paths-and-roots)"""
    start_line: int = bounded(1, least=1)
    """the first line, counted from 1"""
    limit: int | None = bounded(None, least=0)
    """the number of lines; absent: 2000, and at most 200,000 characters (the settings `limits.read_lines` and
    `limits.read_chars`); 0: all"""
    line_numbers: bool = False
    """put the line number before each line, as `%4d | `"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeParams(Params):
    """The parameters that write and edit share."""

    path: str
    """[section 4](#4-paths-and-roots)"""
    dry_run: bool = False
    """report what would happen, and change nothing (partial)"""
    expected_mtime_ms: int | None = None
    """[section 8](#8-lock)"""
    expected_size_bytes: int | None = None
    """[section 8](#8-lock)"""
    expected_hash: str | None = bounded(None, most=HASH_CHARACTERS)
    """[section 8](#8-lock)"""
    on_conflict: Literal["error", "merge"] = "error"
    """what to do if the file has changed since it was read: [section 8](#8-lock)"""
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)
    """the reason, in the agent's words; shown beside the diff"""

    def request(
        self,
        tool: Literal["write", "edit"],
        paths: PathMode | None,
        timing: Timing,
        extent: int,
        *,
        overwrite: bool = True,
        confirms: bool = False,
    ) -> ChangeRequest:
        """The common part of every change."""
        return ChangeRequest(
            tool,
            self.path,
            self.session,
            self.agent,
            self.explanation,
            self.dry_run,
            Expected(self.expected_mtime_ms, self.expected_size_bytes, self.expected_hash),
            overwrite,
            merges=self.on_conflict == "merge",
            extent=extent,
            paths=paths,
            confirms=confirms,
            timing=timing,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteParams(ChangeParams):
    """agentfs/write."""

    content: str
    """the whole text"""
    allow_empty: bool = False
    """accept an empty `content`"""
    create_dirs: bool | None = None
    """create missing folders; absent: as the setting `create_dirs` says. If that setting is off, folders are
    never created"""
    overwrite: bool = True
    """if false, an existing file is CONFLICT"""

    def command(self, paths: PathMode | None, timing: Timing = UNTIMED, *, confirms: bool = False) -> Write:
        """The command. `paths`: which spellings of the path are allowed, None for the setting's. `confirms`:
        as in `Phrasing`."""
        extent = len(self.content)
        request = self.request("write", paths, timing, extent, overwrite=self.overwrite, confirms=confirms)
        return Write(request, self.content, self.allow_empty, self.create_dirs)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditParams(ChangeParams):
    """agentfs/edit."""

    path: str
    """[section 4](#4-paths-and-roots); the file must exist"""
    old_string: str = bounded(alias="oldText")
    """the text to replace"""
    new_string: str = bounded(alias="newText")
    """the replacement; may be empty"""
    replace_all: bool = False
    """replace every match"""
    expected_count: int | None = bounded(None, least=1)
    """the exact number of matches required; more than 1 implies `replace_all`"""

    def command(self, paths: PathMode | None, timing: Timing = UNTIMED, *, confirms: bool = False) -> Edit:
        """The command, as in `WriteParams.command`."""
        extent = len(self.old_string) + len(self.new_string)
        request = self.request("edit", paths, timing, extent, confirms=confirms)
        replace_all = self.replace_all or (self.expected_count or 0) > 1
        return Edit(request, self.old_string, self.new_string, replace_all, self.expected_count)


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationParams:
    """One operation of a batch."""

    tool: Literal["write", "edit"]
    params: dict[str, object]
    """the params of that request"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchParams(Params):
    """agentfs/batch."""

    operations: list[OperationParams] = bounded(least=1, most=MAX_OPERATIONS)  # noqa: RUF009 - makes a field
    """{`tool`: `"write"` or `"edit"`, `params`: the params of that request}"""
    atomic: bool = True
    """all operations land, or none"""
    dry_run: bool = False
    """report what would happen, and change nothing (partial)"""
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)
    """the reason, in the agent's words; shown beside the diff"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsParams(Params):
    """agentfs/tools."""

    dialect: DialectName = "standard"
    """the dialect of the tools"""
    format: Literal["openai", "anthropic", "mcp"] = "openai"
    """the format of the definitions"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallParams(Params):
    """agentfs/call. `arguments` are validated once the tool is known."""

    dialect: DialectName = "standard"
    """the dialect of the tool"""
    name: str
    """the tool's name"""
    arguments: dict[str, object]
    """the model's arguments"""
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)
    """the reason, in the agent's words; shown beside the diff. Ignored for a read"""
    expected_mtime_ms: int | None = None
    """[section 8](#8-lock), for a change; ignored for a read"""
    expected_size_bytes: int | None = None
    """the same"""
    expected_hash: str | None = bounded(None, most=HASH_CHARACTERS)
    """the same"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryParams(Params):
    """agentfs/history."""

    path: str | None = None
    """only changes of this file, or of files in this folder; may be a root's own path, or end in a slash"""
    change_id: str | None = None
    """only this change; NOT_FOUND if it is not recorded"""
    texts: bool = False
    """include the files' texts"""
    limit: int = bounded(50, least=1, most=HISTORY_CHANGES)
    """the largest number of changes to return"""
    before: str | None = None
    """only changes older than the change with this id"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoParams(Params):
    """agentfs/undo."""

    change_id: str | None = None
    """the change to undo; null: the last one of this session on this connection, where an undo counts as a
    change"""
    explanation: str = bounded("", most=EXPLANATION_CHARACTERS)
    """the reason, in the agent's words; shown beside the diff"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserUndoParams(UndoParams):
    """agentfs/userUndo."""

    change_ids: list[str] | None = bounded(None, least=1, most=HISTORY_CHANGES)  # noqa: RUF009 - makes a field
    """several changes to undo together, in one proposal, with at most 67,108,864 characters of text, equal
    texts counted once; not valid with `change_id`"""
    leave_blocked: bool = False
    """with `change_ids`: leave as they are the files that cannot be undone, and undo the others"""
