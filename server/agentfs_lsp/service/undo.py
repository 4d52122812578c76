"""agentfs/undo: propose the reverse of a landed change (docs/protocol.md#11-history-and-undo).

It is computed from the texts in history (`reversal.py`), so it needs no read record, and keeps later changes
elsewhere in the file. A batch is undone as a whole, and so are several changes that the user undoes together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from agentfs_lsp.domain.access import Access, together
from agentfs_lsp.domain.errors import (
    Blocked,
    ChangeUnknown,
    Conflict,
    DomainError,
    FolderMissing,
    LastUndecided,
    NothingToUndo,
    NotUndoable,
    OutsideRoots,
    UndoBlocked,
    error_access,
)
from agentfs_lsp.domain.paths import check_new_name
from agentfs_lsp.service.files.snapshot import REPLACEMENT, Snapshot
from agentfs_lsp.service.files.store import Location, Root, innermost
from agentfs_lsp.service.history import Places, as_seen, find_one, judge, resolve
from agentfs_lsp.service.landing.landing import FileOutcome
from agentfs_lsp.service.landing.redaction import looking_unseen, unseen
from agentfs_lsp.service.proposal.change import Correction, FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Origin, Proposal
from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile
from agentfs_lsp.service.propose import check_pending, propose
from agentfs_lsp.service.reversal import is_restorable, reversal, with_edits_elsewhere
from agentfs_lsp.service.state.workspace import Workspace, in_thread, off_loop
from agentfs_lsp.service.timing import UNTIMED, Timing

MAX_TEXT = 64 * 1024 * 1024
"""Maximum characters of text, equal texts counted once, in changes that are undone together."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Which change to undo; None: this session's last on this connection. `by_user`: the user asks, and may
    see every file; the session still learns nothing about files it may not read. `together`: undo these
    changes instead, in one proposal. `leave_blocked`: leave those files as they are that stand in the way."""

    session: str
    change_id: str | None = None
    agent: str = ""
    explanation: str = ""
    by_user: bool = False
    together: tuple[str, ...] = ()
    leave_blocked: bool = False
    timing: Timing = UNTIMED

    @property
    def viewer(self) -> str | None:
        """Who looks at the files: a session, or None for the user."""
        return None if self.by_user else self.session


@dataclass(frozen=True, slots=True)
class Undone:
    """An undo that ended well, of one change or of several, newest first. `landings` is empty if every file
    was already as before, but for the `corrections`. `unsaved`: the paths of the files that are as before
    only in the editor. `folders_left`: those of folders that were created and could not be removed."""

    changes: tuple[HistoryRecord, ...]
    landings: tuple[Landing, ...]
    unsaved: tuple[str, ...]
    folders_left: tuple[str, ...]
    corrections: tuple[Correction, ...]
    access: Access
    proposal: Proposal

    @property
    def change(self) -> HistoryRecord:
        """The newest of the changes."""
        return self.changes[0]


async def undo(ws: Workspace, command: Undo) -> Undone:
    """Propose the reverse and land it. Raises LastUndecided, ChangeUnknown, NothingToUndo, NotUndoable,
    Conflict, for several changes together UndoBlocked instead of these, and what review and landing raise."""
    ws.open_replaced()
    check_pending(ws, command.session)
    if command.change_id is None and not command.together:
        for pending in ws.proposals:
            if pending.session == command.session:  # it may be the one meant
                raise LastUndecided(pending.id, pending.paths)
    # Taken now: a later request may land while history is read.
    reverse = _Reverse(ws, command, ws.sessions.last_change.get(command.session))
    origin = Origin(
        command.session,
        command.agent,
        "undo",
        command.explanation,
        by_user=command.by_user,
        timing=command.timing,
    )
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
    return Undone(reverse.undone, landings, unsaved, left, corrections, access, proposal)


class _Step(NamedTuple):
    """What a change did to a file. `accepted`: the text that was accepted, None if not stored."""

    change_id: str
    file: RecordedFile
    accepted: str | None

    @property
    def creates(self) -> bool:
        return self.file.operation == "create"


class _Reverse:
    """The reverse of a change, or of several. `find` sets `changes`, newest first, `places` (where their
    paths led then), and `accesses`."""

    def __init__(self, ws: Workspace, command: Undo, last: str | None) -> None:
        self._ws = ws
        self._command = command
        self._last = last
        self.changes: tuple[HistoryRecord, ...] = ()
        self.places: Places = {}
        self._steps: dict[str, list[_Step]] = {}
        """What the changes did to each file, newest first, by its absolute path."""
        self._left: set[str] = set()
        """The files that stay as they are, by absolute path."""
        self._locations: dict[str, Location] = {}
        self.accesses: list[Access] = []
        self.folders_left: Sequence[str] = ()
        self._folders: Mapping[Root, Sequence[str]] = {}
        """The folders to remove, by root and innermost first."""

    async def find(self) -> Mapping[str, str]:
        ws, viewer = self._ws, self._command.viewer
        found = await in_thread(_find_changes, ws, self._command, self._last)
        changes, self.places, blocked = found
        for change in changes:
            try:
                _check_undoable(ws, viewer, change, self.places)
            except DomainError as error:
                blocked.append(_block(self._command, error, _names_of(ws, change, self.places)))
                if self._command.leave_blocked:
                    continue
            for file in change.files:
                accepted = file.accepted if change.modified_by_user else file.proposed
                self._steps.setdefault(file.absolute, []).append(_Step(change.id, file, accepted))
            self.changes = (*self.changes, change)
        self._check(blocked, rest=len(self._steps))
        for location in self._locate().values():
            readable = _may_read(ws, viewer, location)
            self.accesses.append(Access(ws.name_of(location), location.absolute, readable, readable))
        return {access.absolute: access.path for access in self.accesses}

    def _locate(self) -> dict[str, Location]:
        """The files in the innermost open folders, which decide about them."""
        found = {absolute: innermost(absolute, self._ws.roots) for absolute in self._steps}
        return {absolute: location for absolute, location in found.items() if location}

    def narrowed(self, access: Access) -> Access:
        """The access, or less if reading came to be limited during the review."""
        readings = judge(self._ws, self._command.viewer, self.places).values()
        return access if set(readings) <= {"allow"} else access._replace(readable=False, seen=False)

    async def compute(self) -> Sequence[FileChange]:
        ws, viewer = self._ws, self._command.viewer
        blocked: list[Blocked] = []
        self._left = set()
        for record in self.changes:  # perhaps only since the request arrived
            try:
                _check_not_denied(ws, viewer, record, self.places)
            except DomainError as error:
                blocked.append(_block(self._command, error, _names_of(ws, record, self.places)))
                self._left |= {file.absolute for file in record.files}
        self._check(blocked, rest=len(self._steps.keys() - self._left))
        self._locations = self._locate()
        changes: list[FileChange] = []
        with error_access(together(self.accesses)), self._command.timing.phase("match"):
            for steps, access in zip(self._steps.values(), self.accesses, strict=True):
                absolute = steps[0].file.absolute
                if absolute in self._left:
                    continue
                location = self._locations[absolute]
                try:
                    change = await _reverse_file(ws, viewer, steps, location)
                except DomainError as error:
                    blocked.append(_block(self._command, error, (access.path,)))
                    self._left.add(absolute)
                else:
                    changes.append(replace(change, access=access))
            self._check(blocked, rest=len(changes))
        if any(not change.changes_nothing for change in changes):
            await self._plan_removal()
        return changes

    async def _plan_removal(self) -> None:
        """A server that is killed between the landing and `finish` would leave the folders for good: nothing
        is left to undo then."""
        self._folders = _folders_made(
            (self._locations[absolute], max(step.file.folders_made for step in steps if step.creates))
            for absolute, steps in self._steps.items()
            if steps[-1].creates and absolute not in self._left
        )
        for root, folders in self._folders.items():
            await in_thread(self._ws.files.plan_removal, root, folders)

    @property
    def undone(self) -> tuple[HistoryRecord, ...]:
        """The changes, without those of which every file was left."""
        return tuple(
            change
            for change in self.changes
            if not self._left.issuperset(file.absolute for file in change.files)
        )

    def _check(self, blocked: Sequence[Blocked], *, rest: int) -> None:
        """Raise UndoBlocked, unless what is blocked is to be left and there is a rest."""
        if blocked and not (self._command.leave_blocked and rest):
            raise UndoBlocked(tuple(blocked))

    async def finish(self, outcomes: Sequence[FileOutcome]) -> None:
        """Remove the folders if all landed. What remains of them stays."""
        if outcomes and all(isinstance(outcome, Landing) for outcome in outcomes):
            self.folders_left = await in_thread(_remove_folders, self._ws, self._folders)
        for root, folders in self._folders.items():
            await in_thread(self._ws.files.drop_plan, root, folders)


def _find_changes(
    ws: Workspace, command: Undo, last: str | None
) -> tuple[tuple[HistoryRecord, ...], Places, list[Blocked]]:
    """The changes with their texts, newest first, and why some can't be undone."""
    if not command.together:
        change = _find_change(ws, command, last)
        return (change,), resolve(ws, command.viewer, (change,)), []
    changes: list[HistoryRecord] = []
    blocked: list[Blocked] = []
    texts: dict[str, str] = {}
    for change_id in dict.fromkeys(command.together):
        try:
            change = find_one(ws, change_id)
        except ChangeUnknown as error:
            blocked.append(_block(command, error, ()))
            continue
        changes.append(change._replace(files=tuple(_sharing(file, texts) for file in change.files)))
        if sum(map(len, texts)) > MAX_TEXT:
            blocked.append(_block(command, NotUndoable(change_id, "size"), ()))
            break
    changes.sort(key=lambda change: change.order, reverse=True)
    return tuple(changes), resolve(ws, command.viewer, changes), blocked


def _find_change(ws: Workspace, command: Undo, last: str | None) -> HistoryRecord:
    wanted = last if command.change_id is None else command.change_id
    if wanted is None:
        raise NothingToUndo
    try:
        return find_one(ws, wanted)
    except ChangeUnknown:
        if command.change_id is None:
            raise NothingToUndo(unrecorded=True) from None
        raise


def _sharing(file: RecordedFile, texts: dict[str, str]) -> RecordedFile:
    """The file with each of its texts once in memory: what a change left is what the next one found."""

    def shared(text: str | None) -> str | None:
        return None if text is None else texts.setdefault(text, text)

    return file._replace(
        before=shared(file.before),
        proposed=shared(file.proposed),
        after=shared(file.after),
        accepted=shared(file.accepted),
    )


def _block(command: Undo, error: DomainError, paths: Sequence[str]) -> Blocked:
    """Why changes can't be undone together. A single one is refused with the error itself."""
    if not command.together:
        raise error
    error.forget_where()
    return Blocked(tuple(paths), error)


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
    own = {file.absolute: places[file.absolute] for file in change.files}
    if "deny" in judge(ws, viewer, own).values():
        raise NotUndoable(change.id, "elsewhere" if viewer is None else "denied")


def _names_of(ws: Workspace, change: HistoryRecord, places: Places) -> list[str]:
    """The displayed paths of the change's files in open folders."""
    found = (places[file.absolute] for file in change.files)
    return [ws.name_of(place[0]) for place in found if place]


def _folders_made(made: Iterable[tuple[Location, int]]) -> dict[Root, list[str]]:
    """The folders that were created for files, innermost first; `made`: for each file, how many."""
    folders: dict[Root, set[str]] = {}
    for location, count in made:
        # Fewer than were made if one of them is a root of its own now.
        parents = location.relative.split("/")[:-1]
        up = range(min(count, len(parents)))
        made_for = ("/".join(parents[: len(parents) - above]) for above in up)
        folders.setdefault(location.root, set()).update(made_for)
    return {
        root: sorted(of_root, key=lambda folder: folder.count("/"), reverse=True)
        for root, of_root in folders.items()
        if of_root
    }


def _remove_folders(ws: Workspace, folders: Mapping[Root, Sequence[str]]) -> list[str]:
    """Remove those that are empty. Returns the paths of those that could not be removed."""
    left: list[str] = []
    for root, of_root in folders.items():
        left += [ws.name_of(Location(root, one)) for one in ws.files.remove_empty(root, of_root)]
    return left


# --- one file ---------------------------------------------------------------------------------------------


async def _reverse_file(
    ws: Workspace, viewer: str | None, steps: Sequence[_Step], location: Location
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
    if steps[0].file.operation == "delete" and not steps[-1].creates:
        check_new_name(location.relative)
        if not (snapshot.exists or settings.create_dirs or ws.files.has_folder(location)):
            raise FolderMissing(path.rpartition("/")[0] + "/", by_setting=True)
    several = sum(len(step.file.before or "") for step in steps[1:])
    size = snapshot.size + several
    kept = await off_loop(size, _with_edits_elsewhere, steps)
    reverse = await off_loop(size, reversal, path, kept, snapshot, settings)
    if snapshot.dirty and snapshot.disk and reverse.changes_nothing:
        # The user may have saved it as before, and be typing elsewhere.
        saved = snapshot._replace(buffer=None, text=snapshot.disk, dirty=False)
        with suppress(DomainError):
            on_disk = await off_loop(saved.size + several, reversal, path, kept, saved, settings)
            reverse = on_disk if on_disk.changes_nothing else reverse
    if any(REPLACEMENT in splice.text for splice in reverse.splices):
        for step in steps:
            if not is_restorable(step.file):
                raise NotUndoable(step.change_id, "bytes")
    return reverse


def _with_edits_elsewhere(steps: Sequence[_Step]) -> list[RecordedFile]:
    return [with_edits_elsewhere(step.file, step.accepted) for step in steps]


def _check_seen(ws: Workspace, viewer: str | None, snapshot: Snapshot) -> None:
    """Raise NotRead or Conflict unless the viewer may read the file or was allowed to read this version."""
    location = snapshot.location
    if viewer is None or not snapshot.exists or _may_read(ws, viewer, location):
        return
    record = ws.sessions.get(viewer, location.absolute)
    if record is None or record.revision.hash != snapshot.hash:
        raise unseen(ws.name_of(location), record, "editor" if snapshot.dirty else "disk")
