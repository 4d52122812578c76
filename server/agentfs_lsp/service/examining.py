"""Looks into what changes put into files before they are proposed: for secrets and for syntax errors."""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.service.diagnosing import diagnosed
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.scanning import scanned
from agentfs_lsp.service.state.workspace import Workspace


async def examined(ws: Workspace, session: str, changes: Sequence[FileChange]) -> Sequence[FileChange]:
    """The changes of a session with what was found in them."""
    return await diagnosed(ws, await scanned(ws, session, changes))
