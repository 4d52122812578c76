"""The ports to the editor and its user, as protocols; `files/store.py` has those to disk and clock.

Texts are `str` with their own line ends; offsets are code points.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung

# --- the editor as somebody to ask and to hand edits to ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """Edits of one document, which has the text `base`, pinned to a version (None: the file is not open).
    `past_last_line`: the last edit, which is empty, must extend past the last line. `answer`: whether the
    client applied the edit, even if it says so after the request for it was cancelled."""

    uri: str
    version: int | None
    base: str
    splices: tuple[Splice, ...]
    past_last_line: bool = False
    answer: asyncio.Future[bool] | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Confirm:
    """The change annotation that makes the editor ask for confirmation; one per change."""

    id: str
    label: str
    description: str


@dataclass(frozen=True, slots=True)
class Applied:
    """The client's response to `workspace/applyEdit`. `failed`: it was a JSON-RPC error. `known` is false
    when the response is malformed and says nothing. `is_lost`: the connection ended before the response."""

    applied: bool
    reason: str = ""
    failed: bool = False
    known: bool = True
    is_lost: bool = False


@dataclass(frozen=True, slots=True)
class EditorTraits:
    """What the client supports, computed once from its capabilities."""

    name: str = ""
    review: bool = False
    save: bool = False
    preview: bool = False  # a Refactor Preview that asks and applies, preferred to `review`
    show_document: bool = False
    first_action_only: bool = False
    ends_last_line: bool = False  # see Document
    least_version: int = 0  # 1 if the editor applies an edit of version 0 to any later one
    ends_lines_at_cr: bool = False  # if false, a CR may count as content
    tells_after_close: bool = False  # of changes that it dropped; others change documents they did not open


class Editor(Protocol):
    """The connected client. Cancelling any of the waiting methods cancels the request at the client."""

    @property
    def traits(self) -> EditorTraits: ...

    async def apply(
        self, edits: Sequence[DocumentEdit], *, label: str, confirm: Confirm | None = None
    ) -> Applied: ...

    def question(self) -> AbstractContextManager[None]:
        """Hold back messages during a question, over all of its pages."""

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        """Return the title the user chose, or None. Raises NobodyToAsk if the client returns an error."""

    async def withdrawn_answered(self) -> None:
        """Wait until the client has responded to the last question that was cancelled."""

    async def show(self, uri: str) -> bool:
        """Return whether the client says it showed the document."""

    def proposed(self, proposal: Proposal) -> None:
        """Announce a proposal to a review client."""


class Applier(Protocol):
    """Edits open documents on behalf of an accepted change; each review channel brings its own."""

    @property
    def applied_already(self) -> bool:
        """Whether the editor asked and applied in one step, so that only the result is left to check."""

    @property
    def saves(self) -> bool:
        """Whether the client saves the documents it edited."""

    @property
    def reverts_late(self) -> bool:
        """Whether the client reverts what it applies after the landing has failed."""

    def apply(self, edits: Sequence[DocumentEdit]) -> AsyncIterator[Applied]:
        """Send the edits and wait for the client's response to each, in order."""

    async def roll_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:
        """The change failed with `error`: have the client undo what it applied, using these edits."""

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """The change stands: ask the client to save the documents `save` (URIs). Return those whose save will
        show on disk, as soon as the client has responded, or at once if it won't."""

    def failed(self, error: Exception) -> None:
        """The change failed with `error`."""


class Reviewer(Protocol):
    """Puts proposals before the user."""

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The review channel that would ask about `proposal`; None stands for a change every channel can
        show."""

    def applies_itself(self, proposal: Proposal) -> bool:
        """Whether the editor itself applies the proposal when the user accepts it, perhaps late."""

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Wait for the user's decision. Raises Rejected, ReviewTimedOut, NobodyToAsk or Conflict. Cancelling
        withdraws what is shown; no later answer approves it."""

    async def concluded(self, proposal: Proposal) -> None:
        """The proposal is over: wait until every request the client sent about it is answered."""

    async def allow_read(self, path: str, agent: str, asked: Callable[[], object]) -> bool:
        """Ask once whether this agent may read a protected file; `asked` is called when the question is sent.
        Raises NobodyToAsk or ReviewTimedOut."""

    def allowed_applier(self) -> Applier:
        """The applier for changes that policy allows without asking."""
