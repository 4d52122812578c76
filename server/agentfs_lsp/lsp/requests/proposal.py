"""agentfs/proposal: what a review client shows (docs/protocol.md#91-review-clients, step 2)."""

from __future__ import annotations

from agentfs_lsp.adapters.review.conversation import UNKNOWN
from agentfs_lsp.api.answers.proposal import proposal_on_wire
from agentfs_lsp.lsp.editor_exchange import EditorExchange, refusal
from agentfs_lsp.lsp.results import ProposalAnswer
from agentfs_lsp.lsp.review_params import parse_id


def proposal_request(exchange: EditorExchange) -> ProposalAnswer:
    """The proposal with its texts, or `ok` false if there is none with this id."""
    conversation = exchange.reviews.find(parse_id(exchange.params))
    if conversation is None or conversation.proposal is None:
        return refusal(UNKNOWN, exchange.translate)
    return proposal_on_wire(conversation.proposal, exchange.translate)
