"""Revert on disk a failed change whose document was saved and closed meanwhile
(docs/protocol.md#10-agentfsbatch).

Only if the file holds exactly the accepted text and no document is open.
"""

from __future__ import annotations

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.text.textfile import encode
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.files.store import Draft, FileStore
from agentfs_lsp.service.proposal.change import FileChange, reads_same
from agentfs_lsp.service.state.workspace import Workspace, in_thread


async def put_back(ws: Workspace, change: FileChange) -> None:
    """Restore the file's text from before the change, including the user's unsaved edits, unless the file
    holds anything but the accepted text. Never raises; the caller checks whether the change is gone."""
    location = change.base.location
    try:
        if ws.documents.at(location.absolute) is not None:
            return
        now = await ws.look(location)
        if now.buffer is not None or now.disk is None:
            return
        if not reads_same(now.disk.shown, change.shown) or _is_base(now, change.base):
            return
        draft = Draft(location, (_bytes_before(change.base),), now.blob, create_dirs=False)
        await in_thread(_write, ws.files, draft)
    except DomainError:
        return


def _is_base(now: Snapshot, base: Snapshot) -> bool:
    return base.blob is not None and now.blob is not None and now.blob.data == base.blob.data


def _bytes_before(base: Snapshot) -> bytes:
    """Raises Unencodable."""
    if base.blob is not None and not base.dirty:
        return base.blob.data
    return encode(base.text.text, base.text)


def _write(files: FileStore, draft: Draft) -> None:
    staged = files.stage([draft])
    try:
        staged.commit()
    except BaseException:
        staged.discard()
        raise
