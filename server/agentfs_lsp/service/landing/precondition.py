"""Has the file changed since this session read it? (docs/protocol.md#8-lock)

Changes no records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import preview
from agentfs_lsp.domain.errors import Conflict, ConflictReason, NotRead, error_file
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.byte_order_mark import marked_like, reads_same
from agentfs_lsp.service.files.snapshot import Buffer, Snapshot
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.state.sessions import ReadRecord
from agentfs_lsp.service.state.workspace import Workspace, off_loop


def check_precondition(
    path: str, snapshot: Snapshot, record: ReadRecord | None, expected: Expected, settings: Settings
) -> None:
    """Raise NotRead or Conflict unless a change may build on the current file.

    `expected` takes precedence over the record. Without a hash in it the record must match too, because times
    and sizes may coincide. A missing file passes if none was expected."""
    if not snapshot.exists:
        if expected or record is not None:
            known = expected or (record.revision if record else None)
            raise Conflict(path, "disk", "gone", expected=known)
        return
    if snapshot.opened_in_wrong_encoding:
        raise Conflict(path, "editor", "wrong_encoding", actual=snapshot.revision)
    if expected and not expected.met_by(snapshot.revision):
        raise _conflict(path, snapshot, "expected", expected, _diff_since(path, record, snapshot, settings))
    if expected.hash is not None or (expected and record is None):
        return
    if record is None:
        if settings.require_read:
            raise NotRead(path)
        return
    if not _is_as_read(snapshot, record):
        since = _diff_since(path, record, snapshot, settings)
        raise _conflict(path, snapshot, "changed", record.revision, since)


def check_unmoved(path: str, base: Snapshot, now: Snapshot, settings: Settings) -> None:
    """Raise Conflict if the file differs from what the proposal was computed on.

    Opening, closing or touching it makes no difference, nor does saving exactly the text the proposal used.
    """
    if not now.exists and base.exists:
        raise Conflict(path, "disk", "gone", expected=base.revision)
    if now.exists and not base.exists:
        raise _conflict(path, now, "exists", None, None)
    if now.opened_in_wrong_encoding:
        raise Conflict(path, "editor", "wrong_encoding", actual=now.revision)
    same_text = reads_same(base.text.text, now.text.text)
    same_disk = (base.blob.data if base.blob else None) == (now.blob.data if now.blob else None)
    saved = base.dirty and now.buffer is not None and not now.dirty
    if same_text and (same_disk or saved):
        return
    if same_disk and base.ended_by_save and now.buffer is None:  # closing saved it, which added the line end
        return
    if same_text and now.buffer is not None:  # only the file below the document changed
        since = None
        if base.disk is not None and now.disk is not None:
            since = preview_between(path, base.disk.shown, now.disk.shown, settings)
        raise Conflict(path, "disk", "reviewing", base.revision, now.revision, since)
    since = preview_between(path, base.text.shown, now.text.shown, settings)
    raise _conflict(path, now, "reviewing", base.revision, since)


async def look_unmoved(ws: Workspace, change: FileChange) -> Snapshot:
    """A change's file as it is now. Raises Conflict if it is no longer what the change was computed on, and
    what looking at it raises."""
    with error_file(change.absolute):
        now = await ws.look(change.base.location)
        size = max(change.base.size, now.size)
        await off_loop(size, check_unmoved, change.path, change.base, now, change.settings)
    return now


@contextmanager
def not_opened(ws: Workspace, changes: Sequence[FileChange]) -> Iterator[Callable[[], None]]:
    """A check for any thread that raises Conflict once the user has opened one of these files, which are to
    be written on disk, or typed in it: waiting for other servers' landings takes seconds."""
    opened: list[FileChange] = []

    def seen(change: FileChange) -> None:
        if Buffer.of(ws.documents.at(change.absolute)) not in (None, change.base.buffer):
            opened.append(change)

    def check() -> None:
        for change in opened:
            conflict = Conflict(change.path, "editor", "opened", change.base.revision)
            conflict.file = change.absolute
            raise conflict

    with ExitStack() as watches:
        for change in changes:
            watches.callback(ws.documents.watch(change.absolute, partial(seen, change)))
            seen(change)
        yield check


def preview_between(path: str, old: str, new: str, settings: Settings) -> str:
    """The unified diff from `old` to `new`, within the `diff.*` limits."""
    limits = settings.diff
    return preview(
        old,
        diff(old, new),
        path,
        max_lines=limits.max_lines,
        max_bytes=limits.max_bytes,
        max_line_chars=limits.max_line_chars,
        context=limits.context,
    ).text


def _is_as_read(snapshot: Snapshot, record: ReadRecord) -> bool:
    if record.revision.hash == snapshot.hash:
        return True
    if record.text is None or (snapshot.buffer is None and not record.in_editor):
        return False
    return reads_same(record.text, snapshot.text.shown)


def _diff_since(path: str, record: ReadRecord | None, snapshot: Snapshot, settings: Settings) -> str | None:
    if record is None or record.text is None:
        return None
    shown = snapshot.text.shown
    return preview_between(path, marked_like(shown, record.text), shown, settings) or None


def _conflict(
    path: str, snapshot: Snapshot, reason: ConflictReason, expected: Expected | None, diff_text: str | None
) -> Conflict:
    return Conflict(
        path, "editor" if snapshot.dirty else "disk", reason, expected, snapshot.revision, diff_text
    )
