"""Notes in the history what becomes of documents that a change left unsaved
(docs/protocol.md#11-history-and-undo).

Nothing waits for that: a document is looked at once it is saved or closed, for a day at most, and no longer
than until the next change of the file, because later saves contain that, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.record import Save
from agentfs_lsp.service.state.workspace import Workspace

WATCHED_MS = 24 * 3600 * 1000
MAX_WATCHED = 256
"""Limits of the watch, in milliseconds and in files; those that landed first are dropped first."""


def note_saves(ws: Workspace, change_id: str, landed: Sequence[tuple[FileChange, Landing]]) -> None:
    """Watch the documents that these landings left unsaved; end earlier watches of all their files."""
    for change, landing in landed:
        if (stop := ws.saves_awaited.pop(change.absolute, None)) is not None:
            stop()
        if landing.where == "editor":
            _watch(ws, change_id, landing.change)
    while len(ws.saves_awaited) > MAX_WATCHED:
        ws.saves_awaited.pop(next(iter(ws.saves_awaited)))()


def _watch(ws: Workspace, change_id: str, change: FileChange) -> None:
    absolute, location = change.absolute, change.base.location
    stat = change.base.blob.stat if change.base.blob else None
    until_ms = ws.clock.now_ms() + WATCHED_MS

    async def note(*, is_saved: bool) -> None:
        time_ms = ws.clock.date_ms()
        try:
            now = await ws.look_at_disk(location)
        except DomainError:
            return
        if is_saved and now.disk is not None:
            save = Save("saved", time_ms, now.disk.shown)
        elif not is_saved and stat == (now.blob.stat if now.blob else None):
            save = Save("closed", time_ms)
        else:  # somebody else wrote or removed it
            return
        ws.history.note_save(change_id, location.root.path, location.relative, save)

    def seen() -> None:
        document = ws.documents.at(absolute)
        is_saved = document is not None and document.as_saved
        if document is not None and not is_saved and ws.clock.now_ms() < until_ms:
            return
        stop()
        ws.saves_awaited.pop(absolute, None)
        if document is None or is_saved:
            ws.afterwards(note(is_saved=is_saved))

    stop = ws.documents.watch(absolute, seen)
    ws.saves_awaited[absolute] = stop
    seen()
