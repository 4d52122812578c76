"""agentfs/setApprovalMode: sets the mode for all sessions or for one
(docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.api.parsing import parse
from agentfs_lsp.lsp.editor_exchange import EditorExchange
from agentfs_lsp.lsp.results import Done


def set_approval_mode_request(exchange: EditorExchange) -> Done:
    """Set the mode. Proposals that are already shown stay under review."""
    from agentfs_lsp.lsp.results import SetApprovalModeParams  # noqa: PLC0415 - not at every start

    params = parse(SetApprovalModeParams, exchange.params)
    exchange.set_mode(params["mode"], params.get("session"))
    return {"ok": True}
