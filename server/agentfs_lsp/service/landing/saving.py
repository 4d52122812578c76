"""Save applied changes where required, and report what disk and document hold
(docs/protocol.md#93-how-it-lands)."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from agentfs_lsp.domain.errors import DomainError, LandingUnknown, NotLanded
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.domain.text.byte_order_mark import marked_like, reads_same
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.landing.holding import holds_all
from agentfs_lsp.service.landing.observing import Observation, is_written
from agentfs_lsp.service.landing.precondition import preview_between
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.review import Applier
from agentfs_lsp.service.state.workspace import Workspace, off_loop


async def save_and_check(
    ws: Workspace, observations: Sequence[Observation], applier: Applier
) -> list[Landing | DomainError]:
    """Have documents saved that were clean before, and check each file. A file yields a Landing, NotLanded if
    neither disk nor document holds the whole change any more, or LandingUnknown if it can't be checked. A
    blind change has landed once it has arrived: only a wrong guess needs a save, and may be undone by it."""
    deadline = asyncio.get_running_loop().time() + ws.settings.save_timeout_s
    expected = await _ask_to_save([one.change for one in observations], applier, deadline)
    outcomes: list[Landing | DomainError] = []
    for observation in observations:
        change = observation.change
        outcome: Landing | DomainError
        try:
            saved = None
            if change.uri in expected and not change.is_blind:
                saved = await _wait_until_saved(ws, observation, deadline)
            outcome = await _current_outcome(ws, observation, saved)
        except DomainError:
            outcome = LandingUnknown(change.path, "changed_otherwise")
        if change.is_blind and isinstance(outcome, DomainError):
            outcome = Landing.unsaved(change)
        outcomes.append(outcome)
    return outcomes


async def _ask_to_save(changes: Sequence[FileChange], applier: Applier, deadline: float) -> Collection[str]:
    """Tell the client that the change stands and what to save. Return the URIs whose save can be expected."""
    save = [
        change.uri
        for change in changes
        if change.uri is not None
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


async def _wait_until_saved(ws: Workspace, observation: Observation, deadline: float) -> Snapshot | None:
    """The file once the disk holds the change; None if it stays unsaved."""
    change = observation.change
    try:
        async with asyncio.timeout_at(deadline):
            while True:
                observation.expect_more()
                now = await ws.look(change.base.location, change.uri)
                if await off_loop(now.size, _is_saved, now, change):
                    return now
                if now.buffer is None:
                    return None
                await observation.more()
    except TimeoutError:
        return None


def _is_saved(now: Snapshot, change: FileChange) -> bool:
    """Whether the disk holds all of the accepted text, with any edits elsewhere, or a save by the editor that
    is newer than the base, formatters included. A save from before the edit proves nothing, nor does another
    program's write that the document was reloaded from. For a closed document only the disk counts, which may
    have held the accepted text all along, below unsaved text."""
    if now.blob is None or now.disk is None or (now.buffer is None and not is_written(now, change)):
        return False
    if reads_same(now.disk.shown, change.shown):
        return True
    if now.dirty:  # the user may have typed on since the save
        return is_written(now, change) and holds_all(change, now.disk.shown)
    if now.buffer is None or not now.buffer.as_saved:
        return holds_all(change, now.disk.shown)
    return is_written(now, change)


async def _current_outcome(
    ws: Workspace, observation: Observation, saved: Snapshot | None
) -> Landing | NotLanded:
    """The landing; NotLanded if the document was closed or the user undid the change or typed over it. The
    caller checks whether part of it remains."""
    change = observation.change
    now = saved or await ws.look(change.base.location, change.uri)
    if saved is not None or await off_loop(now.size, _is_saved, now, change):
        assert now.disk is not None
        size = max(now.size, change.base.size)
        left = await off_loop(size, observation.is_saved_in, now.disk.shown)
        return _on_disk(change, now) if left else NotLanded(change.path, "undone")
    if now.buffer is None:
        return NotLanded(change.path, "closed")
    if normalize(change.shown) in (normalize(now.text.shown), normalize(now.buffer.text)):
        return Landing(change, "editor", now.revision, now.text.shown)
    if not holds_all(change, now.text.shown):
        return NotLanded(change.path, "undone")
    # The user has typed elsewhere; the agent learns only what was accepted.
    return Landing.unsaved(change, now.blob.stat if now.blob else None)


def _on_disk(change: FileChange, now: Snapshot) -> Landing:
    assert now.blob is not None
    assert now.disk is not None
    text = marked_like(change.shown, now.disk.shown)
    accepted, saved = normalize(change.shown), normalize(text)
    if change.base.ended_by_save and saved == f"{accepted}\n":
        accepted = saved  # a line end that the change did not add
    stat = now.blob.stat
    return Landing(
        change,
        "disk",
        Expected(stat.mtime_ms, stat.size, hash_bytes(now.blob.data)),
        text,
        bytes_written=stat.size,
        on_save=preview_between(change.path, accepted, saved, change.settings) if saved != accepted else None,
    )
