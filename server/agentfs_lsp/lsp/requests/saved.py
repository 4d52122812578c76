"""agentfs/saved: the client has saved what it was to save (docs/protocol.md#91-review-clients, step 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.lsp.review_params import parse_id, parse_report

if TYPE_CHECKING:
    from agentfs_lsp.lsp.editor_exchange import EditorExchange


def saved_request(exchange: EditorExchange) -> dict[str, object]:
    """Take the report; the disk is looked at all the same."""
    proposal = exchange.reviews.find(parse_id(exchange.params))
    if proposal is not None:
        exchange.reviews.saved(proposal.id, parse_report(exchange.params, proposal, "saved"))
    return {}
