"""agentfs/setSwitch: sets a switch that rules can require (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.lsp.editor_exchange import EditorExchange
from agentfs_lsp.lsp.results import Done, Refusal


def set_switch_request(exchange: EditorExchange) -> Done | Refusal:
    """Set the switch immediately: it has taken effect when the response is sent."""
    from agentfs_lsp.lsp.results import SetSwitchParams  # noqa: PLC0415 - not at every start

    params = parse(SetSwitchParams, exchange.params)
    if exchange.set_switch(params["name"], params["on"]):
        return {"ok": True}
    return {
        "ok": False,
        "code": "UNKNOWN",
        "reason": exchange.translate(
            "The settings have no switch '{name}'.", name=shown(params["name"][:_LONGEST_SHOWN])
        ),
    }


_LONGEST_SHOWN = 200  # characters shown of an unknown switch's name
