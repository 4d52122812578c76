"""An accepted change in an open document: the client applies it, perhaps saves it
(docs/protocol.md#93-how-it-lands).

The client's word is not taken for anything: buffer and disk are looked at, and what is seen is answered. The
text sync and the disk may both lag behind what the client says.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import DomainError, LandingUnknown, NotLanded
from agentfs_lsp.domain.lines import normalise
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.service.change import Landing
from agentfs_lsp.service.lock import check_unmoved, preview_between
from agentfs_lsp.service.observing import Observation
from agentfs_lsp.service.ports import DocumentEdit

if TYPE_CHECKING:
    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.ports import Hand
    from agentfs_lsp.service.present import Buffer, Present
    from agentfs_lsp.service.workspace import Workspace


async def land_in_editor(ws: Workspace, change: FileChange, buffer: Buffer, hand: Hand) -> Landing:
    """Hand the change to the client. Raises Conflict, NotLanded, LandingUnknown."""
    edit = DocumentEdit(buffer.uri, buffer.version, buffer.text, change.hunks)
    with Observation(ws.documents, change) as observation:
        try:
            async with asyncio.timeout(ws.settings.landing_timeout_s):
                applied = await hand.apply([edit])
                if not applied.applied and applied.known and not observation.arrived:
                    raise await _not_there(ws, change, NotLanded(change.path, "refused", applied.reason))
                await observation.arrival()
        except TimeoutError:
            await _judge_silence(ws, change, observation, NotLanded(change.path, "late"))
        return await _keep(ws, change, hand, observation)


async def find_in_editor(ws: Workspace, change: FileChange, hand: Hand) -> Landing:
    """The editor asked and applied by itself: the document tells what of it. Raises as `land_in_editor`."""
    with Observation(ws.documents, change) as observation:
        try:
            async with asyncio.timeout(ws.settings.landing_timeout_s):
                part = await observation.any_of_it()
        except TimeoutError:
            part = None
            await _judge_silence(ws, change, observation, NotLanded(change.path, "unchanged"))
        if part is not None:
            change = change.amended(part)
        return await _keep(ws, change, hand, observation)


# --- has it arrived? --------------------------------------------------------------------------------------


async def _judge_silence(
    ws: Workspace, change: FileChange, observation: Observation, late: NotLanded
) -> None:
    """The time is over; passes where the change is there all the same."""
    if observation.arrived or observation.holds_all:
        return
    if not observation.left_alone:
        raise LandingUnknown(change.path, "changed_otherwise")
    now = await ws.look(change.base.location)
    if now.disk is None or normalise(now.disk.shown) != normalise(change.shown):
        raise await _not_there(ws, change, late)


async def _not_there(ws: Workspace, change: FileChange, otherwise: NotLanded) -> DomainError:
    """Why the change is not there: because the file moved, if it did."""
    now = await ws.look(change.base.location)
    check_unmoved(change.path, change.base, now, ws.settings)
    return otherwise


# --- is it saved? -----------------------------------------------------------------------------------------


async def _keep(ws: Workspace, change: FileChange, hand: Hand, observation: Observation) -> Landing:
    """The change is in the editor; what goes wrong from here on does not take it back."""
    try:
        saved = await _saved(ws, change, hand, observation)
        return await _as_it_stands(ws, change, saved)
    except LandingUnknown:
        raise
    except DomainError as error:
        raise LandingUnknown(change.path, "changed_otherwise") from error


async def _saved(ws: Workspace, change: FileChange, hand: Hand, observation: Observation) -> Present | None:
    """Have the document saved if it was clean, and wait for the disk to hold it. None: it waits unsaved."""
    wanted = {"always": True, "never": False}.get(ws.settings.save, not change.base.dirty)
    buffer = change.base.buffer
    if buffer is None or not (wanted and hand.saves):
        await hand.committed(())
        return None
    try:
        async with asyncio.timeout(ws.settings.save_timeout_s):
            if not await hand.committed([buffer.uri]):
                return None
            while True:
                observation.expect_more()
                now = await ws.look(change.base.location)
                if _is_saved(now, change):
                    return now
                await observation.more()
    except TimeoutError:
        return None


def _is_saved(now: Present, change: FileChange) -> bool:
    """Whether the disk holds what was accepted; or what the document reads, a formatter's work included, and
    is past the base: a save from before the edit arrived says nothing."""
    if now.blob is None or now.disk is None:
        return False
    if normalise(now.disk.shown) == normalise(change.shown):
        return True
    if now.buffer is None or now.dirty:
        return False
    base = change.base.blob
    return base is None or now.blob.stat.mtime_ms != base.stat.mtime_ms or now.blob.data != base.data


async def _as_it_stands(ws: Workspace, change: FileChange, saved: Present | None) -> Landing:
    now = saved or await ws.look(change.base.location)
    if saved or _is_saved(now, change):
        return _on_disk(ws, change, now)
    if now.buffer is None:
        raise LandingUnknown(change.path, "closed")
    if normalise(now.text.shown) == normalise(change.shown):
        return Landing(change, "editor", now.revision, now.text.shown)
    # The user has typed on: the agent knows what was accepted, no more.
    stat = now.blob.stat if now.blob else None
    accepted = hash_bytes(change.proposed_bytes)
    revision = Expected(stat.mtime_ms if stat else None, stat.size if stat else None, accepted)
    return Landing(change, "editor", revision, change.shown)


def _on_disk(ws: Workspace, change: FileChange, now: Present) -> Landing:
    assert now.blob is not None
    assert now.disk is not None
    accepted, saved = normalise(change.shown), normalise(now.disk.shown)
    stat = now.blob.stat
    return Landing(
        change,
        "disk",
        Expected(stat.mtime_ms, stat.size, hash_bytes(now.blob.data)),
        now.disk.shown,
        bytes_written=stat.size,
        on_save=preview_between(change.path, accepted, saved, ws.settings) if saved != accepted else None,
    )
