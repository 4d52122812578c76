"""agentfs/undo: propose the reverse of a landed change (docs/protocol.md#11-history-and-undo).

It is computed from the texts in history, so it needs no read record, and keeps later changes elsewhere in the
file. A batch is undone as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Literal

from agentfs_lsp.domain.access import Access, together
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.line_ends import splices_between, splices_towards
from agentfs_lsp.domain.errors import (
    ChangeUnknown,
    Conflict,
    ConflictReason,
    DomainError,
    FolderMissing,
    LastUndecided,
    NothingToUndo,
    NotUndoable,
    OutsideRoots,
    Unencodable,
    error_access,
)
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.paths import check_new_name
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.byte_order_mark import both_marked_like, marked_like, reads_same
from agentfs_lsp.domain.text.lines import first_eol, is_ended, line_of, normalize, without_end
from agentfs_lsp.domain.text.textfile import TextFile, decode_as, encode, eol_of
from agentfs_lsp.service.files.snapshot import REPLACEMENT, Snapshot
from agentfs_lsp.service.files.store import Location, Root, innermost
from agentfs_lsp.service.history import Places, as_seen, find_one, judge, resolve
from agentfs_lsp.service.landing.landing import FileOutcome
from agentfs_lsp.service.landing.last_line_end import fitted
from agentfs_lsp.service.landing.merging import splices_into
from agentfs_lsp.service.landing.redaction import looking_unseen, unseen
from agentfs_lsp.service.proposal.change import Correction, FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Origin, Proposal
from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile
from agentfs_lsp.service.propose import check_pending, propose
from agentfs_lsp.service.state.workspace import Workspace, in_thread, off_loop


@dataclass(frozen=True, slots=True)
class Undo:
    """Which change to undo; None: this session's last on this connection. `by_user`: the user asks, and may
    see every file; the session still learns nothing about files it may not read."""

    session: str
    change_id: str | None = None
    agent: str = ""
    explanation: str = ""
    by_user: bool = False

    @property
    def viewer(self) -> str | None:
        """Who looks at the files: a session, or None for the user."""
        return None if self.by_user else self.session


@dataclass(frozen=True, slots=True)
class Undone:
    """An undo that ended well. `landings` is empty if every file was already as before the change, but for
    the `corrections`. `unsaved`: the paths of the files that are as before only in the editor.
    `folders_left`: those of folders that were created for the change and could not be removed."""

    change: HistoryRecord
    landings: tuple[Landing, ...]
    unsaved: tuple[str, ...]
    folders_left: tuple[str, ...]
    corrections: tuple[Correction, ...]
    access: Access
    proposal: Proposal


async def undo(ws: Workspace, command: Undo) -> Undone:
    """Propose the reverse and land it. Raises LastUndecided, ChangeUnknown, NothingToUndo, NotUndoable,
    Conflict, and what review and landing raise."""
    check_pending(ws, command.session)
    if command.change_id is None:
        for pending in ws.proposals:
            if pending.session == command.session:  # it may be the one meant
                raise LastUndecided(pending.id, pending.paths)
    # Taken now: a later request may land while history is read.
    reverse = _Reverse(ws, command, ws.sessions.last_change.get(command.session))
    origin = Origin(command.session, command.agent, "undo", command.explanation, by_user=command.by_user)
    try:
        proposed = await propose(ws, origin, reverse.find, reverse.compute, finish=reverse.finish)
    except DomainError as error:
        error.access = reverse.narrowed(error.access)
        raise
    landings, proposal = tuple(proposed.landings), proposed.proposal
    unchanged = [one for one in proposed.changes if one.changes_nothing]
    made = (*(one.change for one in landings), *unchanged)
    corrections = tuple(dict.fromkeys(correction for one in made for correction in one.corrections))
    unsaved = (
        *(one.change.path for one in landings if one.where == "editor"),
        *(one.path for one in unchanged if one.base.dirty),
    )
    left, access = tuple(reverse.folders_left), reverse.narrowed(proposal.access)
    return Undone(reverse.change, landings, unsaved, left, corrections, access, proposal)


class _Reverse:
    """The reverse of a change. `find` sets `change`, `places` (where its paths led then) and `accesses`."""

    change: HistoryRecord

    def __init__(self, ws: Workspace, command: Undo, last: str | None) -> None:
        self._ws = ws
        self._command = command
        self._last = last
        self.places: Places = {}
        self._locations: list[Location] = []
        self.accesses: list[Access] = []
        self.folders_left: Sequence[str] = ()

    async def find(self) -> Mapping[str, str]:
        ws, viewer = self._ws, self._command.viewer
        self.change, self.places = await in_thread(_find_change, ws, self._command, self._last)
        _check_undoable(ws, viewer, self.change, self.places)
        for location in _locate(ws, self.change):
            readable = _may_read(ws, viewer, location)
            self.accesses.append(Access(ws.name_of(location), location.absolute, readable, readable))
        return {access.absolute: access.path for access in self.accesses}

    def narrowed(self, access: Access) -> Access:
        """The access, or less if reading came to be limited during the review."""
        readings = judge(self._ws, self._command.viewer, self.places).values()
        return access if set(readings) <= {"allow"} else access._replace(readable=False, seen=False)

    async def compute(self) -> Sequence[FileChange]:
        ws, viewer, change = self._ws, self._command.viewer, self.change
        _check_not_denied(ws, viewer, change, self.places)  # perhaps only since the request arrived
        self._locations = _locate(ws, change)
        with error_access(together(self.accesses)):
            return [
                replace(await _reverse_file(ws, viewer, change, file, location), access=access)
                for file, location, access in zip(change.files, self._locations, self.accesses, strict=True)
            ]

    async def finish(self, outcomes: Sequence[FileOutcome]) -> None:
        if all(isinstance(outcome, Landing) for outcome in outcomes):
            self.folders_left = await in_thread(_remove_folders, self._ws, self.change, self._locations)


def _find_change(ws: Workspace, command: Undo, last: str | None) -> tuple[HistoryRecord, Places]:
    wanted = last if command.change_id is None else command.change_id
    if wanted is None:
        raise NothingToUndo
    try:
        change = find_one(ws, wanted)
    except ChangeUnknown:
        if command.change_id is None:
            raise NothingToUndo(unrecorded=True) from None
        raise
    return change, resolve(ws, command.viewer, (change,))


def _may_read(ws: Workspace, viewer: str | None, location: Location) -> bool:
    """Whether policy lets the viewer read the file without asking."""
    return viewer is None or ws.judge("read", location, viewer).decision == "allow"


def _check_undoable(ws: Workspace, viewer: str | None, change: HistoryRecord, places: Places) -> None:
    if not as_seen(ws, viewer, change, judge(ws, viewer, places)).files:
        raise ChangeUnknown(change.id)
    _check_not_denied(ws, viewer, change, places)
    if len(change.files) < change.files_in_all:
        raise NotUndoable(change.id, "elsewhere")
    if not all(file.texts_kept for file in change.files):
        raise NotUndoable(change.id, "texts")


def _check_not_denied(ws: Workspace, viewer: str | None, change: HistoryRecord, places: Places) -> None:
    """Raise NotUndoable if the change has a file whose reading is denied: every answer about it would tell
    something of that file. To the user only a closed folder denies it."""
    if "deny" in judge(ws, viewer, places).values():
        raise NotUndoable(change.id, "elsewhere" if viewer is None else "denied")


def _locate(ws: Workspace, change: HistoryRecord) -> list[Location]:
    """The files in the innermost open folders, which decide about them."""
    return [location for file in change.files if (location := innermost(file.absolute, ws.roots))]


def _remove_folders(ws: Workspace, change: HistoryRecord, locations: Sequence[Location]) -> list[str]:
    """Remove the folders created for files that are gone again, innermost first, if empty. Returns the paths
    of those that could not be removed."""
    folders: dict[Root, set[str]] = {}
    for file, location in zip(change.files, locations, strict=True):
        if file.operation == "create":
            # Fewer than were made if one of them is a root of its own now.
            parents = location.relative.split("/")[:-1]
            up = range(min(file.folders_made, len(parents)))
            made_for = ("/".join(parents[: len(parents) - count]) for count in up)
            folders.setdefault(location.root, set()).update(made_for)
    left = []
    for root, made in folders.items():
        innermost_first = sorted(made, key=lambda folder: folder.count("/"), reverse=True)
        left += [ws.name_of(Location(root, one)) for one in ws.files.remove_empty(root, innermost_first)]
    return left


# --- one file ---------------------------------------------------------------------------------------------


async def _reverse_file(
    ws: Workspace, viewer: str | None, change: HistoryRecord, file: RecordedFile, location: Location
) -> FileChange:
    path = ws.name_of(location)
    record = ws.sessions.get(viewer or "", location.absolute)
    try:
        with nullcontext() if _may_read(ws, viewer, location) else looking_unseen(path, record):
            snapshot = await ws.look(location)
    except OutsideRoots:
        ws.files.resolve(location.root, location.relative)  # raises it again if it leads out
        raise Conflict(path, "disk", "linked") from None
    _check_seen(ws, viewer, snapshot)
    ws.check_reported(location)
    if snapshot.opened_in_wrong_encoding:
        raise Conflict(path, "editor", "wrong_encoding", actual=snapshot.revision)
    settings = ws.settings_in(location.root)
    if file.operation == "delete":
        check_new_name(location.relative)
        if not (snapshot.exists or settings.create_dirs or ws.files.has_folder(location)):
            raise FolderMissing(path.rpartition("/")[0] + "/", by_setting=True)
    accepted = file.accepted if change.modified_by_user else file.proposed
    kept = await off_loop(snapshot.size, _with_edits_elsewhere, file, accepted)
    reverse = await off_loop(snapshot.size, reversal, path, kept, snapshot, settings)
    if snapshot.dirty and snapshot.disk and reverse.changes_nothing:
        # The user may have saved it as before, and be typing elsewhere.
        saved = snapshot._replace(buffer=None, text=snapshot.disk, dirty=False)
        with suppress(DomainError):
            on_disk = await off_loop(saved.size, reversal, path, kept, saved, settings)
            reverse = on_disk if on_disk.changes_nothing else reverse
    if any(REPLACEMENT in splice.text for splice in reverse.splices) and not _is_complete(file):
        raise NotUndoable(change.id, "bytes")
    return reverse


def _is_complete(file: RecordedFile) -> bool:
    """Whether the stored text is the complete original, with no U+FFFD standing for undecodable bytes."""
    before = file.before or ""
    try:
        data = encode(before, TextFile(before, file.encoding, file.bom, lossy=False))
    except Unencodable:
        return False
    return hash_bytes(data) == file.before_hash


def _check_seen(ws: Workspace, viewer: str | None, snapshot: Snapshot) -> None:
    """Raise NotRead or Conflict unless the viewer may read the file or was allowed to read this version."""
    location = snapshot.location
    if viewer is None or not snapshot.exists or _may_read(ws, viewer, location):
        return
    record = ws.sessions.get(viewer, location.absolute)
    if record is None or record.revision.hash != snapshot.hash:
        raise unseen(ws.name_of(location), record, "editor" if snapshot.dirty else "disk")


def reversal(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """The reverse of one file's change, applied to the current file. Raises Conflict or Unencodable."""
    snapshot = _in_old_encoding(file, snapshot)
    change = fitted(_REVERSES[file.operation](path, file, snapshot, settings))
    change.check()
    return change


def _undo_creation(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Delete what was created, if it is unchanged."""
    if not snapshot.exists:
        return FileChange(path, snapshot, "update", (), settings)
    shown = snapshot.text.shown
    if snapshot.dirty:
        raise _conflict(path, snapshot, "changed")
    created = normalize(marked_like(shown, file.after or ""))
    later = diff(created, normalize(shown))
    if later:
        raise _conflict(path, snapshot, "overlap", (line_of(created, later[0].start),))
    splices = (Splice(0, len(shown), ""),) if shown else ()
    return FileChange(path, snapshot, "delete", splices, settings, tools=("write",))


def _undo_deletion(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Restore what was deleted, if nothing has taken its place."""
    before = file.before or ""
    if snapshot.exists:
        if reads_same(snapshot.text.shown, before):
            return FileChange(path, snapshot, "update", (), settings)
        raise _conflict(path, snapshot, "exists")
    base = snapshot._replace(text=TextFile("", file.encoding, file.bom, lossy=False))
    splices = (Splice(0, 0, before),) if before else ()
    made = settings.create_dirs
    return FileChange(path, base, "create", splices, settings, tools=("write",), create_dirs=made)


def _undo_update(path: str, file: RecordedFile, snapshot: Snapshot, settings: Settings) -> FileChange:
    """Go from after to before; merge if the file has changed since."""
    if not snapshot.exists:
        raise _conflict(path, snapshot, "gone")
    shown = snapshot.text.shown
    before, after = both_marked_like(shown, file.before or "", file.after or "")
    corrections: tuple[Correction, ...] = ()
    if snapshot.ended_by_save:
        if is_ended(after) and not is_ended(before):
            corrections = (Correction("last_line_end", ""),)
        before, after = without_end(before), without_end(after)
    if not shown and not without_end(after):
        after = shown  # Neovim saves an emptied document, which it reports as an empty line, as an empty file
    if shown == after:
        splices = tuple(shortened(shown, piece) for piece in diff(after, before))
    else:
        splices = splices_into(path, after, before, snapshot)
    return FileChange(path, snapshot, "update", splices, settings, corrections=corrections)


def _with_edits_elsewhere(file: RecordedFile, accepted: str | None) -> RecordedFile:
    """The record of a change that landed after being accepted as `accepted` (None: not stored), with `before`
    extended by what came in elsewhere while it was saved, since the user may have typed that. Edits of the
    change's own lines are undone with it."""
    if file.operation != "update" or accepted is None:
        return file
    old, after = file.before or "", file.after or ""
    back = splices_between(accepted, old)
    beside = [
        piece
        for piece in splices_between(accepted, after)
        if not any(piece.start < own.end and own.start < piece.end for own in back)
    ]
    if not beside:
        return file
    pieces = sorted([*back, *beside], key=lambda piece: (piece.start, piece.end))
    kept = apply_splices(accepted, pieces)
    if eol_of(after) != "mixed":  # the save may have converted them all
        kept = apply_splices(old, splices_towards(old, kept, first_eol(after)))
    return file._replace(before=kept)


def _in_old_encoding(file: RecordedFile, snapshot: Snapshot) -> Snapshot:
    """The file in its encoding from before the change, if its bytes read the same in that, or more like what
    the change left. The remaining bytes may suggest another encoding, but restored text must get its own."""
    there = snapshot.text
    if snapshot.blob is None:
        return snapshot
    if snapshot.buffer is not None:
        return snapshot.to_be_written_as(file.encoding, file.bom)
    was = decode_as(snapshot.blob.data, file.encoding, file.bom)
    if was is None or (was.encoding, was.bom) == (there.encoding, there.bom):
        return snapshot
    after = file.after or ""
    if was.text != there.text and _distance(after, was.shown) >= _distance(after, there.shown):
        return snapshot
    return snapshot._replace(text=was, disk=was)


def _distance(one: str, other: str) -> int:
    """How much two texts differ, in characters."""
    return sum(piece.end - piece.start + len(piece.text) for piece in diff(one, other))


_REVERSES = {"create": _undo_creation, "delete": _undo_deletion, "update": _undo_update}


def _conflict(path: str, snapshot: Snapshot, reason: ConflictReason, lines: tuple[int, ...] = ()) -> Conflict:
    source: Literal["disk", "editor"] = "editor" if snapshot.dirty else "disk"
    actual = snapshot.revision if snapshot.exists else None
    return Conflict(path, source, reason, actual=actual, lines=lines)
