"""agentfs/setApprovalMode: the user's choice, for all or for one session
(docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.lsp.review_params import refuse_unknown

if TYPE_CHECKING:
    from agentfs_lsp.lsp.editor_exchange import EditorExchange
    from agentfs_lsp.lsp.results import Done


def set_approval_mode_request(exchange: EditorExchange) -> Done:
    """Set it. Proposals that are shown stay shown."""
    from agentfs_lsp.lsp.results import SetApprovalModeParams  # noqa: PLC0415 - not at every start

    params = exchange.params if isinstance(exchange.params, dict) else {}
    refuse_unknown(params, SetApprovalModeParams)
    mode, session = params.get("mode"), params.get("session")
    if mode not in ("manual", "auto_edit"):
        raise BadParameter("mode", "choice", ("manual", "auto_edit"))
    if session is not None and not isinstance(session, str):
        raise BadParameter("session", "kind", kinds=("string",))
    if session == "":
        raise BadParameter("session", "short", bound=1)
    exchange.set_mode(mode, session)
    return {"ok": True}
