"""Land an accepted change: on disk, or in the editor if the file is open (docs/protocol.md#93-how-it-lands).

A change lands only on the content it was accepted for. Several files land all or none, or one by one if
requested (docs/protocol.md#10-agentfsbatch). `in_editor.py` handles open documents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    LeftUndone,
    OutsideRoots,
    error_file,
)
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.files.store import Draft, Landed, Staged
from agentfs_lsp.service.landing.in_editor import InEditor, find_in_editor
from agentfs_lsp.service.landing.observing import Watch
from agentfs_lsp.service.landing.precondition import look_unmoved, not_opened
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.review import Applier
from agentfs_lsp.service.state.workspace import INLINE_BYTES, Workspace, in_thread, off_loop

FileOutcome = Landing | DomainError
"""The result for one file."""


async def land(
    ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch
) -> list[FileOutcome]:
    """Land the changes, all or none. Raises Conflict, NotLanded, LandingUnknown and what the disk raises.
    `watch` observes everything handed over and tells what is there after a failure. An outcome that is an
    error belongs to a file that was applied and then lost track of.

    Order: stage the closed files, have the client apply the open ones, commit the closed, save the open. A
    failure before the commit discards the staged files and rolls back the applied ones."""
    if applier.applied_already:
        return await find_in_editor(ws, changes, applier, watch, all_or_none=True)
    changes = [await _rebased(ws, change) for change in changes]
    opened = [change for change in changes if lands_in_editor(change)]
    closed = [change for change in changes if not lands_in_editor(change)]
    if not opened:
        try:
            landed = await _commit(ws, closed, None, watch)
        except Conflict as conflict:
            if conflict.reason != "opened":
                raise
            return await land(ws, changes, applier, watch)  # nothing has been handed over yet
        await applier.committed(())
        return list(landed)
    staged = None
    if closed:
        with _reporting_new_links(ws, closed):
            staged = await in_thread(lambda: ws.files.stage(_drafts(closed)))
    in_editor = InEditor(ws, opened, applier, watch)
    try:
        await in_editor.apply()
        landed = await _commit(ws, closed, staged, watch) if staged else []
    except DomainError as error:
        if staged:
            await in_thread(staged.discard)
        await in_editor.roll_back(error)
        raise
    kept = await in_editor.keep()
    files = (change.absolute for change in (*closed, *opened))
    by_file = dict(zip(files, (*landed, *kept), strict=True))
    return [by_file[change.absolute] for change in changes]


async def land_each(
    ws: Workspace,
    changes: Sequence[FileChange],
    applier: Applier,
    watch: Watch,
    is_stopped: Callable[[], bool],
) -> list[FileOutcome]:
    """Land each change independently: open files first, then closed ones in order until `is_stopped`.
    Failures are outcomes, never raised."""
    if applier.applied_already:
        return await find_in_editor(ws, changes, applier, watch, all_or_none=False)
    outcomes: dict[int, FileOutcome] = {}
    opened: list[tuple[int, FileChange]] = []
    closed: list[tuple[int, FileChange]] = []
    for number, change in enumerate(changes):
        try:
            there = await _rebased(ws, change)
        except DomainError as error:
            outcomes[number] = error
        else:
            (opened if lands_in_editor(there) else closed).append((number, there))
    in_editor = InEditor(ws, [change for _, change in opened], applier, watch)
    await in_editor.apply_each()
    for number, change in closed:
        try:
            if is_stopped():
                raise LeftUndone(change.path, "cancelled")
            (outcomes[number],) = await _commit(ws, [change], None, watch)
        except DomainError as error:
            outcomes[number] = error
    landed = any(isinstance(outcome, Landing) for outcome in outcomes.values())
    stands = landed or in_editor.anything_arrived
    kept = await in_editor.keep() if stands else in_editor.failures()
    outcomes |= {number: outcome for (number, _), outcome in zip(opened, kept, strict=True)}
    return [outcomes[number] for number in range(len(changes))]


def lands_in_editor(change: FileChange) -> bool:
    """Whether the client applies the change: the file is open. The server deletes files even then."""
    return change.base.buffer is not None and change.operation != "delete"


async def _rebased(ws: Workspace, change: FileChange) -> FileChange:
    """The change rebased on the file as it is now, which may be open. Raises Conflict if it moved, what
    `check` raises, and NotLanded if an earlier edit may still come."""
    if change.base.buffer is None and ws.documents.at(change.absolute) is None:
        return change
    with error_file(change.absolute), _reporting_new_links(ws, [change]):
        now = await look_unmoved(ws, change)
        if change.operation == "delete" and now.dirty:
            raise Conflict(change.path, "editor", "changed", actual=now.revision)
        there = change.onto(now)
        if there.operation != "delete":  # it may have been opened since, in another encoding
            await off_loop(there.extent, there.check)
            ws.check_reported(change.base.location)
    return there


@contextmanager
def _reporting_new_links(ws: Workspace, changes: Sequence[FileChange]) -> Iterator[None]:
    """Report a symbolic link that replaced a reviewed file: its target is another file, which nobody
    reviewed. Raises OutsideRoots if the target is in no root."""
    try:
        yield
    except OutsideRoots as error:
        change = next((it for it in changes if it.absolute == error.file), changes[0])
        location = change.base.location
        ws.files.resolve(location.root, location.relative)
        moved = Conflict(change.path, "disk", "reviewing", change.base.revision)
        moved.file = error.file
        raise moved from error


async def described(changes: Sequence[FileChange]) -> None:
    """Compute what reviews and answers report about the changes, on a thread unless they are small."""
    await off_loop(sum(change.extent for change in changes), _describe, changes)


# --- on disk ----------------------------------------------------------------------------------------------


async def _commit(
    ws: Workspace, changes: Sequence[FileChange], staged: Staged | None, watch: Watch
) -> list[Landing]:
    """Commit the closed files, staging them first if necessary."""
    describing = None
    if len(changes) > 1 or changes[0].extent > INLINE_BYTES:  # begins once the writing has
        describing = asyncio.ensure_future(in_thread(_describe, changes))
    try:
        with _reporting_new_links(ws, changes):
            try:
                with not_opened(ws, changes) as check:
                    landed = await in_thread(_write, ws, changes, staged, check)
            except Conflict as conflict:
                raise await _with_current_state(ws, changes, conflict) from conflict
            except LandingUnknown:
                for change in changes:
                    watch.add(change)
                raise
    finally:
        if describing is not None:
            await asyncio.wait([describing])
    return [_landing(*each) for each in zip(changes, landed, strict=True)]


def _describe(changes: Sequence[FileChange]) -> None:
    for change in changes:
        change.describe()


def _write(
    ws: Workspace, changes: Sequence[FileChange], staged: Staged | None, check: Callable[[], None]
) -> list[Landed]:
    staged = staged or ws.files.stage(_drafts(changes))
    try:
        return staged.commit(check)
    except BaseException:
        staged.discard()
        raise


def _drafts(changes: Sequence[FileChange]) -> list[Draft]:
    return [
        Draft(
            change.base.location,
            None if change.operation == "delete" else change.proposed_pieces,
            change.base.blob,
            change.create_dirs,
        )
        for change in changes
    ]


def _landing(change: FileChange, landed: Landed) -> Landing:
    return Landing(
        change,
        "disk",
        Expected(landed.stat.mtime_ms, landed.stat.size) if landed.stat else Expected(),
        bytes_written=change.proposed_size,
        hard_links=landed.hard_links,
        owner_lost=landed.owner_lost,
        created_dirs=landed.created_dirs,
    )


async def _with_current_state(ws: Workspace, changes: Sequence[FileChange], conflict: Conflict) -> Conflict:
    """Add the file's current state and a diff to the disk's bare conflict."""
    for change in changes:
        if change.absolute == conflict.file:
            try:
                await look_unmoved(ws, change)
            except Conflict as told:
                return told
    return conflict
