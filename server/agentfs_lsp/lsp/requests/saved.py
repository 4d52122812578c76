"""agentfs/saved: the client has saved its documents (docs/protocol.md#91-review-clients, step 5)."""

from __future__ import annotations

from agentfs_lsp.api.results import Nothing
from agentfs_lsp.lsp.editor_exchange import EditorExchange
from agentfs_lsp.lsp.review_params import parse_id, parse_reports


def saved_request(exchange: EditorExchange) -> Nothing:
    """Process the report; the disk is checked all the same."""
    from agentfs_lsp.lsp.results import SavedParams  # noqa: PLC0415 - not at every start

    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is not None:
        conversation.saved(parse_reports(exchange.params, conversation, SavedParams, "saved"))
    return {}
