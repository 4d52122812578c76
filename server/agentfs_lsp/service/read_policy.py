"""Policy before a read: denied, allowed, or the user is asked (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from collections import Counter

from agentfs_lsp.domain.errors import PolicyDenied, ReadRejected, TooManyPending
from agentfs_lsp.service.files.store import Location
from agentfs_lsp.service.state.workspace import Workspace


def must_ask(ws: Workspace, path: str, location: Location, session: str) -> bool:
    """Whether the user is asked before the file is read. Raises PolicyDenied."""
    verdict = ws.judge("read", location, session)
    if verdict.decision == "deny":
        raise PolicyDenied(path, "read", verdict.rule or "")
    return verdict.decision == "ask"


async def ask(ws: Workspace, path: str, location: Location, session: str, agent: str) -> None:
    """Ask the user. Raises TooManyPending, ReadRejected, NobodyToAsk, ReviewTimedOut, and PolicyDenied."""
    limit = ws.settings.limits.pending_per_session
    if ws.reads_asked[session] >= limit:
        raise TooManyPending(limit, reads=True)
    ws.reads_asked[session] += 1
    try:
        if not await ws.reviewer.allow_read(path, agent):
            raise ReadRejected(path)
    finally:
        ws.reads_asked -= Counter((session,))  # drops what is zero
    must_ask(ws, path, location, session)  # the settings may have changed meanwhile
