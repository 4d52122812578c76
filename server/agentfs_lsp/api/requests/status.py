"""agentfs/status: docs/protocol.md#2-requests."""

from __future__ import annotations

from agentfs_lsp import __version__
from agentfs_lsp.api.answers.proposal import STATES
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.params import StatusParams
from agentfs_lsp.api.results import Envelope, PendingStatus, StatusData


def status_request(exchange: Exchange) -> Envelope:
    """Respond to agentfs/status immediately, without I/O."""
    exchange.parse(StatusParams)
    ws, mine = exchange.ws, exchange.namespace
    settings = ws.settings
    configured = settings.approval.mode
    mode = ws.sessions.mode_for_all(configured)
    pending: list[PendingStatus] = [
        {
            "id": proposal.id,
            "session": proposal.session.removeprefix(mine),
            "agent": proposal.agent,
            "tool": proposal.tool,
            "paths": list(proposal.paths),
            "since_ms": round(ws.clock.now_ms() - proposal.reached_ms("asked")),
            "state": STATES[proposal.state],
        }
        for proposal in ws.proposals
        if proposal.session.startswith(mine)
    ]
    data: StatusData = {
        "version": __version__,
        "mode": mode,
        "roots": [{"name": root.name, "uri": root.uri} for root in ws.roots],
        "switches": dict(settings.switches),
        "rung": ws.reviewer.channel_for(None),
        "sessions": [
            {"session": name.removeprefix(mine), "mode": ws.sessions.mode_of(name, configured)}
            for name in ws.sessions.names()
            if name.startswith(mine)
        ],
        "pending": pending,
    }
    translate = exchange.translate
    if pending:
        text = translate(
            "Mode {mode}. One change is pending.",
            plural="Mode {mode}. {count} changes are pending.",
            count=len(pending),
            mode=mode,
        )
    else:
        text = translate("Mode {mode}. No changes are pending.", mode=mode)
    return exchange.succeed(data, text, {"time_ms": exchange.time_ms()})
