"""The shapes of agents' responses, and of proposals for review clients.

mypy checks the code that builds responses against them. `make generated` creates
extension/src/protocol/types.ts and the tables of docs/protocol.md from them.

The string below a key is its meaning in these tables: `{keys}` stands for the keys of the shape that the key
contains, `{values}` for its possible strings. `There:` says when an optional key is present.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from agentfs_lsp.domain.matching.levels import Level
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.text.textfile import Eol
from agentfs_lsp.service.proposal.change import CorrectionKind, Operation
from agentfs_lsp.service.proposal.proposal import Rung, Tool
from agentfs_lsp.service.proposal.record import KeptDecision

State = Literal["queued", "shown", "landing"]
"""Where a proposal is."""

Severity = Literal["error", "warning"]
"""How severe a diagnostic is: docs/protocol.md#95-diagnostics."""

Where = Literal["disk", "editor"]
"""Where a change landed: docs/protocol.md#93-how-it-lands."""

AnswerStatus = Literal["success", "partial", "error"]

# --- parts of several responses -----------------------------------------------------------------------------


class Stats(TypedDict):
    """The stats of every response."""

    time_ms: int
    """the duration of the request in milliseconds, including the wait for the user"""


class LineStats(Stats):
    """The stats of a change of several files."""

    files_changed: int
    """the number of files that landed or, in a dry run, would land"""
    lines_added: NotRequired[int]
    """the total over all files
    There: the session may see all of the texts ([13](#13-settings-and-policy))"""
    lines_removed: NotRequired[int]
    """the same for removed lines
    There: the session may see all of the texts"""


class Review(TypedDict):
    """The review, as reported in a response: docs/protocol.md#94-what-the-answer-says."""

    rung: Rung
    """a rung of [section 9](#9-review-and-landing)"""
    decision: Literal["allowed", "accepted", "amended", "rejected", "dismissed", "withdrawn", "timed_out"]
    """{values}"""
    by: Literal["mode", "rule", "user"]
    """{values}"""
    waited_ms: int
    """the time from showing the proposal to the decision"""
    rule: NotRequired[str]
    """the rule's glob
    There: a rule allowed it"""
    feedback: NotRequired[str]
    """the user's message
    There: the user wrote a message"""
    amendments: NotRequired[str]
    """the diff from what was proposed to what was accepted
    There: the user amended it, and the session may read the file"""
    on_save: NotRequired[str]
    """the diff from what was accepted to what was saved
    There: what was saved differs from it, by the user or the editor's save, and the session may read the
    file"""


class Warned(TypedDict):
    """A warning for the reviewer. `line` counts from 1 in the proposed text, and is 0 for the whole file."""

    kind: str
    line: int
    detail: str


class FileWarned(Warned):
    """A warning about one of several files."""

    path: str


class Diagnosed(TypedDict):
    """A problem that the change introduced."""

    line: int
    """in the new text, from 1"""
    message: str
    """what is wrong, in one line"""
    severity: Severity
    """{values}"""
    source: str
    """the program that found it"""


class FileDiagnosed(Diagnosed):
    """A problem in one of several files."""

    path: str


class Corrected(TypedDict):
    """A correction of the text that the agent sent."""

    kind: CorrectionKind
    detail: str


class Failure(TypedDict):
    """An error."""

    code: str
    message: str


# --- agentfs/status ---------------------------------------------------------------------------------------


class RootStatus(TypedDict):
    """A folder that agents may work in."""

    name: str
    uri: str


class SessionStatus(TypedDict):
    """A session of this connection."""

    session: str
    mode: Mode


class PendingStatus(TypedDict):
    """A proposal that has not ended."""

    id: str
    session: str
    agent: str
    tool: Tool
    paths: list[str]
    since_ms: int
    state: State


class StatusData(TypedDict):
    """agentfs/status."""

    version: str
    """the server's version"""
    mode: Mode
    """{values}; applies to sessions without a mode of their own"""
    roots: list[RootStatus]
    """{keys} of each root"""
    switches: dict[str, bool]
    """the current state of each switch in the settings, by name"""
    rung: Rung
    """how a change would be reviewed: a rung of [section 9](#9-review-and-landing)"""
    sessions: list[SessionStatus]
    """{keys} of each session of this connection that has read something or has a mode"""
    pending: list[PendingStatus]
    """{keys} of each pending proposal; `state` is {values:state}. `paths` is empty while an undo looks up its
    change"""


# --- agentfs/read -----------------------------------------------------------------------------------------


class ReadData(TypedDict):
    """agentfs/read."""

    content: str
    """exactly the requested range of the text, with its original line endings"""
    truncated: bool
    """more lines follow (partial); `text` says where to continue"""
    source: Literal["editor", "disk"]
    """`"editor"` if the file is open, else `"disk"`"""
    dirty: bool
    """the editor has unsaved changes"""
    eol: Eol
    """{values}"""
    bom: bool
    """the file has a byte-order mark, which is never in `content`"""
    final_newline: bool
    """the file ends with a line ending"""
    hash: NotRequired[str]
    """`"sha256:…"` of the bytes on disk, or of the editor's text in the file's encoding with its byte-order
    mark
    There: the file was loaded"""
    fallback_encoding: NotRequired[Literal["replace"]]
    """{values} (partial)
    There: decoding was lossy"""


class ReadStats(Stats):
    """agentfs/read."""

    lines_read: int
    """the number of lines in `content`"""
    chars_read: int
    """the number of characters read, without line numbers"""
    total_lines: NotRequired[int]
    """the number of lines in the whole text
    There: the file was loaded"""
    file_size_bytes: NotRequired[int]
    """its size on disk
    There: the file is on disk"""
    file_mtime_ms: NotRequired[int]
    """`st_mtime_ns // 1_000_000`
    There: the file is on disk"""
    encoding: str
    """the encoding's name in Python"""


# --- agentfs/write, agentfs/edit --------------------------------------------------------------------------


class WriteData(TypedDict):
    """agentfs/write."""

    applied: bool
    """the change is on disk"""
    operation: Operation
    """`"create"` or `"update"`"""
    diff_preview: str
    """unified diff, see below; empty if the session may not read the file and has not read it, or if the
    setting `diff.preview` is off"""
    diff_truncated: bool
    """the diff was truncated (partial)"""
    warnings: list[Warned]
    """[9.4](#94-what-the-answer-says)"""
    diagnostics: NotRequired[list[Diagnosed]]
    """[9.5](#95-diagnostics)
    There: any were found"""
    corrections: list[Corrected]
    """{keys} of each correction ([6.1](#61-corrections))"""
    unchanged: bool
    """the file already had this content"""
    merged: NotRequired[str]
    """the diff of what others changed since the session read the file, within the limits of `diff_preview`
    There: it was merged ([8](#8-lock))"""
    landing: NotRequired[Where]
    """{values} ([9.3](#93-how-it-lands))
    There: it landed"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: it landed"""
    change_id: NotRequired[str]
    """the change's id in the [history](#11-history-and-undo); the same as the proposal's id
    There: it landed and `history.enabled` is on"""


class EditData(WriteData):
    """agentfs/edit."""

    replacements: int
    """the number of matches"""
    match: Level
    """the level at which they matched"""
    fallback: NotRequired[Level]
    """the same level (partial)
    There: the level is below `eol`"""


class ChangeStats(Stats):
    """agentfs/write and agentfs/edit."""

    bytes_written: int
    """0 if nothing was written"""
    original_size: int
    """the size on disk before, in bytes"""
    new_size: int
    """the size of the proposed text, in bytes"""
    lines_added: int
    """for the whole change, even if the diff is truncated"""
    lines_removed: int
    """the same for removed lines"""
    file_mtime_ms: NotRequired[int]
    """of the file as it is now
    There: the file is on disk"""
    file_size_bytes: NotRequired[int]
    """of the file as it is now
    There: the file is on disk"""


# --- agentfs/batch ----------------------------------------------------------------------------------------


class OperationResult(TypedDict):
    """The result of one operation of a batch."""

    index: int
    """the operation's index, from 0"""
    tool: Literal["write", "edit"]
    """{values}"""
    path: str
    """the file's path, as in `path_resolved`"""
    status: AnswerStatus
    """`"success"`; `"partial"`: matched loosely, or as requested in the editor but unsaved; `"error"`"""
    operation: NotRequired[Operation]
    """`"create"` or `"update"`, for this operation alone
    There: the operation was computed"""
    landing: NotRequired[Literal["disk", "editor", "unknown"]]
    """`"disk"` or `"editor"`; `"unknown"` with an `error` if some of the change is in the file, or may be
    There: its file landed, or may have landed"""
    replacements: NotRequired[int]
    """the number of matches
    There: it is an edit"""
    match: NotRequired[Level]
    """the match level ([7](#7-agentfsedit))
    There: it is an edit"""
    merged: NotRequired[str]
    """[6](#6-agentfswrite)
    There: it was merged"""
    corrections: NotRequired[list[Corrected]]
    """[6](#6-agentfswrite)
    There: something was corrected"""
    error: NotRequired[Failure]
    """{keys}
    There: it failed"""
    feedback: NotRequired[str]
    """the user's message about its file
    There: the user rejected that file, and wrote a message about it"""


class BatchData(TypedDict):
    """agentfs/batch."""

    applied: bool
    """all of it is on disk"""
    landing: NotRequired[Where]
    """`"editor"` if any file is only in the editor, else `"disk"`
    There: something landed"""
    results: list[OperationResult]
    """one result per operation, in the same order"""
    failed_items: NotRequired[list[int]]
    """the indexes of the failed operations
    There: `atomic` is false"""
    diff_preview: str
    """the diffs of all files, together within the limits of a single diff, or empty ([6](#6-agentfswrite))"""
    diff_truncated: bool
    """the diff was truncated (partial)"""
    warnings: list[FileWarned]
    """[9.4](#94-what-the-answer-says), each with the file's `path`"""
    diagnostics: NotRequired[list[FileDiagnosed]]
    """[9.5](#95-diagnostics), each with the file's `path`
    There: any were found"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: something landed"""
    change_id: NotRequired[str]
    """[11](#11-history-and-undo)
    There: something landed and `history.enabled` is on"""


# --- agentfs/history, agentfs/undo ------------------------------------------------------------------------


class LandedFile(TypedDict):
    """A file of a change that landed."""

    path: str
    operation: Operation
    before_hash: str | None
    after_hash: str | None
    lines_added: int | None
    lines_removed: int | None
    before_text: NotRequired[str | None]
    """There: `texts`"""
    proposed_text: NotRequired[str | None]
    """There: `texts`"""
    after_text: NotRequired[str | None]
    """There: `texts`"""
    amendment: NotRequired[str]
    """the diff from what was proposed to what was accepted
    There: the user amended it, and the session may read the file"""


class DecidedBy(TypedDict):
    """Who decided about a landed change."""

    rung: str
    client: str
    rule: str
    feedback: str


class LandedChange(TypedDict):
    """A change that landed."""

    change_id: str
    """the proposal's id"""
    time: str
    """the time of landing by the machine's clock, as RFC 3339 in UTC"""
    session: str
    """as in the request"""
    connection: NotRequired[str]
    """only in `agentfs/userHistory`: an id of the server process. The same session name in another one is
    another session"""
    agent: str
    """as in the request"""
    tool: str
    """`"write"`, `"edit"`, `"batch"`, or `"undo"`"""
    explanation: str
    """as in the request"""
    decision: KeptDecision
    """{values}"""
    by: str
    """`"mode"`, `"rule"`, or `"user"`, as in [9.4](#94-what-the-answer-says)"""
    landing: Where
    """`"disk"`, or `"editor"` if some of the change was not saved"""
    decided_at: str | None
    """the time of the decision, and so of an amendment, like `time`; null if it is not recorded"""
    decided_by: NotRequired[DecidedBy]
    """only in `agentfs/userHistory`, if it is recorded: {keys}. `rung` is one of
    [section 9](#9-review-and-landing), or `"terminal"`; `client` is the program in which the user decided, as
    it calls itself; `rule` is the glob of the rule that decided; strings are empty if there is none"""
    modified_by_user: bool
    """the user accepted a different text than the one proposed"""
    files: list[LandedFile]
    """{keys}: `operation` is {values:operation}; hashes as in [section 5](#5-agentfsread), null
    if there is no file; numbers of lines, or null as above"""


class History(TypedDict):
    """agentfs/history."""

    changes: list[LandedChange]
    """newest first, see below"""
    more: bool
    """there are older matching changes: continue with `before`"""


class UndoneFile(TypedDict):
    """A file that an undo changed."""

    path: str
    operation: Operation
    landing: Where


class UndoData(TypedDict):
    """agentfs/undo."""

    applied: bool
    """the change is on disk"""
    undone: str
    """the id of the change that was undone; of several, that of the newest"""
    also_undone: NotRequired[list[str]]
    """the ids of the others, newest first
    There: several changes were undone together, by the user"""
    unchanged: bool
    """there was nothing left to undo, or nothing that could be: see `corrections`"""
    files: list[UndoneFile]
    """{keys} of each changed file; `operation` is {values:operation}"""
    diff_preview: str
    """the diffs of all files, as in [section 10](#10-agentfsbatch); also empty if the session may not read
    one of them at any time"""
    diff_truncated: bool
    """the diff was truncated (partial)"""
    warnings: list[FileWarned]
    """[9.4](#94-what-the-answer-says), each with the file's `path`; empty if the session may not read one of
    the files at any time"""
    corrections: NotRequired[list[Corrected]]
    """as in [section 6](#6-agentfswrite)
    There: there are any, and the session may read all files"""
    landing: NotRequired[Where]
    """`"editor"` (partial) if any file is only in the editor, else `"disk"`
    There: it landed"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: it landed"""
    change_id: NotRequired[str]
    """the id of the undo itself
    There: it landed and `history.enabled` is on"""


# --- agentfs/tools ----------------------------------------------------------------------------------------


class ToolsData(TypedDict):
    """agentfs/tools."""

    tools: list[dict[str, object]]
    """the definitions"""
    prompt: str
    """guidance for the system prompt, in Markdown, in the language of [section 17](#17-texts); empty
    if there is no tool"""


# --- the envelope -----------------------------------------------------------------------------------------


class Revision(TypedDict):
    """A file's revision; unknown values are null."""

    mtime_ms: int | None
    size_bytes: int | None
    hash: str | None


class ConflictContext(TypedDict):
    """The context of a CONFLICT."""

    source: Where
    """{values}: where the conflicting text is"""
    expected: Revision
    """{keys} that this session or the request expected; unknown values are null"""
    actual: Revision
    """the same keys for the current file"""
    diff_since_read: str | None
    """the diff from what the session read to the current text, within the limits of
    [diff_preview](#6-agentfswrite), or null"""


class FileLanding(TypedDict):
    """A file that contains some of a change."""

    path: str
    landing: Where


class Context(TypedDict):
    """The context of a response."""

    cwd: str
    """`"."`"""
    params_input: object
    """the params as received, or null"""
    path_resolved: NotRequired[str]
    """the file's path after following links
    There: the path was resolved"""
    conflict: NotRequired[ConflictContext]
    """see below
    There: CONFLICT"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: the error occurred after a review"""
    landing: NotRequired[Literal["unknown"]]
    """{values}
    There: it is not known whether the change landed"""
    files: NotRequired[list[FileLanding]]
    """{keys} of each file that is known to contain, or that may contain, some of the change; `landing` is
    {values:landing}
    There: it is not known whether the change landed"""
    batch: NotRequired[list[OperationResult]]
    """what `results` would contain ([10](#10-agentfsbatch))
    There: a batch failed"""
    blocked: NotRequired[list[str]]
    """the paths of the files that stand in the way, as far as they are known
    There: several changes cannot be undone together"""


class Nothing(TypedDict):
    """No result."""


class Envelope(TypedDict):
    """The response to every request of an agent: docs/protocol.md#3-envelope."""

    status: AnswerStatus
    """{values}"""
    data: Mapping[str, object]
    """the result; `{}` if `status` is `"error"`, never null"""
    text: str
    """for the model: what happened, the resulting state, and the next step"""
    stats: Mapping[str, object]
    """numbers and strings: `time_ms`, a whole number, and the keys that the request's section lists"""
    context: Context
    """information about the request and its file"""
    error: NotRequired[Failure]
    """{keys}; absent unless `status` is `"error"`"""


# --- proposals (docs/protocol.md#91-review-clients) -------------------------------------------------------


class ProposedFile(TypedDict):
    """A file of a proposal. `version` is null if the file is not open, `base_hash` if there is no file."""

    uri: str
    path: str
    operation: Operation
    version: int | None
    base_hash: str | None
    lines_added: int
    lines_removed: int


class Announced(TypedDict):
    """What is said of a proposal before and during its review."""

    id: str
    title: str
    tool: Tool
    session: str
    agent: str
    explanation: str
    atomic: bool
    """rejecting one of its files rejects all"""
    blind: NotRequired[Literal[True]]
    """the agent may not read the file that it changes: show its text to nobody but the user"""


class Proposed(Announced):
    """The params of `agentfs/proposed`."""

    files: list[ProposedFile]


class ReviewedFile(ProposedFile):
    """A file with its texts. Their line endings are `\\n`; `eol` is the file's own."""

    base_text: str
    proposed_text: str
    encoding: str
    eol: Eol
    warnings: list[Warned]


class Proposal(Announced):
    """The result of `agentfs/proposal`: the announced proposal with its state and texts."""

    state: State
    files: list[ReviewedFile]
