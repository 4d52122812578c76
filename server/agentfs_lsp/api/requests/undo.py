"""agentfs/undo: docs/protocol.md#11-history-and-undo. agentfs/userUndo is the same for the user, who may see
every file (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.api.answers.undo import undo_answer
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import UndoParams, UserUndoParams
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.service.undo import Undo, undo


async def undo_request(exchange: Exchange) -> Envelope:
    """Respond to agentfs/undo when the reverse has landed or cannot land."""
    params = exchange.parse(UndoParams)
    command = Undo(params.session, params.change_id, params.agent, params.explanation, timing=exchange.timing)
    return await _respond(exchange, command)


async def user_undo_request(exchange: Exchange) -> Envelope:
    """The same for agentfs/userUndo, which can also undo several changes together."""
    params = exchange.parse(UserUndoParams)
    together = tuple(params.change_ids or ())
    if together and params.change_id is not None:
        raise BadParameter("change_ids", "twice", ("change_id",))
    command = Undo(
        params.session,
        params.change_id,
        params.agent,
        params.explanation,
        by_user=True,
        together=together,
        leave_blocked=params.leave_blocked,
    )
    return await _respond(exchange, command)


async def _respond(exchange: Exchange, command: Undo) -> Envelope:
    await exchange.wait_until_prepared()
    return undo_answer(exchange, await undo(exchange.ws, command))
