"""A change of one file as requested by write and edit: find the file, check it, compute the change
(docs/protocol.md#8-lock, docs/protocol.md#9-review-and-landing).

`write.py` and `edit.py` define the change; `propose.py` takes it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.errors import Conflict, PolicyDenied, error_access
from agentfs_lsp.domain.paths import PathMode
from agentfs_lsp.domain.policy.verdict import Verdict
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.correcting import corrected
from agentfs_lsp.service.diagnosing import with_reported
from agentfs_lsp.service.examining import examined
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.files.store import Location, placed
from agentfs_lsp.service.landing.deciding import may_tell
from agentfs_lsp.service.landing.landing import described
from agentfs_lsp.service.landing.last_line_end import checked
from agentfs_lsp.service.landing.merging import merge_base, rebased
from agentfs_lsp.service.landing.precondition import check_precondition
from agentfs_lsp.service.landing.redaction import looking_unseen, redacting, unseen
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Origin, Proposal
from agentfs_lsp.service.propose import propose
from agentfs_lsp.service.state.sessions import Known
from agentfs_lsp.service.state.workspace import Workspace, off_loop
from agentfs_lsp.service.timing import UNTIMED, Timing

Plan = Callable[["Snapshot", Access], "FileChange"]
"""Computes the change from the file's current content; on a thread unless the file is small."""


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What every change request carries besides the change itself."""

    tool: Literal["write", "edit"]
    path: str
    session: str
    agent: str = ""
    explanation: str = ""
    dry_run: bool = False
    expected: Expected = field(default_factory=Expected)
    overwrite: bool = True
    """Whether the file may already exist."""
    merges: bool = False
    """Whether to merge the change into what others changed since the session's read."""
    extent: int = 0
    """Characters of text in the request: they cost time even if the file is small."""
    paths: PathMode | None = None
    """Which spellings of `path` are allowed; None: as the settings say."""
    confirms: bool = False
    """Whether the user is asked to confirm the call, in the words of `title_of`."""
    timing: Timing = UNTIMED


class ChangeCommand(Protocol):
    """`Write` or `Edit`."""

    @property
    def request(self) -> ChangeRequest: ...

    def plan(self, ws: Workspace) -> Plan:
        """Return the function that computes the change. Raises errors that don't depend on the file's
        content."""


@dataclass(frozen=True, slots=True)
class Target:
    """The file to change. `reading`: policy's verdict on reading it. `known`: what the session knew about it
    when it sent the request."""

    location: Location
    path: str
    reading: Verdict
    known: Known

    @property
    def is_hidden(self) -> bool:
        """Whether the session may neither read the file nor learn whether it changed anything."""
        return self.reading.decision == "deny"


@dataclass(frozen=True, slots=True)
class Submitted:
    """A change request that ended well. `landing` is None after a dry run or if nothing changed
    (`unchanged`); `proposal` is None after a dry run."""

    change: FileChange
    landing: Landing | None
    access: Access
    proposal: Proposal | None

    @property
    def dry_run(self) -> bool:
        return self.proposal is None

    @property
    def unchanged(self) -> bool:
        """Whether the file already had the requested content."""
        return self.landing is None and self.change.changes_nothing


async def submit(ws: Workspace, command: ChangeCommand, moment: int) -> Submitted:
    """Process a write or an edit that arrived at `moment`, up to its landing. Raises what `locate`, the plan,
    the precondition, review and landing raise."""
    request, plan = command.request, command.plan(ws)
    with request.timing.phase("resolve"):
        async with ws.queue.finding:
            target = locate(ws, request, moment)
    location = target.location

    async def find() -> Mapping[str, str]:
        return {location.absolute: target.path}

    async def compute() -> list[FileChange]:
        return [await corrected(ws, await compute_change(ws, request, target, plan))]

    hidden = redacting(target.path, target.reading, request.expected) if target.is_hidden else nullcontext()
    with error_access(Access(target.path, location.absolute)), hidden:
        if request.dry_run:
            (change,) = await examined(ws, request.session, await compute())
            await described([change])
            return Submitted(change, None, change.access, None)
        origin = Origin(
            request.session,
            request.agent,
            request.tool,
            request.explanation,
            blind=target.is_hidden,
            confirms=request.confirms,
            timing=request.timing,
        )
        proposed = await propose(ws, origin, find, compute)
    landings = await with_reported(ws, proposed.proposal, proposed.landings)
    (change,), landing = proposed.changes, next(iter(landings), None)
    access = change.access
    if landing is not None and not may_tell(ws, proposed.proposal, landing):
        access = access._replace(readable=False, seen=False)
    return Submitted(landing.change if landing else change, landing, access, proposed.proposal)


def locate(ws: Workspace, request: ChangeRequest, moment: int) -> Target:
    """Find the file to change. Raises PolicyDenied if policy forbids the change, and path errors."""
    location = ws.locate(request.path, request.paths, operation=request.tool)
    path = ws.name_of(location)
    verdict = ws.judge(request.tool, location, request.session)
    if verdict.decision == "deny":
        with error_access(Access(path, location.absolute)):
            raise PolicyDenied(path, request.tool, verdict.rule or "")
    known = ws.sessions.known(request.session, location.absolute, moment)
    return Target(location, path, ws.judge("read", location, request.session), known)


async def compute_change(ws: Workspace, request: ChangeRequest, target: Target, plan: Plan) -> FileChange:
    """Look at the file, check the precondition, compute the change."""
    location, path, session = placed(target.location, ws.roots), target.path, request.session
    reading = ws.judge("read", location, session)
    if reading.decision == "deny" and not target.is_hidden:  # denied since the request arrived
        raise PolicyDenied(path, "read", reading.rule or "")
    readable = target.reading.decision == reading.decision == "allow"
    record = ws.sessions.get(session, location.absolute)
    async with AsyncExitStack() as loading:
        hiding = nullcontext() if readable or target.is_hidden else looking_unseen(path, record)
        with request.timing.phase("read"), hiding:
            snapshot = await ws.look(location, loading=loading)
        record = ws.sessions.get(session, location.absolute)  # again: looking may have waited
        known = record is not None and record.revision.hash == snapshot.hash
        seen = not snapshot.exists or (not target.is_hidden and (readable or known))
        access = Access(path, location.absolute, readable, seen)
        with error_access(access):
            if not seen and not target.is_hidden:
                raise unseen(path, record, "editor" if snapshot.dirty else "disk")
            if snapshot.exists and not request.overwrite:
                in_editor = snapshot.dirty and not target.is_hidden  # unsaved edits are hidden too
                raise Conflict(path, "editor" if in_editor else "disk", "exists", actual=snapshot.revision)
            if request.tool == "write":  # it replaces everything
                record = ws.sessions.basis(session, location.absolute, target.known)
            read: Snapshot | None = None
            if not target.is_hidden:
                try:
                    read_size = len(record.text or "") if record is not None else 0
                    known_as = (path, snapshot, record, request.expected, ws.settings_in(location.root))
                    await off_loop(max(snapshot.size, read_size), check_precondition, *known_as)
                except Conflict as conflict:
                    read = (
                        merge_base(snapshot, record, request.expected, conflict) if request.merges else None
                    )
                    if read is None:
                        raise
                if record is not None and record.revision.hash == snapshot.hash:
                    revision, in_editor = snapshot.revision, snapshot.dirty
                    ws.sessions.record(session, location.absolute, revision, record.text, in_editor=in_editor)
            ws.check_reported(location)
            size = max(snapshot.size, request.extent)
            with request.timing.phase("match"):
                return await off_loop(size, compute_checked, plan, snapshot, access, read)


def compute_checked(
    plan: Plan, snapshot: Snapshot, access: Access, read: Snapshot | None = None
) -> FileChange:
    """Compute the change on `read` if the file has moved on since, and merge it."""
    return checked(plan(snapshot, access) if read is None else rebased(plan(read, access), snapshot))
