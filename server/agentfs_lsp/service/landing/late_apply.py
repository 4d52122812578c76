"""Detect a preview that the user applies after it was withdrawn or timed out. Nobody approves it any more; it
is the user's own edit, and history records it as such (docs/protocol.md#11-history-and-undo).

Some editors leave the preview open when the request is cancelled.
"""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING

from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing.observing import Observation
from agentfs_lsp.service.proposal.change import Landing

if TYPE_CHECKING:
    from agentfs_lsp.service.proposal.proposal import Proposal
    from agentfs_lsp.service.state.workspace import Workspace

WATCHED_S = 3600
MAX_WATCHED = 16
"""Limits of the watch, in seconds and in proposals: each keeps its texts in memory."""


async def watch_for_late(ws: Workspace, proposal: Proposal) -> None:
    """Wait for the withdrawn change to appear in its documents, whole or in part, and add it to history. If
    another change of one of its files is pending, that one gets the credit."""
    if ws.late_watched >= MAX_WATCHED:
        return
    ws.late_watched += 1
    try:
        parts = await _wait_for_parts(ws, proposal)
    finally:
        ws.late_watched -= 1
    if parts is None or any(proposal.files.keys() & other.files.keys() for other in ws.proposals):
        return
    arrived = [
        change if part is None else change.amended(part)
        for change, part in zip(proposal.changes, parts, strict=True)
    ]
    landed = [
        (change, Landing.unsaved(final)) for change, final in zip(proposal.changes, arrived, strict=True)
    ]
    keep(ws, proposal, "withdrawn", "user", landed)


async def _wait_for_parts(ws: Workspace, proposal: Proposal) -> list[str | None] | None:
    """Per change, the text that holds part of it, or None for all of it. None if not every file shows some in
    time."""
    with ExitStack() as watching:
        observed = [watching.enter_context(Observation(ws.documents, one)) for one in proposal.changes]
        try:
            async with asyncio.timeout(WATCHED_S):
                return [await one.any_of_it() for one in observed]
        except TimeoutError:
            return None
