"""What every use case stands on: the ports and the state, one of a kind, passed in and not fetched."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from agentfs_lsp.domain.errors import Conflict, DomainError, PolicyDenied, RootMissing, TooLarge
from agentfs_lsp.domain.paths import display, parse
from agentfs_lsp.domain.policy.verdict import strictest
from agentfs_lsp.service.files.decoding import DecodedFiles
from agentfs_lsp.service.files.snapshot import Buffer, Snapshot, look
from agentfs_lsp.service.files.store import Location
from agentfs_lsp.service.state.queue import FileQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.policy.verdict import Policy, Verdict
    from agentfs_lsp.domain.settings.rules import Operation
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.text.file_encodings import FileEncodings
    from agentfs_lsp.service.files.documents import Documents
    from agentfs_lsp.service.files.store import Clock, FileStore, Root
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.proposals import Proposals
    from agentfs_lsp.service.proposal.record import History
    from agentfs_lsp.service.proposal.review import Reviewer
    from agentfs_lsp.service.state.sessions import Sessions

T = TypeVar("T")

INLINE_BYTES = 64 * 1024
"""Up to this size a file is read and searched on the event loop: a hop to a thread costs more."""


@dataclass(frozen=True, slots=True)
class InForce:
    """The settings and the policy that hold: the user's, and `tightened` by the path of a root that says
    something of itself."""

    settings: Settings
    policy: Policy
    tightened: Mapping[str, InForce] = field(default_factory=dict)

    def at(self, root: Root) -> InForce:
        """What holds for the files of a root."""
        return self.tightened.get(root.path, self)


@dataclass(slots=True)
class Workspace:
    """The workspace of one connection."""

    files: FileStore
    documents: Documents
    reviewer: Reviewer
    sessions: Sessions
    proposals: Proposals
    clock: Clock
    in_force: InForce
    history: History
    roots: tuple[Root, ...] = ()
    folders: dict[str, int] = field(default_factory=dict)
    """Every absolute path a root is known under, with its place in `roots`."""
    encodings: Mapping[str, FileEncodings] = field(default_factory=dict)
    """By a root's path, in which encodings the editor opens and creates files there."""
    before_use: Callable[[Root], None] = lambda _: None
    """Called with a file's root before anything is done with the file: what the root says may be new."""
    recover: Callable[[], None] = lambda: None
    """Called when another server has left a landing half done: it begins to recover that."""
    settings_known: bool = False
    """Whether the user's settings have been told; until then nothing is let through."""
    connection: str = field(default_factory=lambda: token_hex(8))
    """Names this connection among all that history knows."""
    decoded: DecodedFiles = field(default_factory=DecodedFiles)
    queue: FileQueue = field(default_factory=FileQueue)
    last_kept: dict[str, str] = field(default_factory=dict)
    """By session, the id of its last change that history was given."""
    late_watched: int = 0
    """Withdrawn previews that are still looked out for (`late_apply.py`)."""
    interrupted: frozenset[str] = frozenset()
    """Absolute paths of files of which a crash left a landing half done, until that is recovered."""
    _recovered: asyncio.Event = field(default_factory=asyncio.Event)
    _landing_in: Mapping[str, Root] = field(default_factory=dict)
    _behind: set[asyncio.Task[None]] = field(default_factory=set)
    _remembering: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def locate(self, path: str, paths: PathMode | None = None, *, directory: bool = False) -> Location:
        """Where a path as an agent spells it leads to (docs/protocol.md#4-paths-and-roots). `paths`: how it
        may be spelled, None for as the settings say; `directory`: it may be one, a root too."""
        for root in self.roots:
            if not self.files.root_intact(root):
                self.leave(root.path)
                self.open_roots()
        spelling = parse(
            path,
            [root.name for root in self.roots],
            paths or self.settings.paths,
            self.folders,
            directory=directory,
        )
        root = self.roots[spelling.root]
        location = Location(root, spelling.relative)
        if spelling.relative:
            try:
                location = self.files.resolve(root, spelling.relative)
            except DomainError as error:  # named as paths are given, with the root where there are several
                named = getattr(error, "path", None)
                if named == spelling.relative and not isinstance(error, RootMissing):
                    error.path = self.name_of(location)  # type: ignore[attr-defined]
                raise
        self.before_use(location.root)
        if paths is None and self.settings_in(location.root).paths != self.settings.paths:
            parse(path, [root.name for root in self.roots], "relative", self.folders)
        return location

    @property
    def settings(self) -> Settings:
        """The user's settings, for what belongs to no root."""
        return self.in_force.settings

    def settings_in(self, root: Root) -> Settings:
        """The settings that hold for the files of a root."""
        return self.in_force.at(root).settings

    def encoding_of(self, location: Location) -> str | None:
        """The encoding in which the editor would open or create the file, as the editor calls it; None where
        it has not told."""
        told = self.encodings.get(location.root.path)
        return None if told is None else told.of(location.relative)

    def open_roots(self) -> None:
        """Have the disk open the roots. One that was closed behind a yes stays open there until what was
        accepted has landed; no name leads to it any more."""
        roots = {root.path: root for root in self.roots}
        self._landing_in = {
            root.path: root
            for proposal in self.proposals
            if proposal.past_return
            for root in (change.base.location.root for change in proposal.changes)
            if root.path not in roots
        }
        self.files.set_roots([*self.roots, *self._landing_in.values()])

    def close_landed(self) -> None:
        """A proposal has ended: let go of the closed roots that were left open for it."""
        closed = self._landing_in
        if closed:
            self.open_roots()
            for path in closed.keys() - self._landing_in.keys():
                self.sessions.forget_below(path)

    def leave(self, folder: str) -> None:
        """A root is gone, or another folder stands in its place: nothing that was known of it holds."""
        self.sessions.forget_below(folder)
        for proposal in self.proposals:
            if any(absolute.startswith(folder.rstrip("/") + "/") for absolute in proposal.files):
                proposal.withdraw("root_removed")

    def name_of(self, location: Location) -> str:
        """The file's name as answers and reviews show it."""
        return display(location.root.name, location.relative, several_roots=len(self.roots) > 1)

    def judge(self, operation: Operation, location: Location, session: str) -> Verdict:
        """What policy says of this operation on this file, for this session."""
        configured = self.settings.approval.mode if self.settings_known else "manual"
        mode = self.sessions.mode_of(session, configured)
        policy = self.in_force.at(location.root).policy
        return policy.judge(operation, location.relative, root=location.root.path, mode=mode)

    def judge_changes(self, changes: Sequence[FileChange], session: str) -> Verdict:
        """The strictest verdict over all of them. Raises PolicyDenied for the first that is denied."""
        verdicts = []
        for change in changes:
            for tool in change.tools:
                verdict = self.judge(tool, change.base.location, session)
                if verdict.decision == "deny":
                    raise PolicyDenied(change.path, tool, verdict.rule or "")
                verdicts.append(verdict)
        return strictest(verdicts)

    def buffer_of(self, location: Location) -> Buffer | None:
        """The open document's text, if there is one. Raises Conflict when what the editor holds is not known
        with certainty."""
        document = self.documents.at(location.absolute)
        if document is not None and not document.in_sync:
            raise Conflict(self.name_of(location), "editor", "out_of_sync")
        return Buffer.of(document)

    def begin_recovery(self) -> None:
        """What a crash interrupted is about to be recovered: from now on its files are waited for."""
        self.interrupted = self.files.interrupted()
        self._recovered.clear()

    def end_recovery(self) -> None:
        """As far as it can be it is recovered."""
        self.interrupted = frozenset()
        self._recovered.set()

    async def recovered(self, location: Location) -> None:
        """Wait while the file may hold half of a landing (docs/protocol.md#10-agentfsbatch)."""
        while self.is_interrupted(location):
            await self._recovered.wait()

    def is_interrupted(self, location: Location) -> bool:
        """Whether the file may hold half of a landing, and is being recovered."""
        if not self.interrupted and self.files.half_landed():
            self.recover()
        return location.absolute in self.interrupted

    def afterwards(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do what no answer waits for."""
        task = asyncio.ensure_future(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)
        return task

    def remember(self, absolute: str, work: Coroutine[Any, Any, None]) -> None:
        """As `afterwards`, for what a later look at that file needs."""
        task = self._remembering[absolute] = self.afterwards(work)
        task.add_done_callback(lambda done: self._remembered(absolute, done))

    def _remembered(self, absolute: str, done: asyncio.Task[None]) -> None:
        if self._remembering.get(absolute) is done:
            del self._remembering[absolute]

    async def look(self, location: Location) -> Snapshot:
        """The file as it is now, buffer over disk; off the event loop unless it is small. What is still
        being remembered of its last landing, or recovered of an interrupted one, is waited for."""
        if self.is_interrupted(location):
            await self.recovered(location)
        remembering = self._remembering.get(location.absolute)
        if remembering is not None:
            await asyncio.wait([remembering])
        return await self._look(location, self.buffer_of(location))

    async def look_at_disk(self, location: Location) -> Snapshot:
        """The same as if no editor had the file open."""
        return await self._look(location, None)

    async def _look(self, location: Location, buffer: Buffer | None) -> Snapshot:
        settings = self.settings_in(location.root)
        known = (self.files, self.decoded, location, buffer, settings)
        named, limit = self.encoding_of(location), settings.limits.max_file_bytes
        snapshot = None
        if is_small(buffer):
            with suppress(TooLarge):
                snapshot = look(*known, min(INLINE_BYTES, limit), named)
        if snapshot is None:
            snapshot = await in_thread(look, *known, limit, named)
        lost_eol = self.decoded.remembered_eol(location.absolute, snapshot.hash)
        return replace(snapshot, lost_eol=lost_eol) if lost_eol and snapshot.exists else snapshot


def is_small(buffer: Buffer | None) -> bool:
    """Whether the buffer, if there is one, may be worked on here; of the file only reading it tells."""
    return buffer is None or len(buffer.text) <= INLINE_BYTES


async def off_loop(size: int, work: Callable[..., T], *arguments: object) -> T:
    """Do `work` in a thread, or here when `size` (bytes) is small. Not given up midway: when the caller is
    cancelled the thread's work is done with first, so that nothing goes on behind an answer."""
    if size <= INLINE_BYTES:
        return work(*arguments)
    return await in_thread(work, *arguments)


async def in_thread(
    work: Callable[..., T], *arguments: object, stop: Callable[[], object] | None = None
) -> T:
    """Do blocking `work` in a thread; see `off_loop` for cancellation. `stop` is called then, where the work
    need not be done to its end."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if stop is not None:
            stop()
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # taken, so that nobody logs it: it may hold text of files
        raise
