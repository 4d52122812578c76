"""What the use cases need from the editor and its user, as protocols; the disk and the clock are
`files/store.py`.

Nothing here does anything. Texts are `str` with their own line ends; offsets are code points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentfs_lsp.domain.errors import DomainError
    from agentfs_lsp.domain.splices import Splice
    from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung


# --- the editor as somebody to ask and to hand edits to ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """Line-sized pieces to change in one document, pinned to a version (None: the file is not open).
    `past_last_line`: the last piece, which ends where `base` does, is to reach past its last line."""

    uri: str
    version: int | None
    base: str
    splices: tuple[Splice, ...]
    past_last_line: bool = False


@dataclass(frozen=True, slots=True)
class Confirm:
    """The annotation that makes an editor ask: one for a change."""

    id: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Applied:
    """How the client answered a `workspace/applyEdit`. `failed`: with a JSON-RPC error. `known` false: with
    something that is no answer, which says nothing."""

    applied: bool
    reason: str = ""
    failed: bool = False
    known: bool = True


@dataclass(frozen=True, slots=True)
class EditorTraits:
    """What the connected client can do, flattened once from its capabilities."""

    name: str = ""
    review: bool = False
    save: bool = False
    preview: bool = False  # a Refactor Preview that asks and applies
    show_document: bool = False
    first_action_only: bool = False
    ends_last_line: bool = False  # see Document
    ends_lines_at_cr: bool = False  # else positions behind a carriage return by itself are not certain


class Editor(Protocol):
    """The connected client. Every method that waits can be cancelled, which tells the client so."""

    @property
    def traits(self) -> EditorTraits: ...

    async def apply(
        self, edits: Sequence[DocumentEdit], *, label: str, confirm: Confirm | None = None
    ) -> Applied: ...

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """The title chosen, None for none. Raises NobodyToAsk when the client answers with an error."""

    async def show(self, uri: str) -> bool:
        """Whether the client says that it showed it."""

    def proposed(self, proposal: Proposal) -> None:
        """Tell a reviewing client what is coming."""


class Applier(Protocol):
    """By whom an accepted change gets into open documents, once a review channel has its yes."""

    @property
    def applied_already(self) -> bool:
        """The editor asked and applied in one go: what is left is to look."""

    @property
    def saves(self) -> bool:
        """Whether the client saves what it was handed."""

    async def apply(self, edits: Sequence[DocumentEdit]) -> Sequence[Applied]:
        """Hand the edits over and wait for the client to say what became of each."""

    async def take_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:
        """The change does not stand, and why: have the client undo by these edits what it applied of it."""

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """The change stands. `save`: the documents the client is to save; returns when it has told, or at
        once where it is not going to tell. Of which of them a save can be expected on disk."""

    def failed(self, error: Exception) -> None:
        """The change does not stand, and why."""


class Reviewer(Protocol):
    """Puts a proposal before the user."""

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The review channel that would ask; with None, for a change that any can show."""

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Wait for the user. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict. When cancelled, what
        is shown is withdrawn and nothing that comes later approves it."""

    async def concluded(self, proposal: Proposal) -> None:
        """The proposal is over: return once the client has the answers to all that it sent about it."""

    async def allow_read(self, path: str, agent: str) -> bool:
        """Ask whether this agent may read a protected file, once. Raises NobodyToAsk, ReviewTimedOut."""

    def let_through(self) -> Applier:
        """The applier for what policy lets through without a question."""
