"""One proposal's exchange with a review client, and the hand that lands it
(docs/protocol.md#91-review-clients).

Every message of the client is answered, whenever it comes: before its turn, in its turn, a second time, or
when all is over. Nothing here waits without an end but the settle, which is the user's.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from agentfs_lsp.adapters.documents import path_of
from agentfs_lsp.domain.errors import Conflict, DomainError, Rejected
from agentfs_lsp.service.ports import Applied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.ports import DocumentEdit
    from agentfs_lsp.service.proposals import Proposal

T = TypeVar("T")

Code = Literal["CONFLICT", "WITHDRAWN", "TIMEOUT", "SETTLED", "UNKNOWN", "INVALID_PARAM", "EXECUTION_ERROR"]


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the user decided. `text` is the amended file's whole text, None for any other decision."""

    decision: Literal["accepted", "amended", "rejected"]
    feedback: str = ""
    always: bool = False
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What the client says of its part."""

    done: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The server's turn in the conversation. `code` None is a yes; `error` is why it is a no."""

    code: Code | None = None
    error: DomainError | None = None
    edits: tuple[DocumentEdit, ...] = ()
    save: tuple[str, ...] = ()


UNKNOWN = Answer("UNKNOWN")


class Conversation:
    """What was said about a proposal so far. `proposal` is None once it is over."""

    applied_already = False

    def __init__(self, proposal: Proposal, *, saves: bool) -> None:
        loop = asyncio.get_running_loop()
        base = proposal.computed.base
        self.proposal: Proposal | None = proposal
        self.saves = saves
        self.settlement: asyncio.Future[Settlement] = loop.create_future()
        self._uris = {base.location.uri, *([base.buffer.uri] if base.buffer else [])}
        self._absolute = proposal.absolute
        self._settle_answer: asyncio.Future[Answer] = loop.create_future()
        self._applied_report: asyncio.Future[Report] = loop.create_future()
        self._applied_answer: asyncio.Future[Answer] = loop.create_future()
        self._saved_report: asyncio.Future[Report] = loop.create_future()

    # --- the client's messages ----------------------------------------------------------------------------

    def is_about(self, uri: object) -> bool:
        """Whether a URI names the proposal's file, in the server's spelling or another."""
        return isinstance(uri, str) and (uri in self._uris or path_of(uri) == self._absolute)

    def amendment(self, settlement: Settlement) -> FileChange | None:
        """The change that the settlement amends, None where it decides nothing new about any text."""
        if self.proposal is None or self.settlement.done() or settlement.text is None:
            return None
        return self.proposal.computed

    def settle(self, settlement: Settlement) -> asyncio.Future[Answer]:
        """The first settle decides, from this moment on; every later one gets the first one's answer."""
        if _resolve(self.settlement, settlement) and self.proposal and settlement.decision != "rejected":
            self.proposal.settled = True
        return asyncio.shield(self._settle_answer)

    @property
    def is_answered(self) -> bool:
        """Whether the settle was answered, so that the client has something to report on."""
        return self._settle_answer.done()

    @property
    def to_apply(self) -> tuple[DocumentEdit, ...]:
        """What the client was told to apply."""
        return self._settle_answer.result().edits if self._settle_answer.done() else ()

    def applied(self, report: Report) -> asyncio.Future[Answer]:
        """What the client applied."""
        _resolve(self._applied_report, report)
        return asyncio.shield(self._applied_answer)

    def saved(self, report: Report) -> None:
        """What the client saved; before it was told to, that says nothing."""
        if self._applied_answer.done():
            _resolve(self._saved_report, report)

    # --- the hand -----------------------------------------------------------------------------------------

    async def apply(self, edits: Sequence[DocumentEdit]) -> Applied:
        """Answer the settle with what is to be applied, and wait for `agentfs/applied`."""
        _resolve(self._settle_answer, Answer(edits=tuple(edits)))
        report = await asyncio.shield(self._applied_report)
        return Applied(report.done, report.reason)

    async def committed(self, save: Sequence[str]) -> bool:
        """Say yes to whichever message waits for it; with something to save, wait for `agentfs/saved`."""
        _resolve(self._settle_answer, Answer())
        _resolve(self._applied_answer, Answer(save=tuple(save)))
        return bool(save) and (await asyncio.shield(self._saved_report)).done

    def failed(self, error: Exception) -> None:
        """Say no to whichever message waits, and to those that still come."""
        self.end(_code_of(error), error if isinstance(error, DomainError) else None)

    # --- the end ------------------------------------------------------------------------------------------

    def accept_no(self, error: Rejected) -> None:
        """The user's no was understood, and nothing else is to come."""
        _resolve(self._settle_answer, Answer())
        self.end("SETTLED", error)

    def end(self, code: Code, error: DomainError | None = None) -> None:
        """From here on every message that was not answered is answered with this."""
        self.settlement.cancel()
        for answer in (self._settle_answer, self._applied_answer):
            _resolve(answer, Answer(code, error))

    def abandon(self) -> None:
        """Nobody is there to report any more."""
        for report in (self._applied_report, self._saved_report):
            _resolve(report, Report(done=False))


def _code_of(error: Exception) -> Code:
    match error:
        case Conflict():
            return "CONFLICT"
        case _:
            return "EXECUTION_ERROR"


def _resolve(future: asyncio.Future[T], value: T) -> bool:
    """Whether it was still open."""
    if future.done():
        return False
    future.set_result(value)
    return True
