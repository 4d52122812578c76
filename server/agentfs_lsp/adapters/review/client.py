"""The `review` rung: the client shows the proposal by itself and talks it through with the server.

docs/protocol.md#91-review-clients, step by step: proposed, proposal, settle, applied, saved. Only a settle
approves. What the messages look like on the wire is not known here.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from agentfs_lsp.adapters.review.wording import title_of
from agentfs_lsp.domain.errors import Conflict, Rejected, ReviewTimedOut, Unencodable
from agentfs_lsp.service.ports import Applied, Confirm, DocumentEdit
from agentfs_lsp.service.proposals import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.service.ports import Clock, Editor, Hand
    from agentfs_lsp.service.proposals import Proposal

T = TypeVar("T")

Code = Literal["CONFLICT", "WITHDRAWN", "TIMEOUT", "SETTLED", "UNKNOWN", "INVALID_PARAM", "EXECUTION_ERROR"]

PENDING = "agentfs:pending"
"""The failureReason of a client that answers the preview at once and settles later."""

REMEMBERED = 256
"""How many ended conversations still answer a repeated message."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the user decided. `text` is the amended file's whole text."""

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
    """The server's turn in the conversation. `code` None is a yes."""

    code: Code | None = None
    reason: str = ""
    edits: tuple[DocumentEdit, ...] = ()
    save: tuple[str, ...] = ()


class Conversation:
    """One proposal's exchange with the client, and the hand that lands it."""

    applied_already = False
    saves = True

    def __init__(self, proposal: Proposal) -> None:
        loop = asyncio.get_running_loop()
        self.proposal = proposal
        self.settlement: asyncio.Future[Settlement] = loop.create_future()
        self.settle_answer: asyncio.Future[Answer] = loop.create_future()
        self.applied_report: asyncio.Future[Report] = loop.create_future()
        self.applied_answer: asyncio.Future[Answer] = loop.create_future()
        self.saved_report: asyncio.Future[Report] = loop.create_future()

    # --- the hand -----------------------------------------------------------------------------------------

    async def apply(self, edits: Sequence[DocumentEdit]) -> Applied:
        """Answer the settle with what is to be applied, and wait for `agentfs/applied`."""
        _resolve(self.settle_answer, Answer(edits=tuple(edits)))
        report = await asyncio.shield(self.applied_report)
        return Applied(report.done, report.reason)

    async def committed(self, save: Sequence[str]) -> None:
        """Say yes to whichever message waits for it; with something to save, wait for `agentfs/saved`."""
        if not self.settle_answer.done():
            self.settle_answer.set_result(Answer())
            return
        _resolve(self.applied_answer, Answer(save=tuple(save)))
        if save:
            await asyncio.shield(self.saved_report)

    def failed(self, error: Exception) -> None:
        """Say no to whichever message waits, and to those that still come."""
        self.end(_code_of(error), str(error))

    def end(self, code: Code, reason: str) -> None:
        """From here on every message that was not answered is answered with this."""
        self.settlement.cancel()
        for answer in (self.settle_answer, self.applied_answer):
            _resolve(answer, Answer(code, reason))


class ClientReviews:
    """The conversations under way, by proposal, and the last of those that ended."""

    def __init__(self, editor: Editor, clock: Clock, say: Callable[[], Say]) -> None:
        self._editor = editor
        self._clock = clock
        self._say = say
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._held: set[asyncio.Task[Applied]] = set()

    async def review(self, proposal: Proposal, timeout_s: float | None) -> tuple[Decision, Hand]:
        """Propose and wait for the settle. `timeout_s` None waits for ever. Raises Rejected, ReviewTimedOut."""
        conversation = self._conversations[proposal.id] = Conversation(proposal)
        self._forget_old()
        self._editor.proposed(proposal)
        held = self._preview(proposal)
        proposal.state, proposal.shown_at_ms = "shown", self._clock.now_ms()
        try:
            async with asyncio.timeout(timeout_s):
                settlement = await _settled(conversation, held)
        except TimeoutError:
            conversation.end("TIMEOUT", "nobody answered in time")
            held.cancel()
            raise ReviewTimedOut(timeout_s or 0) from None
        except Rejected:
            conversation.end("SETTLED", "the preview was answered without a settle")
            raise
        except asyncio.CancelledError:
            conversation.end("WITHDRAWN", "the proposal was withdrawn")
            held.cancel()
            raise
        if settlement.decision == "rejected":
            _resolve(conversation.settle_answer, Answer())
            raise Rejected("rejected", settlement.feedback)
        return _decision(settlement), conversation

    # --- the client's messages ----------------------------------------------------------------------------

    def find(self, proposal_id: str) -> Proposal | None:
        """The proposal to show."""
        conversation = self._conversations.get(proposal_id)
        return conversation.proposal if conversation else None

    async def settle(self, proposal_id: str, settlement: Settlement) -> Answer:
        """The first settle decides; every later one gets the first one's answer."""
        conversation = self._conversations.get(proposal_id)
        if conversation is None:
            return UNKNOWN
        _resolve(conversation.settlement, settlement)
        return await asyncio.shield(conversation.settle_answer)

    async def applied(self, proposal_id: str, report: Report) -> Answer:
        """What the client applied."""
        conversation = self._conversations.get(proposal_id)
        if conversation is None:
            return UNKNOWN
        _resolve(conversation.applied_report, report)
        return await asyncio.shield(conversation.applied_answer)

    def saved(self, proposal_id: str, report: Report) -> None:
        """What the client saved."""
        conversation = self._conversations.get(proposal_id)
        if conversation is not None:
            _resolve(conversation.saved_report, report)

    # --- the preview --------------------------------------------------------------------------------------

    def _preview(self, proposal: Proposal) -> asyncio.Task[Applied]:
        """Send the annotated edit that the client answers at once or when all is over."""
        title = title_of(proposal, self._say())
        confirm = Confirm(proposal.id, title, proposal.explanation)
        edit = edit_of(proposal)
        held = asyncio.ensure_future(self._editor.apply([edit], label=title, confirm=confirm))
        self._held.add(held)
        held.add_done_callback(self._held.discard)
        return held

    def _forget_old(self) -> None:
        while len(self._conversations) > REMEMBERED:
            oldest = next(iter(self._conversations.values()))
            if not oldest.settle_answer.done():
                return
            del self._conversations[oldest.proposal.id]


def edit_of(proposal: Proposal) -> DocumentEdit:
    """The proposal's pieces, for the document if it is open, else for the file."""
    change = proposal.computed
    buffer = change.base.buffer
    uri = buffer.uri if buffer else change.base.location.uri
    return DocumentEdit(uri, buffer.version if buffer else None, change.base.text.shown, change.hunks)


UNKNOWN = Answer("UNKNOWN", "there is no such proposal, or it ended long ago")


async def _settled(conversation: Conversation, held: asyncio.Task[Applied]) -> Settlement:
    """Wait for the settle. The preview answered in any way but "pending" without one is no yes."""
    waiting: set[asyncio.Future[Any]] = {conversation.settlement, held}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if not conversation.settlement.done():
        answer = held.result()
        if not (answer.answered and not answer.applied and answer.reason == PENDING):
            raise Rejected("dismissed")
    return await asyncio.shield(conversation.settlement)


def _decision(settlement: Settlement) -> Decision:
    amended = settlement.text if settlement.decision == "amended" else None
    return Decision(
        "review",
        "accepted" if amended is None else "amended",
        "user",
        feedback=settlement.feedback,
        always=settlement.always,
        amended_text=amended,
    )


def _code_of(error: Exception) -> Code:
    match error:
        case Conflict():
            return "CONFLICT"
        case Unencodable():
            return "INVALID_PARAM"
        case Rejected():
            return "SETTLED"
        case _:
            return "EXECUTION_ERROR"


def _resolve(future: asyncio.Future[T], value: T) -> None:
    if not future.done():
        future.set_result(value)
