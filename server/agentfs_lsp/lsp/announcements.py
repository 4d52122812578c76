"""What a reviewing client is told without asking (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentfs_lsp.lsp.outgoing import Outgoing
    from agentfs_lsp.service.proposals import Outcome, Proposal
    from agentfs_lsp.service.workspace import Workspace


class Announcements:
    """`agentfs/statusChanged` and `agentfs/settled`. Nothing is sent before `begin`: the answer to
    `initialize` comes first, and other clients do not know these."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing
        self._begun = False

    def begin(self) -> None:
        """From here on the client is told."""
        self._begun = True

    def settled(self, proposal: Proposal, outcome: Outcome) -> None:
        """A proposal that was announced is over."""
        if self._begun and proposal.shown_at_ms is not None:
            self._outgoing.notify("agentfs/settled", {"id": proposal.id, "outcome": outcome})

    def status(self, ws: Workspace) -> None:
        """Something that a status line shows is another."""
        if not self._begun:
            return
        configured = ws.settings.approval.mode
        sessions = [
            {"session": name, "mode": ws.sessions.mode_of(name, configured)} for name in ws.sessions.names()
        ]
        status: dict[str, object] = {
            "mode": ws.sessions.mode_for_all(configured),
            "sessions": sessions,
            "switches": dict(ws.settings.switches),
            "pending": len(ws.proposals),
        }
        self._outgoing.notify("agentfs/statusChanged", status)
