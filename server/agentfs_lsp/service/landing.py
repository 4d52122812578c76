"""An accepted change lands: on disk, or in the editor where the file is open
(docs/protocol.md#93-how-it-lands).

What was accepted lands on what it was accepted for, or nothing does. Open documents are
`landing_in_editor.py`'s.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import Conflict
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.change import Landing
from agentfs_lsp.service.decoding import Digest
from agentfs_lsp.service.landing_in_editor import find_in_editor, land_in_editor
from agentfs_lsp.service.lock import check_unmoved
from agentfs_lsp.service.workspace import INLINE_BYTES, in_thread

if TYPE_CHECKING:
    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.ports import Hand, Landed
    from agentfs_lsp.service.workspace import Workspace


async def land(ws: Workspace, change: FileChange, hand: Hand) -> Landing:
    """Bring the change to its file. Raises Conflict, NotLanded, LandingUnknown and what the disk raises;
    but for LandingUnknown nothing changed then."""
    if hand.applied_already:
        return await find_in_editor(ws, change, hand)
    if change.base.buffer is not None or ws.documents.at(change.base.location.absolute) is not None:
        now = await ws.look(change.base.location)
        check_unmoved(change.path, change.base, now, ws.settings)
        change = change.onto(now)
    if change.base.buffer is not None:
        return await land_in_editor(ws, change, change.base.buffer, hand)
    landing = await _land_on_disk(ws, change)
    await hand.committed(())
    return landing


async def _land_on_disk(ws: Workspace, change: FileChange) -> Landing:
    describing = None
    if change.base.size > INLINE_BYTES:  # while the disk is waited for
        describing = asyncio.ensure_future(in_thread(change.describe))
    try:
        landed, digest = await in_thread(_write, ws, change)
    except Conflict as conflict:
        raise await _explained(ws, change, conflict) from conflict
    finally:
        if describing is not None:
            await asyncio.wait([describing])
    return Landing(
        change,
        "disk",
        Expected(landed.stat.mtime_ms, landed.stat.size, digest),
        bytes_written=len(change.proposed_bytes),
        hard_links=landed.hard_links,
        created_dirs=landed.created_dirs,
    )


def _write(ws: Workspace, change: FileChange) -> tuple[Landed, str]:
    location, data = change.base.location, change.proposed_bytes
    digest = Digest(data)  # while the disk is waited for
    staged = ws.files.stage(location, data, change.base.blob, change.create_dirs)
    try:
        landed = staged.commit()
    except BaseException:
        staged.discard()
        raise
    return landed, digest.text


async def _explained(ws: Workspace, change: FileChange, conflict: Conflict) -> Conflict:
    """The disk's bare "it moved", with what it is now and how it differs."""
    now = await ws.look(change.base.location)
    try:
        check_unmoved(change.path, change.base, now, ws.settings)
    except Conflict as told:
        return told
    return conflict
