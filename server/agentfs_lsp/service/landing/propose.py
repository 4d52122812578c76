"""A change's way from what an agent asks to what lands: its file's turn, the lock, the verdict, the review.

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
from agentfs_lsp.service.landing.precondition import check_lock
from agentfs_lsp.service.landing.redaction import blindly, unseen
from agentfs_lsp.service.proposal.proposals import Proposal
from agentfs_lsp.service.state.workspace import off_loop

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.domain.paths import PathMode
    from agentfs_lsp.domain.policy.verdict import Verdict
    from agentfs_lsp.service.files.snapshot import Present
    from agentfs_lsp.service.files.store import Location
    from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
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
    ws: Workspace, asked: Asked, compute: Callable[[Present], FileChange], trace: Trace
) -> Submitted:
    """Take the change from its computation to its landing. `compute` is called with the present file once
    it is this change's turn, off the event loop unless the file is small."""
    location, reading = located(ws, asked, trace)
    if reading.decision != "deny":
        return await _submitted(ws, asked, location, compute, trace)
    with blindly(ws.name_of(location), reading, asked.expected):
        return await _submitted(ws, asked, location, compute, trace, blind=True)


async def _submitted(
    ws: Workspace,
    asked: Asked,
    location: Location,
    compute: Callable[[Present], FileChange],
    trace: Trace,
    *,
    blind: bool = False,
) -> Submitted:
    """`blind`: the session may not read what it changes, nor be told whether it changed anything."""
    path = ws.name_of(location)
    if asked.dry_run:
        change = await computed(ws, asked, location, compute, trace, blind=blind)
        await described([change])
        return Submitted(change, None, dry_run=True)
    refuse_flood(ws, asked.session)
    proposal = trace.proposal = Proposal(
        asked.session,
        asked.agent,
        asked.tool,
        asked.explanation,
        {location.absolute: path},
        ws.clock.now_ms(),
    )
    with ws.proposals.under_way(proposal) as landed:
        async with ws.queue.turn(location.absolute):
            change = await computed(ws, asked, location, compute, trace, blind=blind)
            proposal.changes = (change,)
            unchanged = Submitted(change, None)
            if unchanged.unchanged and trace.seen:
                landed.outcome = "landed"
                return unchanged
            (landing,) = await decide_and_land(ws, proposal)
            if isinstance(landing, DomainError):
                raise landing
        landed.outcome = "landed" if landing.where == "disk" else "editor"
        trace.seen = trace.seen and ws.judge("read", location, asked.session).decision != "deny"
        return Submitted(landing.change, landing)


def located(ws: Workspace, asked: Asked, trace: Trace) -> tuple[Location, Verdict]:
    """The file that is to be changed, unless policy denies that, and whether the session may read it. Raises
    PolicyDenied, and what a path may be refused for."""
    location = ws.locate(asked.path, asked.paths)
    path = trace.resolved = ws.name_of(location)
    trace.absolute = location.absolute
    reading = ws.judge("read", location, asked.session)
    trace.readable = reading.decision == "allow"
    verdict = ws.judge(asked.tool, location, asked.session)
    if verdict.decision == "deny":
        raise PolicyDenied(path, asked.tool, verdict.rule or "")
    return location, reading


def refuse_flood(ws: Workspace, session: str) -> None:
    """Raise TooManyPending where the session has as many proposals waiting as it may."""
    if ws.proposals.count_of(session) >= ws.settings.limits.pending_per_session:
        raise TooManyPending(ws.settings.limits.pending_per_session)


async def computed(
    ws: Workspace,
    asked: Asked,
    location: Location,
    compute: Callable[[Present], FileChange],
    trace: Trace,
    *,
    blind: bool = False,
) -> FileChange:
    """Look, check the lock, compute."""
    present = await ws.look(location)
    path = ws.name_of(location)
    record = ws.sessions.get(asked.session, location.absolute)
    known = record is not None and record.revision.hash == present.hash
    trace.seen = not present.exists or (not blind and (trace.readable or known))
    if not trace.seen and not blind:
        raise unseen(path, present, record)
    if present.exists and not asked.overwrite:
        raise Conflict(path, "editor" if present.dirty else "disk", "exists", actual=present.revision)
    read: Present | None = None
    if blind:
        return await off_loop(present.size, compute_checked, compute, present, read)
    try:
        read_size = len(record.text or "") if record is not None else 0
        known_as = (path, present, record, asked.expected, ws.settings_in(location.root))
        await off_loop(max(present.size, read_size), check_lock, *known_as)
    except Conflict as conflict:
        read = as_read(present, record, asked.expected, conflict) if asked.merges else None
        if read is None:
            raise
    if record is not None and known:
        ws.sessions.record(
            asked.session, location.absolute, present.revision, record.text, in_editor=present.dirty
        )
    return await off_loop(present.size, compute_checked, compute, present, read)


def compute_checked(
    compute: Callable[[Present], FileChange], present: Present, read: Present | None
) -> FileChange:
    """`read`: what the change is computed on where the file has moved on since."""
    change = compute(present) if read is None else brought_into(compute(read), present)
    change = change.ended_as_its_document().in_its_line_ends()
    change.check()
    return change
