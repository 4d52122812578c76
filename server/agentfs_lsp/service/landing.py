"""An accepted change lands: recheck the base, land, look, refresh the lock (docs/protocol.md#93-how-it-lands).

What was accepted lands, or nothing does. The client's word is not taken for it: buffer and disk are looked at.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.errors import Conflict, LandingUnknown, NotLanded
from agentfs_lsp.domain.lines import normalise
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.decoding import Digest
from agentfs_lsp.service.lock import check_unmoved, preview_between
from agentfs_lsp.service.observing import Observation
from agentfs_lsp.service.ports import DocumentEdit
from agentfs_lsp.service.workspace import in_thread

if TYPE_CHECKING:
    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.ports import Hand, Landed
    from agentfs_lsp.service.present import Buffer, Present
    from agentfs_lsp.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Landing:
    """How a change landed. `revision` is what the file now is, and `text` what it reads, None for just what
    `change` makes it; `on_save` is the diff from what was accepted to what the editor saved, if it differs."""

    change: FileChange
    where: Literal["disk", "editor"]
    revision: Expected
    text: str | None = None
    bytes_written: int = 0
    hard_links: int = 0
    created_dirs: tuple[str, ...] = ()
    on_save: str | None = None


async def land(ws: Workspace, change: FileChange, hand: Hand) -> Landing:
    """Bring the change to its file. Raises Conflict, NotLanded, LandingUnknown and what the disk raises;
    but for LandingUnknown nothing changed then."""
    if hand.applied_already:
        return await _find_in_editor(ws, change, hand)
    if change.base.buffer is not None or ws.documents.at(change.base.location.absolute) is not None:
        now = await ws.look(change.base.location)
        check_unmoved(change.path, change.base, now, ws.settings)
        change = change.onto(now)
    if change.base.buffer is not None:
        return await _land_in_editor(ws, change, change.base.buffer, hand)
    landing = await _land_on_disk(ws, change)
    await hand.committed(())
    return landing


# --- closed files: the server writes ----------------------------------------------------------------------


async def _land_on_disk(ws: Workspace, change: FileChange) -> Landing:
    try:
        landed, digest = await in_thread(_write, ws, change)
    except Conflict as conflict:
        raise await _explained(ws, change, conflict) from conflict
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


# --- open documents: the client applies -------------------------------------------------------------------


async def _land_in_editor(ws: Workspace, change: FileChange, buffer: Buffer, hand: Hand) -> Landing:
    edit = DocumentEdit(buffer.uri, buffer.version, buffer.text, change.hunks)
    with Observation(ws.documents, change) as observation:
        try:
            async with asyncio.timeout(ws.settings.landing_timeout_s):
                applied = await hand.apply([edit])
                if not applied.applied and applied.answered:
                    await _refused(ws, change, observation, applied.reason)
                await observation.arrival()
        except TimeoutError:
            await _judge_silence(ws, change, observation)
        return await _save(ws, change, hand, observation)


async def _refused(ws: Workspace, change: FileChange, observation: Observation, reason: str) -> None:
    """The client says that it applied nothing. Believed only if the buffer agrees."""
    if observation.arrived:
        return
    now = await ws.look(change.base.location)
    check_unmoved(change.path, change.base, now, ws.settings)
    raise NotLanded(change.path, reason or "the editor did not apply it")


async def _judge_silence(ws: Workspace, change: FileChange, observation: Observation) -> None:
    """The time is over: what is seen is what counts."""
    if observation.arrived:
        return
    if not observation.moved:
        raise NotLanded(change.path, "the editor did not apply it in time")
    if observation.left_alone:
        raise await _explained(ws, change, Conflict(change.path, "editor", "reviewing"))
    raise LandingUnknown(change.path, "the document changed in another way while the edit was applied")


async def _save(ws: Workspace, change: FileChange, hand: Hand, observation: Observation) -> Landing:
    """Have a clean document saved again, or leave it as it stands in the editor."""
    wanted = {"always": True, "never": False}.get(ws.settings.save, not change.base.dirty)
    buffer = change.base.buffer
    assert buffer is not None
    saved = False
    if wanted and hand.saves:
        try:
            async with asyncio.timeout(ws.settings.save_timeout_s):
                await hand.committed([buffer.uri])
                saved = await _is_saved(ws, change, observation)
        except TimeoutError:
            saved = False
    else:
        await hand.committed(())
    return await _as_it_stands(ws, change, saved=saved)


async def _is_saved(ws: Workspace, change: FileChange, observation: Observation) -> bool:
    """Wait until the disk's text equals the buffer's; the time limit is the caller's."""
    while True:
        observation.expect_more()
        now = await ws.look(change.base.location)
        if now.blob is not None and not now.dirty and _holds(now, change):
            return True
        await observation.more()


def _holds(now: Present, change: FileChange) -> bool:
    """Whether the disk is past the base: a document saved before the edit arrived is not saved after it."""
    before = change.base.blob.data if change.base.blob else None
    return now.blob is not None and now.blob.data != before


async def _as_it_stands(ws: Workspace, change: FileChange, *, saved: bool) -> Landing:
    now = await ws.look(change.base.location)
    saved = saved or (not now.dirty and _holds(now, change))
    accepted, present = normalise(change.shown), now.text.shown
    on_save = None
    if saved and normalise(present) != accepted:
        on_save = preview_between(change.path, accepted, normalise(present), ws.settings)
    return Landing(
        change,
        "disk" if saved else "editor",
        now.revision,
        present,
        bytes_written=now.blob.stat.size if saved and now.blob else 0,
        on_save=on_save,
    )


# --- the editor asked and applied by itself ---------------------------------------------------------------


async def _find_in_editor(ws: Workspace, change: FileChange, hand: Hand) -> Landing:
    """A Refactor Preview was confirmed: the document tells what of it (docs/protocol.md#9)."""
    with Observation(ws.documents, change) as observation:
        try:
            async with asyncio.timeout(ws.settings.landing_timeout_s):
                await observation.any_move()
        except TimeoutError:
            now = await ws.look(change.base.location)
            check_unmoved(change.path, change.base, now, ws.settings)
            raise NotLanded(change.path, "the editor says it applied the change, but nothing changed") from None
        if not observation.arrived:
            buffer = ws.buffer_of(change.base.location)
            assert buffer is not None
            change = change.amended(buffer.text)
        return await _save(ws, change, hand, observation)
