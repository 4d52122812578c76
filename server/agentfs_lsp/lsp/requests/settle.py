"""agentfs/settle: the user's decision (docs/protocol.md#91-review-clients, step 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentfs_lsp.adapters.review.conversation import UNKNOWN, Answer
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.lsp.editor_exchange import refusal
from agentfs_lsp.lsp.review_params import parse_id, parse_settlement
from agentfs_lsp.service.state.workspace import INLINE_BYTES, in_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Sequence

    from agentfs_lsp.adapters.review.conversation import Conversation, Settlement
    from agentfs_lsp.lsp.editor_exchange import EditorExchange
    from agentfs_lsp.lsp.results import Refusal, SettleAnswer
    from agentfs_lsp.service.proposal.change import FileChange


def settle_request(exchange: EditorExchange) -> Refusal | Coroutine[Any, Any, SettleAnswer]:
    """Settle, at once: what the client sends behind it comes too late to take it back. The answer tells what
    the client must apply, null for nothing."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None:
        return refusal(UNKNOWN, exchange.translate)
    settlement = parse_settlement(exchange.params, conversation)
    amendments = conversation.amendments(settlement)
    if sum(max(change.base.size, len(text)) for change, text in amendments) > INLINE_BYTES:
        conversation.answered_by(exchange.sent)
        return _checked(exchange, conversation, settlement, amendments)
    unfit = _misfit(amendments)
    if unfit is not None:
        return refusal(unfit, exchange.translate)
    conversation.answered_by(exchange.sent)
    return _answered(exchange, conversation.settle(settlement))


async def _checked(
    exchange: EditorExchange,
    conversation: Conversation,
    settlement: Settlement,
    amendments: Sequence[tuple[FileChange, str]],
) -> SettleAnswer:
    """Settle once the texts are known to fit; until then nothing is decided."""
    unfit = await in_thread(_misfit, amendments)
    if unfit is not None:
        return refusal(unfit, exchange.translate)
    return await _answered(exchange, conversation.settle(settlement))


def _misfit(amendments: Sequence[tuple[FileChange, str]]) -> Answer | None:
    """Why a file can't be made to read its text, None where all can. That decides nothing: the user's text is
    still in the editor, to be mended and settled again."""
    try:
        for change, text in amendments:
            change.amended(text).check()
    except DomainError as unfit:
        return Answer("INVALID_PARAM", unfit)
    return None


async def _answered(exchange: EditorExchange, settled: Awaitable[Answer]) -> SettleAnswer:
    answer = await settled
    if answer.code is not None:
        return refusal(answer, exchange.translate)
    return {"ok": True, "apply": workspace_edit(answer.edits, exchange.encoding) if answer.edits else None}
