"""agentfs/write: docs/protocol.md#6-agentfswrite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.lsp.change_answer import asked_of, change_answer
from agentfs_lsp.lsp.wire import WriteParams, parse
from agentfs_lsp.service.write import Write, write

if TYPE_CHECKING:
    from agentfs_lsp.lsp.envelope import Envelope
    from agentfs_lsp.lsp.exchange import Exchange


async def write_request(exchange: Exchange) -> Envelope:
    """Answer agentfs/write once the change has landed or cannot."""
    params = parse(WriteParams, exchange.params)
    await exchange.configured()
    command = Write(
        asked_of("write", params, exchange.paths, overwrite=params.overwrite),
        params.content,
        allow_empty=params.allow_empty,
        create_dirs=params.create_dirs,
    )
    submitted = await write(exchange.ws, command, exchange.trace)
    return change_answer(exchange, submitted)
