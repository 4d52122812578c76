"""agentfs/settle: the user's decision (docs/protocol.md#91-review-clients, step 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.client import UNKNOWN
from agentfs_lsp.lsp.editor import workspace_edit
from agentfs_lsp.lsp.editor_exchange import refusal
from agentfs_lsp.lsp.review_params import parse_id, parse_settlement

if TYPE_CHECKING:
    from agentfs_lsp.lsp.editor_exchange import EditorExchange


async def settle_request(exchange: EditorExchange) -> dict[str, object]:
    """Settle, and tell the client what it must apply, null for nothing."""
    proposal = exchange.reviews.find(parse_id(exchange.params))
    if proposal is None:
        return refusal(UNKNOWN)
    settlement = parse_settlement(exchange.params, proposal)
    answer = await exchange.reviews.settle(proposal.id, settlement)
    if answer.code is not None:
        return refusal(answer)
    apply = workspace_edit(answer.edits, exchange.encoding) if answer.edits else None
    return {"ok": True, "apply": apply}
