"""What the user sets in the editor: the approval mode and switches
(docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.lsp.editor_exchange import EditorExchange
from agentfs_lsp.lsp.results import Done, Refusal, SetApprovalModeParams, SetSwitchParams

_LONGEST_SHOWN = 200  # characters shown of an unknown switch's name


def set_approval_mode_request(exchange: EditorExchange) -> Done:
    """Set the mode. Proposals that are already shown stay under review."""
    params = parse(SetApprovalModeParams, exchange.params)
    exchange.set_mode(params["mode"], params.get("session"))
    return {"ok": True}


def set_switch_request(exchange: EditorExchange) -> Done | Refusal:
    """Set the switch immediately: it has taken effect when the response is sent."""
    params = parse(SetSwitchParams, exchange.params)
    if exchange.set_switch(params["name"], params["on"]):
        return {"ok": True}
    name = shown(params["name"][:_LONGEST_SHOWN])
    reason = exchange.translate("The settings have no switch '{name}'.", name=name)
    return {"ok": False, "code": "UNKNOWN", "reason": reason}
