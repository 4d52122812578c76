"""The shapes of what agents are answered, and of proposals.

mypy holds the code that makes answers to them; extension/src/protocol.ts and the tables of docs/protocol.md
are made from them (`make generated`).

The text below a key is its meaning, as the tables have it: `{keys}` stands for the keys of the shape that it
holds, `{values}` for the strings that it may be. `There:` says when a key that may be absent is there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from agentfs_lsp.domain.matching.levels import Level
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.text.textfile import Eol
from agentfs_lsp.service.proposal.change import Operation
from agentfs_lsp.service.proposal.proposals import Rung, State, Tool
from agentfs_lsp.service.proposal.record import KeptDecision

Where = Literal["disk", "editor"]
"""Where a change landed: docs/protocol.md#93-how-it-lands."""

AnswerStatus = Literal["success", "partial", "error"]

# --- parts of several answers -----------------------------------------------------------------------------


class Stats(TypedDict):
    """Figures of any answer."""

    time_ms: float
    """how long the request took, the wait for the user included"""


class LineStats(Stats):
    """Figures of a change of several files."""

    files_changed: int
    """files that landed; in a dry run, that would"""
    lines_added: int
    """of all of them"""
    lines_removed: int
    """the same"""


class Review(TypedDict):
    """What an answer says of the review: docs/protocol.md#94-what-the-answer-says."""

    rung: Rung | Literal[""]
    """`"policy"`, `"review"`, `"preview"` or `"message"`"""
    decision: Literal["allowed", "accepted", "amended", "rejected", "dismissed", "withdrawn", "timed_out"]
    """{values}"""
    by: Literal["mode", "rule", "user"]
    """{values}"""
    waited_ms: int
    """from when it was shown to the decision"""
    rule: NotRequired[str]
    """the rule's glob
    There: a rule let it through"""
    feedback: NotRequired[str]
    """it
    There: the user wrote something"""
    amendments: NotRequired[str]
    """the diff from what was proposed to what was accepted
    There: the user amended it"""
    on_save: NotRequired[str]
    """the diff from what was accepted to what was saved
    There: what was saved differs from it, by the user or the editor's save"""


class Warned(TypedDict):
    """Something the reviewer should see; `line` counts from 1 in the proposed text, 0 for the whole file."""

    kind: str
    line: int
    detail: str


class FileWarned(Warned):
    """The same, of one of several files."""

    path: str


class Corrected(TypedDict):
    """Something that was put right in what the agent sent."""

    kind: Literal["line_ends", "byte_order_mark"]
    detail: str


class Failure(TypedDict):
    """Why there is no result."""

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
    """A proposal that is not over."""

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
    """{values}, for sessions without one of their own"""
    roots: list[RootStatus]
    """{keys} of each root"""
    switches: dict[str, bool]
    """the settings' switches by name, each `true` or `false` as it is now"""
    rung: Rung
    """how a change would be reviewed: `"review"`, `"preview"` or `"message"`"""
    sessions: list[SessionStatus]
    """{keys} of each session of this connection that has read something or has a mode"""
    pending: list[PendingStatus]
    """{keys} of each proposal, with no path while an undo looks for its change; `state` is {values:state}"""


# --- agentfs/read -----------------------------------------------------------------------------------------


class ReadData(TypedDict):
    """agentfs/read."""

    content: str
    """exactly that range of the text, with its own line ends"""
    truncated: bool
    """lines remain behind it (partial); `text` says where to go on"""
    source: Literal["editor", "disk"]
    """`"editor"` where the file is open, else `"disk"`"""
    dirty: bool
    """the editor holds unsaved changes"""
    eol: Eol
    """{values}"""
    bom: bool
    """the file has a byte-order mark, which is never in `content`"""
    final_newline: bool
    """the file ends with a line end"""
    hash: NotRequired[str]
    """`"sha256:…"` of the bytes on disk, or of the editor's text in the file's encoding with its mark
    There: the file was loaded"""
    fallback_encoding: NotRequired[Literal["replace"]]
    """{values} (partial)
    There: decoding was lossy"""


class ReadStats(Stats):
    """agentfs/read."""

    lines_read: int
    """lines in `content`"""
    chars_read: int
    """characters read, line numbers aside"""
    total_lines: NotRequired[int]
    """lines of the whole text
    There: the file was loaded"""
    file_size_bytes: NotRequired[int]
    """its size there
    There: the file is on disk"""
    file_mtime_ms: NotRequired[int]
    """`st_mtime_ns // 1_000_000`
    There: the file is on disk"""
    encoding: str
    """as Python names it"""


# --- agentfs/write, agentfs/edit --------------------------------------------------------------------------


class WriteData(TypedDict):
    """agentfs/write."""

    applied: bool
    """the disk holds it"""
    operation: Operation
    """`"create"` or `"update"`"""
    diff_preview: str
    """unified diff, see below; empty where the session may not read the file and has not"""
    diff_truncated: bool
    """the diff was cut (partial)"""
    warnings: list[Warned]
    """[9.4](#94-what-the-answer-says)"""
    corrections: list[Corrected]
    """{keys} of what was put right: `"line_ends"` (detail: the file's own), `"byte_order_mark"`"""
    unchanged: bool
    """the file held this content already"""
    merged: NotRequired[str]
    """diff from what the session had read to what others had made of it, within the preview's limits
    There: it was merged ([8](#8-lock))"""
    landing: NotRequired[Where]
    """{values} ([9.3](#93-how-it-lands))
    There: it landed"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: it landed"""
    change_id: NotRequired[str]
    """what [history](#11-history-and-undo) knows the change by; the proposal's id
    There: it landed and `history.enabled` is on"""


class EditData(WriteData):
    """agentfs/edit."""

    replacements: int
    """how many places"""
    match: Level
    """the level at which they were found"""
    fallback: NotRequired[Level]
    """the same name (partial)
    There: a level below `eol`"""


class ChangeStats(Stats):
    """agentfs/write and agentfs/edit."""

    bytes_written: int
    """0 where nothing was written"""
    original_size: int
    """bytes on disk before"""
    new_size: int
    """bytes of the proposed text"""
    lines_added: int
    """of the whole change, however much the diff shows"""
    lines_removed: int
    """the same"""
    file_mtime_ms: NotRequired[int]
    """as the file now is
    There: the file is on disk"""
    file_size_bytes: NotRequired[int]
    """as the file now is
    There: the file is on disk"""


# --- agentfs/batch ----------------------------------------------------------------------------------------


class OperationResult(TypedDict):
    """What became of one operation of a batch."""

    index: int
    """the operation's, from 0"""
    tool: Literal["write", "edit"]
    """{values}"""
    path: str
    """as answers name the file"""
    status: AnswerStatus
    """`"success"`; `"partial"`: it waits in the editor, or was matched loosely; `"error"`"""
    operation: NotRequired[Operation]
    """`"create"` or `"update"`, by itself
    There: it was worked out"""
    landing: NotRequired[Literal["disk", "editor", "unknown"]]
    """`"disk"` or `"editor"`; `"unknown"` beside an `error` where some of it is there, or may be
    There: its file landed, or may have"""
    replacements: NotRequired[int]
    """how many places
    There: it is an edit"""
    match: NotRequired[Level]
    """the level ([7](#7-agentfsedit))
    There: it is an edit"""
    merged: NotRequired[str]
    """[6](#6-agentfswrite)
    There: it was merged"""
    corrections: NotRequired[list[Corrected]]
    """[6](#6-agentfswrite)
    There: something was put right"""
    error: NotRequired[Failure]
    """{keys}
    There: it failed"""


class BatchData(TypedDict):
    """agentfs/batch."""

    applied: bool
    """the disk holds all of it"""
    landing: NotRequired[Where]
    """the weakest of the files': `"editor"`, else `"disk"`
    There: something landed"""
    results: list[OperationResult]
    """one for each operation, in their order"""
    failed_items: NotRequired[list[int]]
    """the indexes of those that failed
    There: not `atomic`"""
    diff_preview: str
    """the diffs of all files, within the limits of one ([6](#6-agentfswrite))"""
    diff_truncated: bool
    """the diff was cut (partial)"""
    warnings: list[FileWarned]
    """[9.4](#94-what-the-answer-says), each with the file's `path`"""
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
    lines_added: int
    lines_removed: int
    before_text: NotRequired[str | None]
    """There: `texts`"""
    proposed_text: NotRequired[str | None]
    """There: `texts`"""
    after_text: NotRequired[str | None]
    """There: `texts`"""


class LandedChange(TypedDict):
    """A change that landed."""

    change_id: str
    """the proposal's id"""
    time: str
    """when it landed, RFC 3339 in UTC"""
    session: str
    """as the request had it"""
    agent: str
    """as the request had it"""
    tool: str
    """`"write"`, `"edit"`, `"batch"` or `"undo"`"""
    explanation: str
    """as the request had it"""
    decision: KeptDecision
    """{values}"""
    by: str
    """`"mode"`, `"rule"` or `"user"`, as in [9.4](#94-what-the-answer-says)"""
    landing: Where
    """`"disk"`, or `"editor"` where something of it waited unsaved"""
    modified_by_user: bool
    """the user accepted something else than was proposed"""
    files: list[LandedFile]
    """{keys}: `operation` is {values:operation}; hashes as in [section 5](#5-agentfsread), null
    where there is no file"""


class History(TypedDict):
    """agentfs/history."""

    changes: list[LandedChange]
    """newest first, see below"""
    more: bool
    """older ones fit too: go on with `before`"""


class UndoneFile(TypedDict):
    """A file that an undo changed."""

    path: str
    operation: Operation
    landing: Where


class UndoData(TypedDict):
    """agentfs/undo."""

    applied: bool
    """the disk holds it"""
    undone: str
    """the id of the change that was undone"""
    unchanged: bool
    """nothing of it was left to undo"""
    files: list[UndoneFile]
    """{keys} of each that was changed; `operation` is {values:operation}"""
    diff_preview: str
    """of all files, as in [section 10](#10-agentfsbatch); empty where the session may not read one of them
    at any time"""
    diff_truncated: bool
    """the diff was cut (partial)"""
    warnings: list[FileWarned]
    """[9.4](#94-what-the-answer-says), each with the file's `path`"""
    landing: NotRequired[Where]
    """the weakest of the files': `"editor"` (partial), else `"disk"`
    There: it landed"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: it landed"""
    change_id: NotRequired[str]
    """the undo's own
    There: it landed and `history.enabled` is on"""


# --- agentfs/tools ----------------------------------------------------------------------------------------


class ToolsData(TypedDict):
    """agentfs/tools."""

    tools: list[dict[str, object]]
    """the definitions"""
    prompt: str
    """guidance for the system prompt, in Markdown, in the language of [section 17](#17-texts); empty
    where there is no tool"""


# --- the envelope -----------------------------------------------------------------------------------------


class Revision(TypedDict):
    """A file's revision; what is not known of it is null."""

    mtime_ms: int | None
    size_bytes: int | None
    hash: str | None


class ConflictContext(TypedDict):
    """Of a CONFLICT."""

    source: Where
    """{values}: where the other text is"""
    expected: Revision
    """{keys} as this session, or the request, had it; unknown ones null"""
    actual: Revision
    """the same as it is now"""
    diff_since_read: str | None
    """the diff from what the session read to what is there, within
    [diff_preview's](#6-agentfswrite) limits, or null"""


class FileLanding(TypedDict):
    """Where some of a change is."""

    path: str
    landing: Where


class Context(TypedDict):
    """What an answer is about."""

    cwd: str
    """`"."`"""
    params_input: object
    """what came, verbatim, null where nothing came"""
    path_resolved: NotRequired[str]
    """the file's name, links followed
    There: as soon as the path could be resolved"""
    conflict: NotRequired[ConflictContext]
    """see below
    There: CONFLICT"""
    review: NotRequired[Review]
    """[9.4](#94-what-the-answer-says)
    There: an error after a review"""
    landing: NotRequired[Literal["unknown"]]
    """{values}
    There: it is not known whether the change landed"""
    files: NotRequired[list[FileLanding]]
    """{keys} of each file that holds some of it, or may; `landing` is {values:landing}
    There: it is not known whether the change landed"""
    batch: NotRequired[list[OperationResult]]
    """what its `results` would hold ([10](#10-agentfsbatch))
    There: a batch failed"""


class Nothing(TypedDict):
    """No result."""


Data = StatusData | ReadData | WriteData | EditData | BatchData | History | UndoData | ToolsData
AnyStats = Stats | ReadStats | ChangeStats | LineStats


class Envelope(TypedDict):
    """The answer to every request of an agent: docs/protocol.md#3-envelope."""

    status: AnswerStatus
    """{values}"""
    data: Mapping[str, object]
    """the result; `{}` when `status` is `"error"`, never null"""
    text: str
    """for the model: what happened, the state, the next step"""
    stats: Mapping[str, object]
    """numbers and strings: `time_ms`, and what the request's section lists"""
    context: Context
    """what the answer is about"""
    error: NotRequired[Failure]
    """{keys}; only when `status` is `"error"`, else the key is absent"""


# --- proposals (docs/protocol.md#91-review-clients) -------------------------------------------------------


class ProposedFile(TypedDict):
    """A file of a proposal. `version` is null where it is not open, `base_hash` where there is none."""

    uri: str
    path: str
    operation: Operation
    version: int | None
    base_hash: str | None
    lines_added: int
    lines_removed: int


class Proposed(TypedDict):
    """The params of `agentfs/proposed`."""

    id: str
    title: str
    tool: Tool
    session: str
    agent: str
    explanation: str
    atomic: bool
    """rejecting one of its files rejects all"""
    files: list[ProposedFile]


class ReviewedFile(ProposedFile):
    """A file with what there is to show of it; line ends are `\\n`, `eol` is the file's own."""

    base_text: str
    proposed_text: str
    encoding: str
    eol: Eol
    warnings: list[Warned]


class Proposal(TypedDict):
    """The result of `agentfs/proposal`: what was announced, with its state and the texts."""

    id: str
    title: str
    tool: Tool
    session: str
    agent: str
    explanation: str
    atomic: bool
    """rejecting one of its files rejects all"""
    state: State
    files: list[ReviewedFile]
