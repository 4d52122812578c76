"""agentfs/edit: docs/protocol.md#7-agentfsedit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.lsp.change_answer import asked_of, change_answer
from agentfs_lsp.lsp.wire import EditParams, parse
from agentfs_lsp.service.edit import Edit, edit

if TYPE_CHECKING:
    from agentfs_lsp.lsp.envelope import Envelope
    from agentfs_lsp.lsp.exchange import Exchange


async def edit_request(exchange: Exchange) -> Envelope:
    """Answer agentfs/edit once the change has landed or cannot."""
    params = parse(EditParams, exchange.params)
    await exchange.configured()
    several = params.expected_count is not None and params.expected_count > 1
    command = Edit(
        asked_of("edit", params, exchange.paths),
        params.old_string,
        params.new_string,
        replace_all=params.replace_all or several,
        expected_count=params.expected_count,
    )
    submitted = await edit(exchange.ws, command, exchange.trace)
    return change_answer(exchange, submitted)
