"""Notifications to clients that know agentfs (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentfs_lsp.adapters.review.attached import AttachedReviewer
from agentfs_lsp.lsp.capabilities import ClientCapabilities
from agentfs_lsp.lsp.outgoing import Outgoing
from agentfs_lsp.lsp.results import Settled, Status
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.state.tool_scope import file_scopes
from agentfs_lsp.service.state.workspace import Workspace


class Announcements:
    """Sends `agentfs/statusChanged`, `agentfs/toolsChanged`, and `agentfs/settled`. The first two are not
    sent before `begin`, because the response to `initialize` comes first. Clients that do not know a
    notification do not get it, because some warn their users about unknown ones. `reviews`: whether this one
    shows reviews; those `attached` are told, too."""

    def __init__(
        self,
        outgoing: Outgoing,
        workspace: Workspace,
        attached: Iterable[AttachedReviewer],
        reviews: Callable[[], bool],
    ) -> None:
        self._outgoing = outgoing
        self._ws = workspace
        self._attached = attached
        self._reviews = reviews
        self._begun = False
        self._catalog: object = None

    def begin(self, client: ClientCapabilities) -> None:
        """Start sending notifications."""
        self._begun = client.knows_agentfs
        self._catalog = self._listed()

    def settled(self, proposal: Proposal) -> None:
        """A proposal has ended. A review client is notified whether or not it has sent `initialized`."""
        if proposal.channel != "review":
            return
        if self._reviews():
            self._outgoing.notify("agentfs/settled", settled_on_wire(proposal))
        for reviewer in self._attached:
            reviewer.settled(proposal)

    def status(self) -> None:
        """Something that a status line shows has changed."""
        if not self._begun:
            return
        ws = self._ws
        configured = ws.settings.approval.mode
        status: Status = {
            "mode": ws.sessions.mode_for_all(configured),
            "sessions": [
                {"session": name, "mode": ws.sessions.mode_of(name, configured)}
                for name in ws.sessions.names()
            ],
            "switches": dict(ws.settings.switches),
            "pending": len(ws.proposals),
            "agents": len(ws.outside),
        }
        self._outgoing.notify("agentfs/statusChanged", status)

    def tools(self) -> None:
        """The settings or the folders have changed: notify the client if this changes the catalog."""
        if not self._begun:
            return
        before, self._catalog = self._catalog, self._listed()
        if before != self._catalog:
            self._outgoing.notify("agentfs/toolsChanged", {})

    def _listed(self) -> object:
        """The inputs of definitions and guidance, in any dialect."""
        return file_scopes(self._ws), [(root.name, root.path) for root in self._ws.roots]


def settled_on_wire(proposal: Proposal) -> Settled:
    """The params of `agentfs/settled`."""
    settled: Settled = {"id": proposal.id, "outcome": proposal.outcome}
    if proposal.outcome == "withdrawn":
        settled["reason"] = proposal.why_withdrawn.reason
    if len(set(proposal.file_outcomes)) > 1:
        ended = zip(proposal.changes, proposal.file_outcomes, strict=True)
        settled["files"] = [{"path": change.path, "outcome": outcome} for change, outcome in ended]
    return settled
