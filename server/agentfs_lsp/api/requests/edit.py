"""agentfs/edit: docs/protocol.md#7-agentfsedit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.api.answers.change import change_answer, edit_of
from agentfs_lsp.api.params import EditParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.service.edit import edit

if TYPE_CHECKING:
    from agentfs_lsp.api.exchange import Exchange
    from agentfs_lsp.api.results import Envelope


async def edit_request(exchange: Exchange) -> Envelope:
    """Answer agentfs/edit once the change has landed or cannot."""
    params = parse(EditParams, exchange.params)
    await exchange.prepared()
    submitted = await edit(exchange.ws, edit_of(exchange, params), exchange.trace)
    return change_answer(exchange, submitted)
