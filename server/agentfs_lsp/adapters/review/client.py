"""The `review` rung: the client shows the proposal in its own UI.

It follows docs/protocol.md#91-review-clients: proposed, proposal, settle, applied, saved. Only a settle
approves. `conversation.py` handles the exchange about one proposal. This module does not know the wire
format. Reviewers in programs of their own see and settle the same proposals (`attached.py`).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.review.appliers import PlainApplier
from agentfs_lsp.adapters.review.attached import AttachedReviewer, AttachedReviewers
from agentfs_lsp.adapters.review.conversation import Conversation, Settlement
from agentfs_lsp.adapters.review.questions import Unanswered
from agentfs_lsp.domain.errors import DomainError, Rejected, ReviewTimedOut
from agentfs_lsp.domain.text.byte_order_mark import reads_same
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.landing.last_line_end import edit_of, reversal
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from agentfs_lsp.service.proposal.review import Applied, Applier, Confirm, DocumentEdit, Editor
from agentfs_lsp.service.proposal.wording import title_of
from agentfs_lsp.service.state.workspace import off_loop

PENDING = "agentfs:pending"
"""The failureReason of a client that responds to the preview immediately and settles later."""

ATTACHED_NAME = "agentfs-lsp review"
"""What reviewers in programs of their own are called in the history."""

REMEMBERED = 64
"""The number of ended conversations that still respond to repeated messages."""


class ClientReviews:
    """The active conversations, by proposal, and the last ones that ended."""

    def __init__(self, editor: Editor, documents: OpenDocuments, translate: Callable[[], Translate]) -> None:
        self._editor = editor
        self._documents = documents
        self._translate = translate
        self.attached = AttachedReviewers()
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._ended: OrderedDict[str, None] = OrderedDict()

    async def review(self, proposal: Proposal, timeout_s: float | None) -> tuple[Decision, Applier]:
        """Propose and wait for the settle; `timeout_s` None means no limit. Raises Rejected,
        ReviewTimedOut."""
        conversation = self._begin(proposal)
        self._editor.proposed(proposal)
        held = self._preview(proposal)
        proposal.to("shown")
        return await self._decided(conversation, proposal, held, timeout_s)

    async def review_attached(self, proposal: Proposal, timeout_s: float | None) -> tuple[Decision, Applier]:
        """The same without the editor, whose client shows no reviews. Raises Unanswered when the last of the
        attached reviewers has gone."""
        conversation = self._begin(proposal)
        proposal.to("shown")
        try:
            return await self._decided(conversation, proposal, asyncio.ensure_future(self._left()), timeout_s)
        except Unanswered:
            conversation.end("EXECUTION_ERROR")
            del self._conversations[proposal.id]
            raise

    def attach(self, reviewer: AttachedReviewer) -> None:
        """From now on, tell this reviewer about proposals; first about those under review."""
        self.attached.add(reviewer)
        for conversation in self._conversations.values():
            if conversation.proposal is not None and conversation.proposal.state == "shown":
                reviewer.proposed(conversation.proposal)

    def _begin(self, proposal: Proposal) -> Conversation:
        conversation = Conversation(proposal, saves=self._editor.traits.save)
        self._conversations[proposal.id] = conversation
        return conversation

    async def _left(self) -> Applied:
        await self.attached.gone()
        raise Unanswered

    async def _decided(
        self,
        conversation: Conversation,
        proposal: Proposal,
        held: asyncio.Task[Applied],
        timeout_s: float | None,
    ) -> tuple[Decision, Applier]:
        for reviewer in self.attached:
            reviewer.proposed(proposal)
        try:
            settlement = await _settled_to_fit(conversation, proposal, held, timeout_s)
        except ReviewTimedOut as late:
            conversation.end("TIMEOUT", late)
            await _withdraw(held)
            raise
        except Rejected as dismissed:
            conversation.end("SETTLED", dismissed)
            raise
        except asyncio.CancelledError:
            conversation.end("WITHDRAWN", proposal.why_withdrawn)
            await _withdraw(held)
            raise
        applier: Applier = conversation
        client = ""
        if conversation.is_settled_attached:
            client = ATTACHED_NAME
            conversation.decided_attached()
            await _withdraw(held)
            applier = PlainApplier(self._editor, "agentfs")
        decision = _decision(settlement, proposal, client)
        if decision.rejected and (proposal.atomic or len(decision.rejected) == len(proposal.changes)):
            rejected = _rejection(proposal, decision)
            conversation.accept_no(rejected)
            raise rejected
        return decision, applier

    def find(self, proposal_id: str) -> Conversation | None:
        """The conversation about this proposal, active or recently ended."""
        return self._conversations.get(proposal_id)

    def rollback_of(self, conversation: Conversation) -> tuple[DocumentEdit, ...]:
        """The edits that undo what the client was told to apply, provided nothing else was edited."""
        back = (reversal(edit, self._documents.get(edit.uri)) for edit in conversation.to_apply)
        return tuple(edit for edit in back if edit is not None)

    async def concluded(self, proposal: Proposal) -> None:
        """The proposal has ended: respond to the client's messages about it before anybody else is
        notified."""
        conversation = self._conversations.get(proposal.id)
        if conversation is not None:
            await conversation.conclude()

    def ended(self, proposal: Proposal) -> None:
        """The proposal has ended. Keep its conversation's responses for a while, but not its texts."""
        conversation = self._conversations.get(proposal.id)
        if conversation is None:
            return
        conversation.end("EXECUTION_ERROR")
        conversation.proposal = None
        self._ended[proposal.id] = None
        if len(self._ended) > REMEMBERED:
            oldest, _ = self._ended.popitem(last=False)
            del self._conversations[oldest]

    def abandon(self) -> None:
        """The client has disconnected: it will neither apply nor save."""
        for conversation in self._conversations.values():
            conversation.abandon()

    def _preview(self, proposal: Proposal) -> asyncio.Task[Applied]:
        """Send the annotated edit, to which the client responds immediately or after the review."""
        title = title_of(proposal, self._translate())
        confirm = Confirm(proposal.id, title, proposal.explanation)
        edits = [edit_of(change) for change in proposal.changes]
        return asyncio.ensure_future(self._editor.apply(edits, label=title, confirm=confirm))


async def _withdraw(held: asyncio.Task[Applied]) -> None:
    """Cancel the preview and wait until the client has been told, which the agent's answer must follow."""
    held.cancel()
    await asyncio.gather(held, return_exceptions=True)


async def _settled_to_fit(
    conversation: Conversation, proposal: Proposal, held: asyncio.Task[Applied], timeout_s: float | None
) -> Settlement:
    """Wait for a settle whose texts fit the files. A settle that has arrived is never too late."""
    loop = asyncio.get_running_loop()
    deadline = None if timeout_s is None else loop.time() + timeout_s
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                await _settled(conversation, held)
        except TimeoutError:
            if not conversation.settlement.done():
                raise ReviewTimedOut(timeout_s or 0) from None
        settlement = conversation.settlement.result()
        texts = settlement.texts
        amended = [(one, texts[one.absolute]) for one in proposal.changes if one.absolute in texts]
        size = max((max(change.base.size, len(text)) for change, text in amended), default=0)
        try:
            await off_loop(size, _check_fit, amended)
        except DomainError as unfit:
            conversation.reopen(unfit)
            proposal.reopen()
        else:
            return settlement


def _check_fit(amended: Sequence[tuple[FileChange, str]]) -> None:
    """Raise an error for the first text that can't become its file's content."""
    for change, text in amended:
        change.amended(text).check()


async def _settled(conversation: Conversation, held: asyncio.Task[Applied]) -> Settlement:
    """Wait for the settle. Without one, a preview answered in any way except "pending" is not an approval."""
    waiting: set[asyncio.Future[Any]] = {conversation.settlement, held}
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    if not conversation.settlement.done():
        answer = held.result()
        if answer.failed or answer.applied or answer.reason != PENDING:
            raise Rejected("dismissed")
    return await asyncio.shield(conversation.settlement)


def _decision(settlement: Settlement, proposal: Proposal, client: str) -> Decision:
    amended: dict[str, str] = {}
    rejected: set[str] = set()
    for change in proposal.changes:
        absolute = change.absolute
        text = settlement.texts.get(absolute)
        if absolute in settlement.rejected or _leaves_nothing(text, change):
            rejected.add(absolute)
        elif text is not None and not reads_same(text, change.shown):
            amended[absolute] = text
    return Decision(
        "review",
        "amended" if amended else "accepted",
        "user",
        feedback=settlement.feedback,
        always=settlement.always,
        amended=amended,
        rejected=frozenset(rejected),
        reasons=settlement.reasons,
        client=client,
    )


def _leaves_nothing(text: str | None, change: FileChange) -> bool:
    """Whether the user reverted the whole change of an existing file. Not for a change that changes nothing,
    proposed only if the session may not read the file: there the text says nothing."""
    if text is None or change.operation == "create" or change.changes_nothing:
        return False
    return reads_same(text, change.base.text.shown)


def _rejection(proposal: Proposal, decision: Decision) -> Rejected:
    """The rejection of all of it, with what the user wrote about all, and about single files."""
    reasons, several = decision.reasons, len(proposal.changes) > 1
    own = {path: reasons[absolute] for absolute, path in proposal.files.items() if absolute in reasons}
    said = (f"{path}: {reason}" if several else reason for path, reason in own.items())
    feedback = "; ".join(filter(None, (decision.feedback, *said)))
    return Rejected("rejected", feedback, _named(proposal, decision), by_file=own)


def _named(proposal: Proposal, decision: Decision) -> tuple[str, ...]:
    """The rejected files, if not all files were rejected."""
    if len(decision.rejected) == len(proposal.changes):
        return ()
    return tuple(path for absolute, path in proposal.files.items() if absolute in decision.rejected)
