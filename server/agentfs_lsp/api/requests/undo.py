"""agentfs/undo: docs/protocol.md#11-history-and-undo. agentfs/userUndo is the same for the user, who may see
every file (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.api.answers.undo import undo_answer
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import UndoParams
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.service.undo import Undo, undo


async def undo_request(exchange: Exchange, *, by_user: bool = False) -> Envelope:
    """Respond to agentfs/undo when the reverse has landed or cannot land."""
    params = exchange.parse(UndoParams)
    await exchange.wait_until_prepared()
    command = Undo(params.session, params.change_id, params.agent, params.explanation, by_user)
    return undo_answer(exchange, await undo(exchange.ws, command))
