"""agentfs/applied: the client has applied its edits (docs/protocol.md#91-review-clients, step 4)."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from agentfs_lsp.adapters.review.conversation import UNKNOWN, Answer, Conversation, Reports
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.lsp.editor_exchange import EditorExchange, refusal
from agentfs_lsp.lsp.results import AppliedAnswer
from agentfs_lsp.lsp.review_params import BadReviewParams, parse_id, parse_reports


def applied_request(exchange: EditorExchange) -> AppliedAnswer | Coroutine[Any, Any, AppliedAnswer]:
    """Process the report; responds when the change is complete or has failed, with the documents to save or
    the edits to revert."""
    from agentfs_lsp.lsp.results import AppliedParams  # noqa: PLC0415 - not at every start

    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return {**refusal(UNKNOWN, exchange.translate), "revert": None}
    reports = parse_reports(exchange.params, conversation, AppliedParams, "applied")
    if not conversation.is_answered:
        raise BadReviewParams("unsettled")
    if (last_word := conversation.last_word("applied")) is not None:
        return _response(exchange, conversation, reports, last_word)
    conversation.answered_by(exchange.sent)
    return _answered(exchange, conversation, reports)


async def _answered(exchange: EditorExchange, conversation: Conversation, reports: Reports) -> AppliedAnswer:
    return _response(exchange, conversation, reports, await conversation.applied(reports))


def _response(
    exchange: EditorExchange, conversation: Conversation, reports: Reports, answer: Answer
) -> AppliedAnswer:
    if answer.code is None:
        return {"ok": True, "save": list(answer.save)}
    back = exchange.reviews.taken_back(conversation) if any(one.done for one in reports.values()) else ()
    revert = workspace_edit(back, exchange.encoding) if back else None
    return {**refusal(answer, exchange.translate), "revert": revert}
