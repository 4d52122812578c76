"""agentfs/history: store landed changes and list them (docs/protocol.md#11-history-and-undo).

Every change that landed in the open folders is visible, whoever made it, except in files the viewer may not
read. `undo.py` undoes them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex
from typing import Generic, TypeVar

from agentfs_lsp.domain.errors import ChangeUnknown, DomainError
from agentfs_lsp.domain.policy.verdict import strictest
from agentfs_lsp.domain.settings.rules import Operation, Permission
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.files.store import Location, innermost
from agentfs_lsp.service.later_saves import note_saves
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.record import (
    Decider,
    HistoryQuery,
    HistoryRecord,
    KeptDecision,
    RecordedFile,
    Save,
)
from agentfs_lsp.service.state.workspace import Workspace, in_thread

T = TypeVar("T")

Landed = Sequence[tuple[FileChange, Landing]]
"""Each change as proposed, with its landing."""

Places = Mapping[str, Sequence[Location]]
"""By absolute path of recorded files: the path, and where it leads now, if elsewhere, since the file may have
been moved, with a link in its place; empty if that can't be told."""

Readings = Mapping[str, Permission]
"""By absolute path of recorded files: whether they may be read."""

NameOf = Callable[[RecordedFile], str]
"""The displayed path of a file."""

SettingsOf = Callable[[RecordedFile], Settings]
"""The settings that apply to a file."""

MAX_TEXT = 16 * 1024 * 1024
"""Maximum characters of text in one answer."""

_MAX_NAME = 100
"""Maximum characters of a program's name in the history."""

_AT_ONCE = 200
"""Changes to load per query, since the viewer may not see many of them."""


# --- keeping ----------------------------------------------------------------------------------------------


def keep(ws: Workspace, proposal: Proposal, decision: KeptDecision, by: str, landed: Landed) -> None:
    """Store what landed of a proposal; what lands later is a change of its own. What the user undid, or
    applied after its end without a decision ("withdrawn"), is the user's, and not the session's last."""
    if not landed:
        return
    change_id = token_hex(8) if decision == "withdrawn" else proposal.take_change_id()
    if decision != "withdrawn" and not proposal.by_user:
        ws.sessions.last_change[proposal.session] = change_id
    if not ws.settings.history.enabled:
        return
    size = sum(change.base.size + landing.bytes_written for change, landing in landed)
    time_ms = ws.clock.date_ms()
    decider = _decider(ws, proposal, time_ms)
    make = partial(
        _record_of, change_id, proposal, decision, by, tuple(landed), ws.connection, time_ms, decider
    )
    ws.history.keep(size, make)
    note_saves(ws, change_id, landed)


def _decider(ws: Workspace, proposal: Proposal, time_ms: int) -> Decider:
    """`time_ms`: now. What the user applied unasked was decided just now."""
    made = proposal.decision
    if made is None:
        return Decider(proposal.channel or "preview", "", "", "", time_ms)
    ago_ms = round(ws.clock.now_ms() - proposal.reached_ms("landing"))
    return Decider(made.channel, made.client[:_MAX_NAME], made.rule or "", made.feedback, time_ms - ago_ms)


def _record_of(
    change_id: str,
    proposal: Proposal,
    decision: KeptDecision,
    by: str,
    landed: Landed,
    connection: str,
    time_ms: int,
    decider: Decider,
) -> HistoryRecord:
    is_mixed = len({landing.where for _, landing in landed}) > 1
    saved_ms = time_ms if is_mixed else None
    changed = any(not landing.change.reads_as(change) for change, landing in landed)
    return HistoryRecord(
        change_id,
        time_ms,
        connection,
        proposal.session,
        proposal.agent,
        proposal.tool,
        proposal.explanation,
        "amended" if changed and decision == "accepted" else decision,
        by,
        "editor" if any(landing.where == "editor" for _, landing in landed) else "disk",
        modified_by_user=changed,
        files_in_all=len(landed),
        files=tuple(
            _recorded_file(change, landing, amended=changed, saved_ms=saved_ms) for change, landing in landed
        ),
        decider=decider,
    )


def _recorded_file(
    change: FileChange, landing: Landing, *, amended: bool, saved_ms: int | None
) -> RecordedFile:
    """`saved_ms`: when it landed, if other files of the change were left unsaved."""
    base, final = change.base, landing.change
    proposed = final if final.end_is_kept and not amended else change
    added, removed = final.line_counts
    after = final.shown if landing.text is None else landing.text
    is_there = final.operation != "delete"
    is_saved = saved_ms is not None and is_there and landing.where == "disk"
    return RecordedFile(
        base.location.root.path,
        base.location.relative,
        final.operation,
        base.hash if base.exists else None,
        landing.revision.hash,
        added,
        removed,
        base.text.encoding,
        base.text.bom,
        before=base.text.shown if base.exists else None,
        proposed=proposed.shown if change.operation != "delete" else None,
        after=after if is_there else None,
        folders_made=_folders_made(base.location, landing),
        accepted=final.shown if amended and is_there else None,
        save=Save("saved", saved_ms, after) if is_saved and saved_ms is not None else None,
    )


def _folders_made(location: Location, landing: Landing) -> int:
    folder, made = location.relative.rpartition("/")[0], 0
    while folder in landing.created_dirs:
        folder, made = folder.rpartition("/")[0], made + 1
    return made


# --- looking ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Browse:
    """A query by `session`, or by the user (None). `of_session`: only changes of sessions with that name;
    `path`: a file, or a folder and everything in it; `before`: a change's id."""

    session: str | None
    path: str | None = None
    of_session: str | None = None
    change_id: str | None = None
    before: str | None = None
    limit: int = 50
    texts: bool = False


@dataclass(frozen=True, slots=True)
class Browsed(Generic[T]):
    """Newest first. `more`: older matches remain; `texts_left_out`: not all texts fitted."""

    changes: Sequence[T]
    more: bool
    texts_left_out: bool


Show = Callable[[HistoryRecord, NameOf, SettingsOf], T]
"""Makes an entry of the list of a change."""


async def browse(ws: Workspace, command: Browse, show: Show[T]) -> Browsed[T]:
    """The matching changes this session may see, each as `show` makes it on a thread, where everything
    happens: they may have thousands of files. Raises ChangeUnknown, path and store errors."""
    operation: Operation | None = None if command.session is None else "read"
    path = command.path
    if path is not None:
        path = ws.locate(path, operation=operation, directory=True).absolute
    while True:
        roots, in_force = ws.roots, ws.in_force
        browsed = await in_thread(_browse, ws, command, path, show)
        if ws.roots is roots and ws.in_force is in_force:  # else it may tell too much
            return browsed


def _browse(ws: Workspace, command: Browse, path: str | None, show: Show[T]) -> Browsed[T]:
    before = None if command.before is None else find_one(ws, command.before, texts=False).order
    most = command.limit + 1
    wanted = HistoryQuery(most, command.change_id, path, session=command.of_session, before=before)
    visible: list[HistoryRecord] = []
    places: dict[str, Sequence[Location]] = {}
    readings: dict[str, Permission] = {}
    while len(visible) < most:
        found = ws.history.find(_roots(ws), wanted)
        there = resolve(ws, command.session, found, places)
        places |= there
        readings |= judge(ws, command.session, there)
        seen = (as_seen(ws, command.session, change, readings) for change in found)
        visible += [change for change in seen if any(map(wanted.selects, change.files))]
        if len(found) < wanted.limit:
            break
        wanted = replace(wanted, before=found[-1].order, limit=max(most, _AT_ONCE))
    changes = visible[: command.limit]
    if command.change_id is not None and not changes:
        raise ChangeUnknown(command.change_id)
    changes, left_out = _with_texts(ws, command, changes, readings)
    shown = (change for change in changes if change.files)  # a read record may have gone meanwhile
    named = [
        show(
            change,
            lambda file: ws.name_of(places[file.absolute][0]),
            lambda file: ws.settings_in(places[file.absolute][0].root),
        )
        for change in shown
    ]
    return Browsed(named, len(visible) > command.limit, left_out)


def find_one(ws: Workspace, change_id: str, *, texts: bool = True) -> HistoryRecord:
    """The change with this id, visible or not. Blocking. Raises ChangeUnknown."""
    found = ws.history.find(_roots(ws), HistoryQuery(1, change_id, texts=texts))
    if not found:
        raise ChangeUnknown(change_id)
    return found[0]


def _with_texts(
    ws: Workspace, command: Browse, changes: Sequence[HistoryRecord], readings: Readings
) -> tuple[list[HistoryRecord], bool]:
    """The changes with as many texts as fit, the newest first, and whether some did not. Unless all are
    wanted, only those that the user amended need them."""
    viewer = command.session
    filled: list[HistoryRecord] = []
    room, left_out = MAX_TEXT, False
    for change in changes:
        if not command.texts and not change.modified_by_user:
            filled.append(change)
            continue
        if room > 0:
            try:
                kept = find_one(ws, change.id)
            except ChangeUnknown:  # deleted, or set aside with the database, since it was found
                continue
            whole = as_seen(ws, viewer, kept, readings)
            texts = [
                text
                for file in whole.files
                for text in (file.before, file.proposed, file.accepted, file.after)
            ]
            room -= sum(len(text) for text in texts if text)
            if room >= 0 or not filled:
                filled.append(whole)
                continue
        filled.append(change)
        left_out = True
    return filled, left_out


def resolve(
    ws: Workspace, viewer: str | None, changes: Iterable[HistoryRecord], known: Container[str] = ()
) -> Places:
    """Resolve the paths of these changes' files, each once, but for the `known` ones. Blocking."""
    paths = dict.fromkeys(file.absolute for change in changes for file in change.files)
    return {path: _places_of(ws, viewer, path) for path in paths if path not in known}


def _places_of(ws: Workspace, viewer: str | None, path: str) -> Sequence[Location]:
    location = innermost(path, ws.roots)
    if location is None:
        return ()
    try:
        leads_to = location if viewer is None else ws.files.resolve(location.root, location.relative)
    except DomainError:
        return ()
    return (location,) if leads_to == location else (location, leads_to)


def judge(ws: Workspace, viewer: str | None, places: Places) -> Readings:
    """Policy's stricter decision on reading each recorded path and the file that it leads to; denied if that
    can't be told, or the folder has been closed. The user (None) may read all files in open folders."""

    def decision(path: str, found: Sequence[Location]) -> Permission:
        if not found or (found[0].root not in ws.roots and innermost(path, ws.roots) is None):
            return "deny"
        if viewer is None:
            return "allow"
        return strictest(ws.judge("read", one, viewer) for one in found).decision

    return {path: decision(path, found) for path, found in places.items()}


def as_seen(ws: Workspace, viewer: str | None, change: HistoryRecord, readings: Readings) -> HistoryRecord:
    """The change with only the files in open folders that this viewer may read, perhaps none.

    If reading needs approval, a session that was allowed to read the file knows that one version: in a change
    from or to it, the session sees that version, and neither text, hash nor line counts of the other."""
    seen = []
    for file in change.files:
        decision = readings.get(file.absolute, "deny")
        if decision == "allow":
            seen.append(file)
        elif viewer is not None and decision == "ask":
            known = ws.sessions.hash_read(viewer, file.absolute)
            if known is not None and known in (file.before_hash, file.after_hash):
                seen.append(_only_version(file, known))
    return change if seen == [*change.files] else change._replace(files=tuple(seen))


def _only_version(file: RecordedFile, known: str) -> RecordedFile:
    before, after = file.before_hash == known, file.after_hash == known
    return file._replace(
        before_hash=known if before else None,
        after_hash=known if after else None,
        lines_added=None,
        lines_removed=None,
        before=file.before if before else None,
        proposed=None,
        after=file.after if after else None,
        accepted=None,
    )


def _roots(ws: Workspace) -> list[str]:
    return [root.path for root in ws.distinct_roots]
