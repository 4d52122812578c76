"""agentfs/edit: docs/protocol.md#7-agentfsedit."""

from __future__ import annotations

from agentfs_lsp.api.answers.change import change_answer
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import EditParams
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.service.change_request import submit


async def edit_request(exchange: Exchange) -> Envelope:
    """Respond to agentfs/edit when the change has landed or cannot land."""
    params, confirms = exchange.parse(EditParams), exchange.phrasing.confirms
    command = params.command(exchange.paths, exchange.timing, confirms=confirms)
    await exchange.wait_until_prepared()
    return change_answer(exchange, await submit(exchange.ws, command, exchange.moment))
