"""A change's way from what an agent asks to what lands: its file's turn, the precondition, the
verdict, the review.

`write.py` and `edit.py` say what is to change; this is what both have in common
(docs/protocol.md#8-lock, docs/protocol.md#9-review-and-landing).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.errors import Conflict, DomainError, PolicyDenied, TooManyPending
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.landing.deciding import decide_and_land
from agentfs_lsp.service.landing.landing import described
from agentfs_lsp.service.landing.merging import as_read, brought_into
from agentfs_lsp.service.landing.precondition import check_precondition
from agentfs_lsp.service.landing.redaction import redacting, unseen
from agentfs_lsp.service.proposal.proposals import Proposal
from agentfs_lsp.service.state.workspace import off_loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.policy.verdict import Verdict
    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.files.store import Location
    from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What every change carries besides the change itself."""

    tool: Literal["write", "edit"]
    path: str
    session: str
    agent: str = ""
    explanation: str = ""
    dry_run: bool = False
    expected: Expected = field(default_factory=Expected)
    overwrite: bool = True
    """Whether the file may be there already."""
    merges: bool = False
    """Whether the change is brought into what others have made of the file since it was read."""
    extent: int = 0
    """How many characters of text came with it: with a small file too they are as much to look at."""
    paths: PathMode | None = None
    """How `path` may be spelled; None: as the settings say."""


@dataclass(slots=True)
class Trace:
    """What came to be known on the way, for the answer's context, whether it ends well or not.

    `readable`: the session may read the file at any time. `seen`: or it has read it as it is now, or nothing
    is there. Answers hold text of the file only then (docs/protocol.md#13-settings-and-policy)."""

    resolved: str | None = None
    absolute: str | None = None
    readable: bool = True
    seen: bool = True
    proposal: Proposal | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    """How it ended well. `landing` None: a dry run, or nothing to change (`unchanged`)."""

    change: FileChange
    landing: Landing | None
    dry_run: bool = False

    @property
    def unchanged(self) -> bool:
        """Whether the file held all of it already."""
        return self.landing is None and self.change.changes_nothing


async def submit(
    ws: Workspace, request: ChangeRequest, compute: Callable[[Snapshot], FileChange], trace: Trace
) -> Submitted:
    """Take the change from its computation to its landing. `compute` is called with the present file once
    it is this change's turn, off the event loop unless the file is small."""
    location, reading = located(ws, request, trace)
    if reading.decision != "deny":
        return await _submitted(ws, request, location, compute, trace)
    with redacting(ws.name_of(location), reading, request.expected):
        return await _submitted(ws, request, location, compute, trace, redacted=True)


async def _submitted(
    ws: Workspace,
    request: ChangeRequest,
    location: Location,
    compute: Callable[[Snapshot], FileChange],
    trace: Trace,
    *,
    redacted: bool = False,
) -> Submitted:
    """`redacted`: the session may not read what it changes, nor be told whether it changed anything."""
    path = ws.name_of(location)
    if request.dry_run:
        change = await computed(ws, request, location, compute, trace, redacted=redacted)
        await described([change])
        return Submitted(change, None, dry_run=True)
    refuse_flood(ws, request.session)
    proposal = trace.proposal = Proposal(
        request.session,
        request.agent,
        request.tool,
        request.explanation,
        {location.absolute: path},
        ws.clock.now_ms(),
        blind=redacted,
    )
    with ws.proposals.under_way(proposal) as landed:
        async with ws.queue.turn(location.absolute):
            change = await computed(ws, request, location, compute, trace, redacted=redacted)
            proposal.changes = (change,)
            unchanged = Submitted(change, None)
            if unchanged.unchanged and trace.seen:
                landed.outcome = "landed"
                return unchanged
            (landing,) = await decide_and_land(ws, proposal)
            if isinstance(landing, DomainError):
                raise landing
        landed.outcome = "landed" if landing.where == "disk" else "editor"
        trace.seen = trace.seen and ws.judge("read", location, request.session).decision != "deny"
        return Submitted(landing.change, landing)


def located(ws: Workspace, request: ChangeRequest, trace: Trace) -> tuple[Location, Verdict]:
    """The file that is to be changed, unless policy denies that, and whether the session may read it. Raises
    PolicyDenied, and what a path may be refused for."""
    location = ws.locate(request.path, request.paths)
    path = trace.resolved = ws.name_of(location)
    trace.absolute = location.absolute
    reading = ws.judge("read", location, request.session)
    trace.readable = reading.decision == "allow"
    verdict = ws.judge(request.tool, location, request.session)
    if verdict.decision == "deny":
        raise PolicyDenied(path, request.tool, verdict.rule or "")
    return location, reading


def refuse_flood(ws: Workspace, session: str) -> None:
    """Raise TooManyPending where the session has as many proposals waiting as it may."""
    if ws.proposals.count_of(session) >= ws.settings.limits.pending_per_session:
        raise TooManyPending(ws.settings.limits.pending_per_session)


async def computed(
    ws: Workspace,
    request: ChangeRequest,
    location: Location,
    compute: Callable[[Snapshot], FileChange],
    trace: Trace,
    *,
    redacted: bool = False,
) -> FileChange:
    """Look, check the precondition, compute."""
    snapshot = await ws.look(location)
    path = ws.name_of(location)
    record = ws.sessions.get(request.session, location.absolute)
    known = record is not None and record.revision.hash == snapshot.hash
    trace.seen = not snapshot.exists or (not redacted and (trace.readable or known))
    if not trace.seen and not redacted:
        raise unseen(path, snapshot, record)
    if snapshot.exists and not request.overwrite:
        raise Conflict(path, "editor" if snapshot.dirty else "disk", "exists", actual=snapshot.revision)
    read: Snapshot | None = None
    if redacted:
        return await off_loop(max(snapshot.size, request.extent), compute_checked, compute, snapshot, read)
    try:
        read_size = len(record.text or "") if record is not None else 0
        known_as = (path, snapshot, record, request.expected, ws.settings_in(location.root))
        await off_loop(max(snapshot.size, read_size), check_precondition, *known_as)
    except Conflict as conflict:
        read = as_read(snapshot, record, request.expected, conflict) if request.merges else None
        if read is None:
            raise
    if record is not None and known:
        ws.sessions.record(
            request.session, location.absolute, snapshot.revision, record.text, in_editor=snapshot.dirty
        )
    return await off_loop(max(snapshot.size, request.extent), compute_checked, compute, snapshot, read)


def compute_checked(
    compute: Callable[[Snapshot], FileChange], snapshot: Snapshot, read: Snapshot | None
) -> FileChange:
    """`read`: what the change is computed on where the file has moved on since."""
    change = compute(snapshot) if read is None else brought_into(compute(read), snapshot)
    change = change.ended_as_its_document().in_its_line_ends()
    change.check()
    return change
