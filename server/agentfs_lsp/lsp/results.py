"""The shapes of the editor's own methods: their params, results, and notifications
(docs/protocol.md#14-the-editors-own-methods). `api/results.py` declares proposals, and describes what is
generated from these shapes.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api.results import Nothing, Proposal, Proposed, SessionStatus, Severity
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.domain.shapes import Text
from agentfs_lsp.service.operations import Ending
from agentfs_lsp.service.proposal.proposal import Outcome

# --- reviews (docs/protocol.md#91-review-clients) ---------------------------------------------------------

Decision = Literal["accepted", "amended", "rejected"]

FEEDBACK_CHARACTERS = 10_000


class ProposalParams(TypedDict):
    """agentfs/proposal."""

    id: str


class SettledFile(TypedDict):
    """The user's decision about one file."""

    uri: str
    decision: NotRequired[Decision]
    text: NotRequired[str]
    feedback: NotRequired[Annotated[str, Text(maximum=FEEDBACK_CHARACTERS)]]


class SettleParams(TypedDict):
    """agentfs/settle."""

    id: str
    """the proposal's id"""
    decision: Decision
    """{values}"""
    feedback: NotRequired[Annotated[str, Text(maximum=FEEDBACK_CHARACTERS)]]
    """the user's message, at most 10,000 characters; goes to the agent"""
    always: NotRequired[bool]
    """if true, this session's later changes are allowed; not valid with a rejection"""
    files: NotRequired[list[SettledFile]]
    """[{`uri`, `decision`, `text`, `feedback`}]: overrides `decision` for that file; `text` is an amended
    file's whole text, and `feedback` the user's message about a rejected file, at most 10,000 characters;
    neither is valid with any other decision"""


class LandingParams(TypedDict):
    """`agentfs/landing`: a change of these files is about to land."""

    id: str
    uris: list[str]


class DiagnosticsParams(TypedDict):
    """`agentfs/diagnostics`: it has landed."""

    id: str
    """the proposal's id, as in `agentfs/landing`"""
    uris: list[str]
    """those of its files that landed"""
    wait_ms: int
    """how long to wait for diagnostics"""


class FoundDiagnostic(TypedDict):
    """A diagnostic of another program."""

    line: int
    """from 1"""
    message: str
    """as the program wrote it; at most 300 characters are used"""
    severity: Severity
    """{values}; others are left out"""
    source: NotRequired[str]
    """the program's name
    There: it has one"""


class FileDiagnostics(TypedDict):
    """The diagnostics of a file, but agentfs' own."""

    uri: str
    """as in the params"""
    before: list[FoundDiagnostic]
    """when `agentfs/landing` came, at most 200"""
    after: list[FoundDiagnostic]
    """now, at most 200"""


class DiagnosticsResult(TypedDict):
    """The response to `agentfs/diagnostics`."""

    files: list[FileDiagnostics]


class AppliedFile(TypedDict):
    """The result for one file: agentfs/applied."""

    uri: str
    applied: bool
    reason: NotRequired[str]


class AppliedParams(TypedDict):
    """agentfs/applied."""

    id: str
    files: NotRequired[list[AppliedFile]]


class SavedFile(TypedDict):
    """The result for one document: agentfs/saved."""

    uri: str
    saved: bool
    reason: NotRequired[str]


class SavedParams(TypedDict):
    """agentfs/saved."""

    id: str
    files: NotRequired[list[SavedFile]]


class Refusal(TypedDict):
    """A refusal; `reason` is in the user's language."""

    ok: Literal[False]
    code: Code
    reason: str


class Done(TypedDict):
    """Success."""

    ok: Literal[True]


class Position(TypedDict):
    """As in LSP."""

    line: int
    character: int


class Range(TypedDict):
    """As in LSP."""

    start: Position
    end: Position


class TextEdit(TypedDict):
    """As in LSP; in a preview, with the id of an annotation."""

    range: Range
    newText: str
    annotationId: NotRequired[str]


class TextDocument(TypedDict):
    """As in LSP. `version` is null for a file that is not open."""

    uri: str
    version: int | None


class DocumentEdit(TypedDict):
    """As in LSP."""

    textDocument: TextDocument
    edits: list[TextEdit]


class ChangeAnnotation(TypedDict):
    """As in LSP."""

    label: str
    needsConfirmation: bool
    description: str


class WorkspaceEdit(TypedDict):
    """As in LSP, always with `documentChanges`; annotated in a preview."""

    documentChanges: list[DocumentEdit]
    changeAnnotations: NotRequired[dict[str, ChangeAnnotation]]


class ToApply(Done):
    """The edits that the client must apply to its open documents; null if there are none."""

    apply: WorkspaceEdit | None


class ToSave(Done):
    """The documents to save."""

    save: list[str]


class ToRevert(Refusal):
    """The edits that undo what was applied, or null."""

    revert: WorkspaceEdit | None


ProposalAnswer = Proposal | Refusal
SettleAnswer = ToApply | Refusal
AppliedAnswer = ToSave | ToRevert | Refusal
SavedAnswer = Nothing | Refusal

# --- what the user sets -----------------------------------------------------------------------------------


class ConnectedAgent(TypedDict):
    """An agent in a program of its own."""

    id: str
    """what `agentfs/disconnect` takes"""
    name: str
    """as the program claims it, in one line"""
    version: str | None
    """as the program claims it; null if it claims none"""
    since_ms: int
    """how long it has been connected"""
    sessions: list[str]
    """those of its sessions that `agentfs/status` lists"""
    pending: list[str]
    """the ids of its pending proposals"""


class AgentsParams(TypedDict):
    """agentfs/agents."""


class AgentsAnswer(TypedDict):
    """agentfs/agents."""

    ok: Literal[True]
    agents: list[ConnectedAgent]
    editors: list[str]
    """the names of other editors that have one of the folders open: agents may have proposed changes there"""


class DisconnectParams(TypedDict):
    """agentfs/disconnect."""

    id: str


class SetApprovalModeParams(TypedDict):
    """agentfs/setApprovalMode; without `session` for all sessions."""

    mode: Mode
    session: NotRequired[Annotated[str, Text(minimum=1)]]


class SetSwitchParams(TypedDict):
    """agentfs/setSwitch."""

    name: str
    on: bool


# --- notifications ----------------------------------------------------------------------------------------


class EndedFile(TypedDict):
    """What became of one file of a proposal."""

    path: str
    outcome: Outcome


class Settled(TypedDict):
    """agentfs/settled."""

    id: str
    outcome: Outcome
    reason: NotRequired[WithdrawnReason]
    """who or what withdrew it: {values}; only with the outcome `"withdrawn"`"""
    files: NotRequired[list[EndedFile]]
    """what became of each file; absent unless some of them landed and they ended in different ways"""


class Status(TypedDict):
    """agentfs/statusChanged. `pending` is the number of pending proposals, `agents` that of the connected
    agents in programs of their own."""

    mode: Mode
    sessions: list[SessionStatus]
    switches: dict[str, bool]
    pending: int
    agents: int


class TelemetryEvent(TypedDict):
    """telemetry/event. It names nothing: no file, agent, session, or tool."""

    event: Literal["agentfs.operation"]
    """says what it is about: `"agentfs.operation"`"""
    operation: str
    """`"read"`; `"create"` or `"update"` for a write, or `"write"` if it failed before that was known;
    `"edit"`, `"batch"`, `"undo"`, `"history"`; `"call"` for a tool that does not exist"""
    outcome: Ending
    """{values}"""
    duration_ms: float
    """from the arrival of the request to its response"""
    lines_added: NotRequired[int]
    """the number of lines that it added
    There: a change landed or was put before the user, and the session may see its text"""
    lines_removed: NotRequired[int]
    """the number of lines that it removed
    There: the same"""
    size_bytes: NotRequired[int]
    """the file's size afterwards
    There: a single file was read or changed, and the session may know it"""
    extension: NotRequired[str]
    """the extension of the file's name
    There: all files have the same, of at most 16 characters"""
    mime: NotRequired[str]
    """the MIME type by this extension
    There: it is known"""
    match: NotRequired[str]
    """the level at which an edit matched: [7](#7-agentfsedit)
    There: it matched"""
    asked: NotRequired[str]
    """how it was decided: the rung ([9](#9-review-and-landing))
    There: somebody or a rule decided"""
    decision: NotRequired[str]
    """what was decided: [9.4](#94-what-the-answer-says)
    There: the same, and not only the question ended"""


class DocumentState(TypedDict):
    """agentfs/documentState; unknown values are omitted."""

    uri: str
    dirty: NotRequired[bool]
    encoding: NotRequired[str]
    unsaved_elsewhere: NotRequired[bool]


class EncodingRule(TypedDict):
    """`files` are patterns in `fnmatch` syntax; the last rule that matches a file decides."""

    files: list[str]
    encoding: str


class FolderEncodings(TypedDict):
    """The rules of a workspace folder."""

    uri: str
    rules: list[EncodingRule]


class FileEncodings(TypedDict):
    """agentfs/fileEncodings."""

    folders: list[FolderEncodings]


NOTIFICATIONS = {
    "agentfs/proposed": Proposed,
    "agentfs/settled": Settled,
    "agentfs/statusChanged": Status,
    "agentfs/toolsChanged": Nothing,
    "telemetry/event": TelemetryEvent,
    "agentfs/documentState": DocumentState,
    "agentfs/fileEncodings": FileEncodings,
}
"""The params of each notification, in both directions."""
