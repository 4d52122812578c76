"""Detect changes that the editor applies, or reports, after the agent has its answer, and record them
(docs/protocol.md#11-history-and-undo).

Some editors leave a preview open when the request is cancelled, and slow ones apply it file by file: that is
the user's own edit, which nobody approves any more. Others apply an approved edit only once the user has
answered something, or report it only with the next key.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing.observing import Observation, previewed
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from agentfs_lsp.service.state.workspace import Workspace

WATCHED_S = 3600
MAX_WATCHED = 16
"""Limits of the watch, in seconds and in proposals: each keeps its texts in memory."""


async def watch_for_late(
    ws: Workspace,
    proposal: Proposal,
    changes: Sequence[FileChange],
    limit_s: float,
    decision: Decision | None = None,
) -> None:
    """Wait for these changes of the proposal to appear in their documents, whole or in part, and add those
    that do to history. `decision`: they were approved, may come one by one, and let no other change of their
    documents land until the client reports the next version."""
    if ws.late_watched >= MAX_WATCHED:
        return
    ws.late_watched += 1
    ws.unreported.update(change.absolute for change in changes if decision)
    try:
        with ExitStack() as watching:
            observed = [watching.enter_context(Observation(ws.documents, one)) for one in changes]
            applied = await previewed([_applied(ws, one, decision) for one in observed], limit_s)
    finally:
        ws.late_watched -= 1
        rest = [change for change in changes if decision and change.absolute in ws.unreported]
        ws.unreported.difference_update(change.absolute for change in rest)
    landed = [
        (change, Landing.unsaved(final)) for change, final in zip(changes, applied, strict=True) if final
    ]
    by = decision.by if decision else "user"
    keep(ws, proposal, decision.decision if decision else "withdrawn", by, landed)
    if 0 < len(rest) < len(changes):
        await watch_for_late(ws, proposal, rest, limit_s, decision)


async def _applied(ws: Workspace, observation: Observation, decision: Decision | None) -> FileChange | None:
    """The change as the editor applied it. None if its text may come from another change of the file, which
    is landing, or from the disk: whoever opens a file that holds the change applies nothing."""
    if decision:
        change = await observation.next_report()
        ws.unreported.discard(observation.change.absolute)
    else:
        change = await observation.any_of_it()
    if change is None:
        return None
    for other in ws.proposals:
        lands = other.decision is not None or ws.reviewer.applies_itself(other)
        if lands and change.absolute in other.files:
            return None
    try:
        now = await ws.look(change.base.location)
    except DomainError:
        return None
    return change if now.dirty or (now.buffer is not None and now.buffer.as_saved) else None
