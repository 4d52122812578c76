"""The shapes of the editor's own methods: what it tells, and what it is answered and told
(docs/protocol.md#14-the-editors-own-methods). Proposals are in `api/results.py`, which says what is made of
these.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from agentfs_lsp.adapters.review.conversation import Code
from agentfs_lsp.api.results import Nothing, Proposal, Proposed, SessionStatus
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.service.proposal.proposals import Outcome

# --- reviews (docs/protocol.md#91-review-clients) ---------------------------------------------------------

Decision = Literal["accepted", "amended", "rejected"]


class SettledFile(TypedDict):
    """What the user decided of one file."""

    uri: str
    decision: Decision
    text: NotRequired[str]


class SettleParams(TypedDict):
    """agentfs/settle."""

    id: str
    """the proposal's"""
    decision: Decision
    """{values}"""
    feedback: NotRequired[str]
    """what the user wrote, at most 10,000 characters; goes to the agent"""
    always: NotRequired[bool]
    """true: let this session's later changes through; not with a rejection"""
    files: NotRequired[list[SettledFile]]
    """[{`uri`, `decision`, `text`}]: overrides `decision` for that file; `text` is an amended file's whole
    text, and goes with no other decision"""


class AppliedFile(TypedDict):
    """What became of one file: agentfs/applied."""

    uri: str
    applied: bool
    reason: NotRequired[str]


class SavedFile(TypedDict):
    """What became of one document: agentfs/saved."""

    uri: str
    saved: bool
    reason: NotRequired[str]


class Refusal(TypedDict):
    """A no, its reason in the user's language."""

    ok: Literal[False]
    code: Code
    reason: str


class Done(TypedDict):
    """A yes."""

    ok: Literal[True]


class Position(TypedDict):
    """LSP's own."""

    line: int
    character: int


class Range(TypedDict):
    """LSP's own."""

    start: Position
    end: Position


class TextEdit(TypedDict):
    """LSP's own; with the id of an annotation where it is a preview."""

    range: Range
    newText: str
    annotationId: NotRequired[str]


class TextDocument(TypedDict):
    """LSP's own. `version` is null for a file that is not open."""

    uri: str
    version: int | None


class DocumentEdit(TypedDict):
    """LSP's own."""

    textDocument: TextDocument
    edits: list[TextEdit]


class ChangeAnnotation(TypedDict):
    """LSP's own."""

    label: str
    needsConfirmation: bool
    description: str


class WorkspaceEdit(TypedDict):
    """LSP's own, always as `documentChanges`; annotated where it is a preview."""

    documentChanges: list[DocumentEdit]
    changeAnnotations: NotRequired[dict[str, ChangeAnnotation]]


class ToApply(Done):
    """What the client must apply to its open documents; null for nothing."""

    apply: WorkspaceEdit | None


class ToSave(Done):
    """The documents to save."""

    save: list[str]


class ToRevert(Refusal):
    """What takes back what was applied, or null."""

    revert: WorkspaceEdit | None


ProposalAnswer = Proposal | Refusal
SettleAnswer = ToApply | Refusal
AppliedAnswer = ToSave | ToRevert | Refusal
SavedAnswer = Nothing | Refusal

# --- what the user sets -----------------------------------------------------------------------------------


class SetApprovalModeParams(TypedDict):
    """agentfs/setApprovalMode; without `session` for all."""

    mode: Mode
    session: NotRequired[str]


class SetSwitchParams(TypedDict):
    """agentfs/setSwitch."""

    name: str
    on: bool


# --- notifications ----------------------------------------------------------------------------------------


class Settled(TypedDict):
    """agentfs/settled."""

    id: str
    outcome: Outcome


class Status(TypedDict):
    """agentfs/statusChanged. `pending`: how many."""

    mode: Mode
    sessions: list[SessionStatus]
    switches: dict[str, bool]
    pending: int


class DocumentState(TypedDict):
    """agentfs/documentState; what is not known is left out."""

    uri: str
    dirty: NotRequired[bool]
    encoding: NotRequired[str]


class EncodingRule(TypedDict):
    """`files` are `fnmatch`'s patterns; the last rule that matches a file decides."""

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
    "agentfs/documentState": DocumentState,
    "agentfs/fileEncodings": FileEncodings,
}
"""The params of each, both ways."""
