"""The requests of review clients about a proposal: show it, settle it, and report what became of its edits
(docs/protocol.md#91-review-clients, steps 2 to 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Any

from agentfs_lsp.adapters.review.conversation import UNKNOWN, Answer, Conversation, Reports
from agentfs_lsp.api.answers.proposal import proposal_on_wire
from agentfs_lsp.api.results import Nothing
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.lsp.editor_exchange import EditorExchange, refusal
from agentfs_lsp.lsp.results import AppliedAnswer, AppliedParams, ProposalAnswer, SavedParams, SettleAnswer
from agentfs_lsp.lsp.review_params import BadReviewParams, parse_id, parse_reports, parse_settlement


def proposal_request(exchange: EditorExchange) -> ProposalAnswer:
    """The proposal with its texts, or `ok` false if there is none with this id."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None or conversation.proposal is None:
        return refusal(UNKNOWN, exchange.translate)
    return proposal_on_wire(conversation.proposal, exchange.translate)


def settle_request(exchange: EditorExchange) -> SettleAnswer | Coroutine[Any, Any, SettleAnswer]:
    """Settle at once, so that nothing the client sends later can undo it. The response says what the client
    must apply, null for nothing."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return refusal(UNKNOWN, exchange.translate)
    settlement = parse_settlement(exchange.params, conversation)
    if (last_word := conversation.last_word("settle")) is not None:
        return _settle_answer(exchange, last_word)
    settled = conversation.settle(settlement)
    conversation.answered_by(exchange.sent)
    return _settled(exchange, settled)


def settle_attached_request(exchange: EditorExchange) -> SettleAnswer | Coroutine[Any, Any, SettleAnswer]:
    """The same from a reviewer in a program of its own, which has nothing to apply
    (docs/protocol.md#18-the-reviewers-socket)."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return refusal(UNKNOWN, exchange.translate)
    settlement = parse_settlement(exchange.params, conversation)
    if any(map(exchange.ws.documents.is_unsaved_elsewhere, conversation.files - settlement.rejected)):
        reason = exchange.translate("The file has unsaved changes in the editor. Save or revert them first.")
        return {"ok": False, "code": "INVALID_PARAM", "reason": reason}
    settled = conversation.settle_attached(settlement)
    conversation.answered_by(exchange.sent)
    return _settled(exchange, settled)


async def _settled(exchange: EditorExchange, settled: Awaitable[Answer]) -> SettleAnswer:
    return _settle_answer(exchange, await settled)


def _settle_answer(exchange: EditorExchange, answer: Answer) -> SettleAnswer:
    if answer.code is not None:
        return refusal(answer, exchange.translate)
    return {"ok": True, "apply": workspace_edit(answer.edits, exchange.encoding) if answer.edits else None}


def applied_request(exchange: EditorExchange) -> AppliedAnswer | Coroutine[Any, Any, AppliedAnswer]:
    """Process the report; responds when the change is complete or has failed, with the documents to save or
    the edits to revert."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return {**refusal(UNKNOWN, exchange.translate), "revert": None}
    reports = parse_reports(exchange.params, conversation, AppliedParams, "applied")
    if not conversation.is_answered:
        raise BadReviewParams("unsettled")
    if (last_word := conversation.last_word("applied")) is not None:
        return _applied_answer(exchange, conversation, reports, last_word)
    conversation.answered_by(exchange.sent)
    return _applied(exchange, conversation, reports)


async def _applied(exchange: EditorExchange, conversation: Conversation, reports: Reports) -> AppliedAnswer:
    return _applied_answer(exchange, conversation, reports, await conversation.applied(reports))


def _applied_answer(
    exchange: EditorExchange, conversation: Conversation, reports: Reports, answer: Answer
) -> AppliedAnswer:
    if answer.code is None:
        return {"ok": True, "save": list(answer.save)}
    back = exchange.reviews.rollback_of(conversation) if any(one.done for one in reports.values()) else ()
    revert = workspace_edit(back, exchange.encoding) if back else None
    return {**refusal(answer, exchange.translate), "revert": revert}


def saved_request(exchange: EditorExchange) -> Nothing:
    """Process the report; the disk is checked all the same."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is not None:
        conversation.saved(parse_reports(exchange.params, conversation, SavedParams, "saved"))
    return {}
