"""agentfs/applied: the client has applied its part (docs/protocol.md#91-review-clients, step 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.client import UNKNOWN
from agentfs_lsp.lsp.editor_exchange import refusal
from agentfs_lsp.lsp.review_params import parse_id, parse_report

if TYPE_CHECKING:
    from agentfs_lsp.lsp.editor_exchange import EditorExchange


async def applied_request(exchange: EditorExchange) -> dict[str, object]:
    """Take the report; answered once the change stands or falls, with what to save."""
    proposal = exchange.reviews.find(parse_id(exchange.params))
    if proposal is None:
        return {**refusal(UNKNOWN), "revert": None}
    report = parse_report(exchange.params, proposal, "applied")
    answer = await exchange.reviews.applied(proposal.id, report)
    if answer.code is not None:
        return {**refusal(answer), "revert": None}
    return {"ok": True, "save": list(answer.save)}
