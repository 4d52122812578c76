"""An accepted change lands: on disk, or in the editor where a file is open
(docs/protocol.md#93-how-it-lands).

What was accepted lands on what it was accepted for, or nothing does; of several files all or none, or each
by itself where that was asked for (docs/protocol.md#10-agentfsbatch). Open documents are
`in_editor.py`'s.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import Conflict, DomainError, LandingUnknown, LeftUndone, OutsideRoots
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.files.store import Draft
from agentfs_lsp.service.landing.in_editor import InEditor, find_in_editor
from agentfs_lsp.service.landing.precondition import check_unmoved
from agentfs_lsp.service.proposal.change import Landing, about
from agentfs_lsp.service.state.workspace import INLINE_BYTES, in_thread, off_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agentfs_lsp.service.files.store import Landed, Staged
    from agentfs_lsp.service.landing.observing import Watch
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.review import Applier
    from agentfs_lsp.service.state.workspace import Workspace

FileOutcome = Landing | DomainError
"""What became of one file of several."""


async def land(
    ws: Workspace, changes: Sequence[FileChange], applier: Applier, watch: Watch
) -> list[FileOutcome]:
    """Bring the changes to their files, all or none. Raises Conflict, NotLanded, LandingUnknown and what the
    disk raises. Whether anything is there all the same is for `watch` to tell, which gets to know whatever
    was handed over. An outcome that is no landing is of a file that was applied, and then lost track of.

    The closed files are staged, the open ones applied by the client; then the closed are committed, and the
    open ones saved. Whatever fails before the commit drops the staged and takes back the applied.
    """
    if applier.applied_already:
        return await find_in_editor(ws, changes, applier, watch, all_or_none=True)
    changes = [await _on_what_is_there(ws, change) for change in changes]
    opened = [change for change in changes if lands_in_editor(change)]
    closed = [change for change in changes if not lands_in_editor(change)]
    if not opened:
        landed = await _committed(ws, closed, None, watch)
        await applier.committed(())
        return list(landed)
    staged = None
    if closed:
        with _links_told(ws, closed):
            staged = await in_thread(lambda: ws.files.stage(_drafts(closed)))
    in_editor = InEditor(ws, opened, applier, watch)
    try:
        await in_editor.apply()
        landed = await _committed(ws, closed, staged, watch) if staged else []
    except DomainError as error:
        if staged:
            await in_thread(staged.discard)
        await in_editor.take_back(error)
        raise
    kept = await in_editor.keep()
    by_change = {
        id(change): outcome for change, outcome in zip([*closed, *opened], [*landed, *kept], strict=True)
    }
    return [by_change[id(change)] for change in changes]


async def land_each(
    ws: Workspace,
    changes: Sequence[FileChange],
    applier: Applier,
    watch: Watch,
    is_stopped: Callable[[], bool],
) -> list[FileOutcome]:
    """Bring each change to its file, whatever becomes of the others: the open ones first, then the closed in
    their order, as long as not `is_stopped`. Raises nothing of its own."""
    if applier.applied_already:
        return await find_in_editor(ws, changes, applier, watch, all_or_none=False)
    outcomes: dict[int, FileOutcome] = {}
    opened: list[tuple[int, FileChange]] = []
    closed: list[tuple[int, FileChange]] = []
    for number, change in enumerate(changes):
        try:
            there = await _on_what_is_there(ws, change)
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
            (outcomes[number],) = await _committed(ws, [change], None, watch)
        except DomainError as error:
            outcomes[number] = error
    landed = any(isinstance(outcome, Landing) for outcome in outcomes.values())
    stands = landed or in_editor.anything_arrived
    kept = await in_editor.keep() if stands else in_editor.failures()
    outcomes |= {number: outcome for (number, _), outcome in zip(opened, kept, strict=True)}
    return [outcomes[number] for number in range(len(changes))]


def lands_in_editor(change: FileChange) -> bool:
    """Whether the client applies it: the file is open. A file is deleted by the server all the same."""
    return change.base.buffer is not None and change.operation != "delete"


async def _on_what_is_there(ws: Workspace, change: FileChange) -> FileChange:
    """The change on its file as it is now, where that may be open. Raises Conflict when it moved."""
    if change.base.buffer is None and ws.documents.at(change.base.location.absolute) is None:
        return change
    with about(change), _links_told(ws, [change]):
        now = await ws.look(change.base.location)
        await off_loop(
            max(change.base.size, now.size), check_unmoved, change.path, change.base, now, change.settings
        )
        if change.operation == "delete" and now.dirty:
            raise Conflict(change.path, "editor", "changed", actual=now.revision)
        there = change.onto(now)
        if there.operation != "delete":
            there.check_places()  # it may have been opened since
    return there


@contextmanager
def _links_told(ws: Workspace, changes: Sequence[FileChange]) -> Iterator[None]:
    """A link that stands by now where none was: what it leads to is another file, which nobody reviewed.
    Raises OutsideRoots where that lies in no root."""
    try:
        yield
    except OutsideRoots as error:
        change = next((it for it in changes if it.base.location.absolute == error.file), changes[0])
        location = change.base.location
        ws.files.resolve(location.root, location.relative)
        moved = Conflict(change.path, "disk", "reviewing", change.base.revision)
        moved.file = error.file
        raise moved from error


async def described(changes: Sequence[FileChange]) -> None:
    """Compute what reviews and answers say of the changes; off the event loop unless they are small."""
    await off_loop(sum(change.extent for change in changes), _describe, changes)


# --- on disk ----------------------------------------------------------------------------------------------


async def _committed(
    ws: Workspace, changes: Sequence[FileChange], staged: Staged | None, watch: Watch
) -> list[Landing]:
    """The closed files on disk; staged first, where they are not yet."""
    writing = asyncio.ensure_future(in_thread(_write, ws, changes, staged))
    describing = None
    if len(changes) > 1 or changes[0].extent > INLINE_BYTES:  # while the disk is waited for
        describing = asyncio.ensure_future(in_thread(_describe, changes))
    try:
        with _links_told(ws, changes):
            try:
                landed = await writing
            except Conflict as conflict:
                raise await _explained(ws, changes, conflict) from conflict
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


def _write(ws: Workspace, changes: Sequence[FileChange], staged: Staged | None) -> list[Landed]:
    staged = staged or ws.files.stage(_drafts(changes))
    try:
        return staged.commit()
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
        created_dirs=landed.created_dirs,
    )


async def _explained(ws: Workspace, changes: Sequence[FileChange], conflict: Conflict) -> Conflict:
    """The disk's bare "it moved", with what it is now and how it differs."""
    moved = [change for change in changes if change.base.location.absolute == conflict.file]
    for change in moved:
        now = await ws.look(change.base.location)
        try:
            await off_loop(
                max(change.base.size, now.size), check_unmoved, change.path, change.base, now, change.settings
            )
        except Conflict as told:
            told.file = conflict.file
            return told
    return conflict
