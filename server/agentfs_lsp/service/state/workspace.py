"""The ports and the shared state that use cases work with, passed in explicitly."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from agentfs_lsp.domain.errors import Conflict, DomainError, NotLanded, PolicyDenied, RootMissing, TooLarge
from agentfs_lsp.domain.paths import display, parse
from agentfs_lsp.domain.policy.repositories import verdict_in_repository
from agentfs_lsp.domain.policy.verdict import strictest
from agentfs_lsp.service.files.decoding import DecodedFiles
from agentfs_lsp.service.files.snapshot import Buffer, Snapshot, Source
from agentfs_lsp.service.files.store import Location, innermost, placed
from agentfs_lsp.service.operations import Operations
from agentfs_lsp.service.programs import NoPrograms
from agentfs_lsp.service.state.outside import OutsideAgents
from agentfs_lsp.service.state.queue import FileQueue
from agentfs_lsp.service.state.refusals import Refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from contextlib import AsyncExitStack

    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.policy.verdict import Policy, Verdict
    from agentfs_lsp.domain.settings.rules import Operation
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.text.file_encodings import FileEncodings
    from agentfs_lsp.service.files.documents import Documents
    from agentfs_lsp.service.files.store import Clock, FileStore, Root
    from agentfs_lsp.service.programs import Programs
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.found import FoundInEditor
    from agentfs_lsp.service.proposal.proposals import Proposals
    from agentfs_lsp.service.proposal.record import History
    from agentfs_lsp.service.proposal.review import Reviewer
    from agentfs_lsp.service.proposal.scanner import SecretScanner
    from agentfs_lsp.service.proposal.syntax import SyntaxChecker
    from agentfs_lsp.service.state.sessions import Sessions

T = TypeVar("T")

INLINE_BYTES = 64 * 1024
"""Files up to this size are processed on the event loop: switching to a thread costs more."""

MAX_LOADS = 4
"""How many files are loaded at once to be read or changed: each may take 300 MB for a moment."""

MAX_SCANS = 4
"""How many files too large to load are searched for lines at once. That may take hours of a sparse file, and
the user's own requests need threads too."""


@dataclass(frozen=True, slots=True)
class InForce:
    """The effective settings and policy: the user's, and `tightened` for roots (by path) with rules of their
    own."""

    settings: Settings
    policy: Policy
    tightened: Mapping[str, InForce] = field(default_factory=dict)

    def at(self, root: Root) -> InForce:
        """What applies to the files of a root."""
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
    operations: Operations = field(default_factory=Operations)
    scanner: SecretScanner | None = None
    programs: Programs = field(default_factory=NoPrograms)
    roots: tuple[Root, ...] = ()
    """The open roots, with a folder that is open under several names under each of them."""
    folders: dict[str, int] = field(default_factory=dict)
    """Every absolute path by which a root is known, with its index in `roots`."""
    encodings: Mapping[str, FileEncodings] = field(default_factory=dict)
    """By root path: the encodings in which the editor opens and creates files."""
    recover: Callable[[], None] = lambda: None
    """Starts recovery; called when another server left a landing half done."""
    settings_known: bool = False
    """Whether the user's settings have arrived; until then nothing lands without asking."""
    reading_settings: set[asyncio.Task[None]] = field(default_factory=set)
    """Workspace files being parsed; until they are, everything in their folders requires approval."""
    connection: str = field(default_factory=lambda: token_hex(8))
    """Identifies this connection in history."""
    decoded: DecodedFiles = field(default_factory=DecodedFiles)
    queue: FileQueue = field(default_factory=FileQueue)
    refusals: Refusals = field(init=False)
    syntax: SyntaxChecker | None = None
    """Finds syntax errors in changes, before they are proposed."""
    found_in_editor: FoundInEditor | None = None
    """Asks the editor what other programs find in changes that landed."""
    reads_asked: Counter[str] = field(default_factory=Counter)
    """By session, how many questions before a read are open."""
    loads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_LOADS))
    """Held while a file is loaded to be read, or to compute a change of it."""
    scans: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_SCANS))
    """Held while a file that is too large to load is searched for lines."""
    outside: OutsideAgents = field(default_factory=OutsideAgents)
    late_watched: int = 0
    """The number of previews watched for late edits (`late_apply.py`)."""
    saves_awaited: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By absolute path of documents that a change left unsaved: ends the watch of it (`later_saves.py`)."""
    unreported: set[str] = field(default_factory=set)
    """Absolute paths of documents that the editor may still change by an earlier edit."""
    interrupted: frozenset[str] = frozenset()
    """Absolute paths of files that a crash left half landed, until recovered."""
    _recovered: asyncio.Event = field(default_factory=asyncio.Event)
    _landing_in: Mapping[str, Root] = field(default_factory=dict)
    _behind: set[asyncio.Task[None]] = field(default_factory=set)
    _remembering: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.refusals = Refusals(self.clock)

    def locate(
        self,
        path: str,
        paths: PathMode | None = None,
        *,
        operation: Operation | None,
        directory: bool = False,
    ) -> Location:
        """Resolve a path as spelled (docs/protocol.md#4-paths-and-roots). `paths`: which spellings are
        allowed, None for the setting's; `operation`: the agent's, None for the user, from whom nothing is
        hidden: a place where it is denied is not resolved, so judge the location next; `directory`: folders
        and roots are allowed too. Raises PolicyDenied for a path that only passes through a denied place."""
        if not all(map(self.files.root_intact, self.roots)):
            self.open_replaced()
        names = [root.name for root in self.roots]
        spelling = parse(path, names, paths or self.settings.paths, self.folders, directory=directory)
        location = Location(self.roots[spelling.root], spelling.relative)
        if spelling.relative:
            location = self.resolve(location, operation)
            for folder, index in self.folders.items():
                if index == spelling.root:
                    spelled = f"{folder.rstrip('/')}/{spelling.relative}"
                    self.documents.leads_to(spelled, location.absolute)
        if paths is None and self.settings_in(location.root).paths != self.settings.paths:
            parse(path, names, "relative", self.folders)
        return location

    def resolve(self, spelled: Location, operation: Operation | None) -> Location:
        """Where the place is now, following links; see `locate`."""
        hides = None if operation is None else partial(self._hides, operation)
        try:
            return self.files.resolve(spelled.root, spelled.relative, hides)
        except DomainError as error:  # report the path with its root if there are several
            if getattr(error, "path", None) == spelled.relative and not isinstance(error, RootMissing):
                error.path = self.name_of(spelled)  # type: ignore[attr-defined]
            raise

    def _hides(self, operation: Operation, location: Location, last: bool) -> bool:
        verdict = self.judge(operation if last else "read", location, "")
        if verdict.decision == "deny" and not last:
            raise PolicyDenied(self.name_of(location), "read", verdict.rule or "")
        return verdict.decision == "deny"

    @property
    def settings(self) -> Settings:
        """The user's settings, for what belongs to no root."""
        return self.in_force.settings

    @property
    def distinct_roots(self) -> list[Root]:
        """The open roots, each folder once, by the first of its names: the one that answers use."""
        return list({root.path: root for root in reversed(self.roots)}.values())[::-1]

    def settings_in(self, root: Root) -> Settings:
        return self.in_force.at(root).settings

    def source_of(self, location: Location) -> Source:
        """How to read the file."""
        told = self.encodings.get(location.root.path)
        named = None if told is None else told.of(location.relative)
        return Source(self.files, self.decoded, location, self.settings_in(location.root), named)

    def open_roots(self) -> None:
        """Open the roots on disk. A root removed after an approval stays open until the landing is over,
        though no path leads to it any more."""
        roots = {root.path: root for root in self.distinct_roots}
        self._landing_in = {
            root.path: root
            for proposal in self.proposals
            if proposal.past_return
            for root in (change.base.location.root for change in proposal.changes)
            if root.path not in roots
        }
        self.files.set_roots([*roots.values(), *self._landing_in.values()])

    def open_replaced(self) -> None:
        """Open the roots in whose place another folder is now, and forget everything about the old ones."""
        for root in self.roots:
            if not self.files.root_intact(root):
                self.forget_root(root)
                self.open_roots()

    def close_landed(self) -> None:
        """A proposal has ended: release removed roots kept open for it."""
        closed = self._landing_in
        if closed:
            self.open_roots()
            for path in closed.keys() - self._landing_in.keys():
                self.sessions.forget_files(partial(self._is_file_of, closed[path]))

    def forget_root(self, root: Root) -> None:
        """Forget everything about a root that was removed or replaced by another folder, except files of
        roots nested in it."""
        is_of_it = partial(self._is_file_of, root)
        self.sessions.forget_files(is_of_it)
        self.refusals.forget_files(is_of_it)
        for proposal in self.proposals:
            through_it = any(change.base.location.root.path == root.path for change in proposal.changes)
            if through_it or any(map(is_of_it, proposal.files)):
                proposal.withdraw("root_removed")

    def _is_file_of(self, root: Root, absolute: str) -> bool:
        found = innermost(absolute, (*self.roots, root))
        return found is not None and found.root.path == root.path

    def name_of(self, location: Location) -> str:
        """The file's displayed path, for answers and reviews."""
        return display(location.root.name, location.relative, several_roots=len(self.roots) > 1)

    def judge(self, operation: Operation, location: Location, session: str) -> Verdict:
        """Policy's verdict on this operation, file and session."""
        configured = self.settings.approval.mode if self.settings_known else "manual"
        mode = self.sessions.mode_of(session, configured)
        location = placed(location, self.roots)
        policy = self.in_force.at(location.root).policy
        root = location.root

        def exists(relative: str) -> bool:
            return self.files.exists(Location(root, relative))

        in_repository = verdict_in_repository(location.relative, root.path, exists)
        return in_repository or policy.judge(operation, location.relative, root=root.path, mode=mode)

    def judge_changes(self, changes: Sequence[FileChange], session: str) -> Verdict:
        """The strictest verdict on all changes. Raises PolicyDenied for the first that is denied."""
        verdicts = []
        for change in changes:
            for tool in change.tools:
                verdict = self.judge(tool, change.base.location, session)
                if verdict.decision == "deny":
                    raise PolicyDenied(change.path, tool, verdict.rule or "")
                verdicts.append(verdict)
            location = placed(change.base.location, self.roots)
            policy = self.in_force.at(location.root).policy
            named = policy.judge_git_setting(location.relative, change.base.git_setting)
            if named is not None:
                verdicts.append(named)
        return strictest(verdicts)

    def buffer_of(self, location: Location, uri: str | None = None) -> Buffer | None:
        """The open document's content, if any; for `uri` see Documents. Raises Conflict if the document is
        out of sync."""
        document = self.documents.at(location.absolute, uri)
        if document is not None and not document.in_sync:
            raise Conflict(self.name_of(location), "editor", "out_of_sync")
        return Buffer.of(document)

    def check_reported(self, location: Location) -> None:
        """Raise NotLanded if an earlier edit may still come: editors that ignore versions would misplace
        another. To be checked in the file's turn, before the user is asked."""
        if location.absolute in self.unreported:
            raise NotLanded(self.name_of(location), "unreported")

    def begin_recovery(self) -> None:
        """Start recovery after a crash; from now on, uses of the affected files wait."""
        self.interrupted = self.files.interrupted()

    def end_recovery(self, held_up: frozenset[str] = frozenset()) -> None:
        """Recovery has done what it can; uses of the files that are `held_up` go on waiting."""
        self.interrupted = held_up
        self._recovered.set()
        self._recovered = asyncio.Event()

    async def wait_for_recovery(self, location: Location) -> None:
        """Wait while the file may be half landed (docs/protocol.md#10-agentfsbatch)."""
        while self.is_interrupted(location):
            await self._recovered.wait()

    def is_interrupted(self, location: Location) -> bool:
        """Whether the file may be half landed and is being recovered."""
        if location.absolute not in self.interrupted and self.files.needs_recovery():
            self.recover()
        return location.absolute in self.interrupted

    def afterwards(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run work that no answer waits for."""
        task = asyncio.ensure_future(work)
        self._behind.add(task)
        task.add_done_callback(self._behind.discard)
        return task

    def remember(self, absolute: str, work: Coroutine[Any, Any, None]) -> None:
        """As `afterwards`, for work that the file's next `look` waits for."""
        task = self._remembering[absolute] = self.afterwards(work)
        task.add_done_callback(lambda done: self._remembered(absolute, done))

    def _remembered(self, absolute: str, done: asyncio.Task[None]) -> None:
        if self._remembering.get(absolute) is done:
            del self._remembering[absolute]

    async def look(
        self, location: Location, uri: str | None = None, loading: AsyncExitStack | None = None
    ) -> Snapshot:
        """The file's current state, editor over disk; read on a thread unless it is small, and with `loading`
        within `loads`, which stay held until it closes. Waits for pending `remember` work on the file and for
        recovery. For `uri` see Documents."""
        await self.wait_for_recovery(location)
        remembering = self._remembering.get(location.absolute)
        if remembering is not None:
            await asyncio.wait([remembering])
        return await self._look(location, self.buffer_of(location, uri), loading)

    async def look_at_disk(self, location: Location) -> Snapshot:
        """As `look`, ignoring open documents."""
        return await self._look(location, None)

    async def _look(
        self, location: Location, buffer: Buffer | None, loading: AsyncExitStack | None = None
    ) -> Snapshot:
        source = self.source_of(location)
        limit = source.settings.limits.max_file_bytes
        snapshot = None
        if is_small(buffer):
            with suppress(TooLarge):
                snapshot = source.look(buffer, min(INLINE_BYTES, limit))
        if snapshot is None:
            if loading is not None:
                await loading.enter_async_context(self.loads)
            snapshot = await in_thread(source.look, buffer, limit)
        lost_eol = self.decoded.remembered_eol(location.absolute, snapshot.hash) if snapshot.exists else ""
        return snapshot._replace(lost_eol=lost_eol, git_setting=self.files.git_setting_of(location))


def is_small(buffer: Buffer | None) -> bool:
    """Whether the buffer, if any, is small enough for the event loop; the file's size is still unknown."""
    return buffer is None or len(buffer.text) <= INLINE_BYTES


async def off_loop(size: int, work: Callable[..., T], *arguments: object) -> T:
    """Run `work` on a thread, or right here if `size` (bytes) is small. If cancelled, wait for the thread
    first, so that nothing runs on after the answer."""
    if size <= INLINE_BYTES:
        return work(*arguments)
    return await in_thread(work, *arguments)


async def in_thread(
    work: Callable[..., T], *arguments: object, stop: Callable[[], object] | None = None
) -> T:
    """Run blocking `work` on a thread; on cancellation wait for it, as `off_loop` does, after calling `stop`
    to make it end early."""
    running = asyncio.get_running_loop().run_in_executor(None, work, *arguments)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if stop is not None:
            stop()
        await asyncio.wait([running])
        if not running.cancelled():
            running.exception()  # retrieved so that asyncio does not log it: it may contain file text
        raise
