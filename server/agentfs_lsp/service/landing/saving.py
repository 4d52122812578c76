"""Changes that are in the editor: saved where they are to be, and told as they stand
(docs/protocol.md#93-how-it-lands)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import DomainError, LandingUnknown, NotLanded
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.domain.text.lines import normalise
from agentfs_lsp.service.landing.observing import holds_all
from agentfs_lsp.service.landing.precondition import preview_between
from agentfs_lsp.service.proposal.change import Landing
from agentfs_lsp.service.state.workspace import off_loop

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.landing.observing import Observation
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.review import Applier
    from agentfs_lsp.service.state.workspace import Workspace


async def keep_as_it_stands(
    ws: Workspace, observations: Sequence[Observation], applier: Applier
) -> list[Landing | DomainError]:
    """Have the documents saved that were clean, and look at each: a landing; NotLanded where neither disk nor
    document holds all of it any more, LandingUnknown where nobody can look."""
    deadline = asyncio.get_running_loop().time() + ws.settings.save_timeout_s
    expected = await _asked_to_save([one.change for one in observations], applier, deadline)
    outcomes: list[Landing | DomainError] = []
    for observation in observations:
        change = observation.change
        try:
            saved = None
            if change.base.buffer is not None and change.base.buffer.uri in expected:
                saved = await _saved(ws, observation, deadline)
            outcomes.append(await _as_it_stands(ws, observation, saved))
        except DomainError:
            outcomes.append(LandingUnknown(change.path, "changed_otherwise"))
    return outcomes


async def _asked_to_save(changes: Sequence[FileChange], applier: Applier, deadline: float) -> Collection[str]:
    """Tell the client that the change stands, and what to save; of which documents a save can be expected."""
    save = [
        change.base.buffer.uri
        for change in changes
        if change.base.buffer is not None
        and {"always": True, "never": False}.get(change.settings.save, not change.base.dirty)
    ]
    if not (save and applier.saves):
        await applier.committed(())
        return ()
    try:
        async with asyncio.timeout_at(deadline):
            return await applier.committed(save)
    except TimeoutError:
        return ()


async def _saved(ws: Workspace, observation: Observation, deadline: float) -> Snapshot | None:
    """The file once the disk holds the change. None: it waits unsaved."""
    change = observation.change
    try:
        async with asyncio.timeout_at(deadline):
            while True:
                observation.expect_more()
                now = await ws.look(change.base.location)
                if _is_saved(now, change) or _has_nothing_to_save(now, change):
                    return now
                if now.buffer is None:
                    return None
                await observation.more()
    except TimeoutError:
        return None


def _has_nothing_to_save(now: Snapshot, change: FileChange) -> bool:
    """Whether an editor that was told to save finds the document as it is on disk, and tells of no save."""
    is_on_disk = now.disk is not None and normalise(now.disk.shown) == normalise(change.shown)
    return change.changes_nothing and now.buffer is not None and is_on_disk


def _is_saved(now: Snapshot, change: FileChange) -> bool:
    """Whether the disk holds all that was accepted, whatever the user typed beside it; or what the editor
    told that it saved, a formatter's work included, and is past the base: a save from before the edit
    arrived says nothing, and what another program wrote and the document was loaded from again is no save. Of
    a document that was closed the disk alone tells.

    Where the session may not see the file, only a save tells, never that the disk reads like what was
    accepted: it may have read so all the time (docs/protocol.md#13-settings-and-policy)."""
    if now.blob is None or now.disk is None:
        return False
    base = change.base.blob
    is_past_base = base is None or now.blob.stat.mtime_ms != base.stat.mtime_ms or now.blob.data != base.data
    told = now.buffer is None or now.buffer.as_saved
    if not change.access.seen and not (is_past_base and told):
        return False
    if normalise(now.disk.shown) == normalise(change.shown):
        return True
    if now.dirty:
        return False
    if now.buffer is None or not now.buffer.as_saved:
        return holds_all(change, now.disk.shown)
    return is_past_base


async def _as_it_stands(
    ws: Workspace, observation: Observation, saved: Snapshot | None
) -> Landing | NotLanded:
    """NotLanded: the document was closed, or the user has undone the change or typed over it. Whether some of
    it is left is looked at behind that."""
    change = observation.change
    now = saved or await ws.look(change.base.location)
    if saved or _is_saved(now, change):
        assert now.disk is not None
        size = max(now.size, change.base.size)
        left = await off_loop(size, observation.is_saved_in, now.disk.shown)
        return _on_disk(change, now) if left else NotLanded(change.path, "undone")
    if now.buffer is None:
        return NotLanded(change.path, "closed")
    if normalise(now.text.shown) == normalise(change.shown):
        return Landing(change, "editor", now.revision, now.text.shown)
    if not holds_all(change, now.text.shown):
        return NotLanded(change.path, "undone")
    # The user has typed elsewhere: the agent knows what was accepted, no more.
    stat = now.blob.stat if now.blob else None
    revision = Expected(stat.mtime_ms if stat else None, stat.size if stat else None, change.proposed_hash)
    return Landing(change, "editor", revision, change.shown)


def _on_disk(change: FileChange, now: Snapshot) -> Landing:
    assert now.blob is not None
    assert now.disk is not None
    accepted, saved = normalise(change.shown), normalise(now.disk.shown)
    if change.base.ended_by_save and saved == f"{accepted}\n":
        accepted = saved  # nothing that it did not do to the base
    stat = now.blob.stat
    return Landing(
        change,
        "disk",
        Expected(stat.mtime_ms, stat.size, hash_bytes(now.blob.data)),
        now.disk.shown,
        bytes_written=stat.size,
        on_save=preview_between(change.path, accepted, saved, change.settings) if saved != accepted else None,
    )
