"""agentfs/settle: the user's decision (docs/protocol.md#91-review-clients, step 3)."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Any

from agentfs_lsp.adapters.review.conversation import UNKNOWN, Answer
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.lsp.editor_exchange import EditorExchange, refusal
from agentfs_lsp.lsp.results import SettleAnswer
from agentfs_lsp.lsp.review_params import parse_id, parse_settlement


def settle_request(exchange: EditorExchange) -> SettleAnswer | Coroutine[Any, Any, SettleAnswer]:
    """Settle at once, so that nothing the client sends later can undo it. The response says what the client
    must apply, null for nothing."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return refusal(UNKNOWN, exchange.translate)
    settlement = parse_settlement(exchange.params, conversation)
    if (last_word := conversation.last_word("settle")) is not None:
        return _response(exchange, last_word)
    settled = conversation.settle(settlement)
    conversation.answered_by(exchange.sent)
    return _answered(exchange, settled)


async def _answered(exchange: EditorExchange, settled: Awaitable[Answer]) -> SettleAnswer:
    return _response(exchange, await settled)


def _response(exchange: EditorExchange, answer: Answer) -> SettleAnswer:
    if answer.code is not None:
        return refusal(answer, exchange.translate)
    return {"ok": True, "apply": workspace_edit(answer.edits, exchange.encoding) if answer.edits else None}
