"""agentfs/batch: several writes and edits as one proposal (docs/protocol.md#10-agentfsbatch).

Operations on one file build on each other in their order and become one change of it; the files are reviewed
together, and land all or none, or each by itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    LeftUndone,
    MalformedPath,
    PolicyDenied,
)
from agentfs_lsp.service.edit import plan_edit
from agentfs_lsp.service.landing.deciding import decide_and_land
from agentfs_lsp.service.landing.landing import described
from agentfs_lsp.service.landing.propose import Trace, compute_checked, computed, located, refuse_flood
from agentfs_lsp.service.proposal.change import Landing
from agentfs_lsp.service.proposal.proposals import Proposal, outcome_of
from agentfs_lsp.service.state.workspace import off_loop
from agentfs_lsp.service.write import Write, plan_write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from agentfs_lsp.domain.matching.levels import Level
    from agentfs_lsp.service.edit import Edit
    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.files.store import Location
    from agentfs_lsp.service.proposal.change import Correction, FileChange, Operation
    from agentfs_lsp.service.proposal.proposals import Landed
    from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Made:
    """What an answer says of one operation's change by itself, without the texts it is made of: of a large
    file there may be a thousand. `dirty`: of a file that has unsaved changes."""

    operation: Operation
    level: Level | None
    replacements: int
    corrections: tuple[Correction, ...]
    merged: str | None
    dirty: bool

    @classmethod
    def of(cls, change: FileChange) -> Made:
        """What is to be kept of `change`."""
        return cls(
            change.operation,
            change.level,
            change.replacements,
            change.corrections,
            change.merged,
            change.base.dirty,
        )


@dataclass(slots=True)
class Step:
    """One operation on its way: what it made of the file by itself, what became of its file (`landing`), or
    why it came to nothing."""

    command: Write | Edit
    trace: Trace = field(default_factory=Trace)
    location: Location | None = None
    made: Made | None = None
    landing: Landing | None = None
    error: DomainError | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What is asked for. `atomic`: all of it lands, or none."""

    steps: Sequence[Step]
    session: str
    agent: str = ""
    explanation: str = ""
    atomic: bool = True
    dry_run: bool = False


async def batch(ws: Workspace, command: Batch, trace: Trace) -> list[FileChange]:
    """Propose and land it; each step then tells what became of it. Returns the changes, one a file, as they
    were accepted. Raises, for an atomic batch, what any step failed by, and what the review raises for all;
    then nothing changed, but where an error is LandingUnknown."""
    try:
        _locate(ws, command)
        if command.dry_run:
            changes = await _computed(ws, command)
            await described(changes)
            return changes
        refuse_flood(ws, command.session)
        return await _submitted(ws, command, trace)
    except DomainError as error:
        _tell_all(command.steps, error)
        raise


def _locate(ws: Workspace, command: Batch) -> None:
    for step in command.steps:
        try:
            location, reading = located(ws, step.command.request, step.trace)
            if reading.decision == "deny":  # what landed would tell of what may not be read
                raise PolicyDenied(ws.name_of(location), "read", reading.rule or "")
            step.location = location
        except DomainError as error:
            _fail(command, step, error)


async def _submitted(ws: Workspace, command: Batch, trace: Trace) -> list[FileChange]:
    places = [step.location for step in command.steps if step.location is not None]
    files = {location.absolute: ws.name_of(location) for location in places}
    proposal = trace.proposal = Proposal(
        command.session,
        command.agent,
        "batch",
        command.explanation,
        files,
        ws.clock.now_ms(),
        atomic=command.atomic,
    )
    with ws.proposals.under_way(proposal) as landed:
        async with ws.queue.turn(*files):
            changes = await _computed(ws, command)
            if not changes:
                landed.outcome = "failed" if all(step.error for step in command.steps) else "landed"
                return []
            proposal.changes = tuple(changes)
            return await _landed(ws, command, proposal, landed)


async def _landed(ws: Workspace, command: Batch, proposal: Proposal, landed: Landed) -> list[FileChange]:
    outcomes = await decide_and_land(ws, proposal)
    for change, outcome in zip(proposal.changes, outcomes, strict=True):
        if isinstance(outcome, DomainError):
            outcome.forget_where()
        for step in _steps_of(command.steps, change.base.location.absolute):
            if isinstance(outcome, Landing):
                step.landing = outcome
            elif step.error is None:
                step.error = outcome
    landings = [outcome for outcome in outcomes if isinstance(outcome, Landing)]
    if landings:
        landed.outcome = "landed" if all(one.where == "disk" for one in landings) else "editor"
    else:
        landed.outcome = next(outcome_of(one) for one in outcomes if isinstance(one, DomainError))
    return [one.change for one in landings]


# --- computing --------------------------------------------------------------------------------------------


async def _computed(ws: Workspace, command: Batch) -> list[FileChange]:
    """One change for each file that is not so already, in the order in which the files come up. Cancelled
    between two operations, it ends there."""
    by_file: dict[str, FileChange] = {}
    for step in command.steps:
        if step.location is None:
            continue
        await asyncio.sleep(0)
        absolute = step.location.absolute
        try:
            _check_no_file_above(step, absolute, by_file)
            plan = _plan(ws, command, step, by_file.values())
            change = await _next(ws, step, step.location, plan, by_file.get(absolute))
        except DomainError as error:
            _fail(command, step, error)
            continue
        step.made = Made.of(change)
        so_far = by_file.get(absolute)
        by_file[absolute] = change if so_far is None else so_far.followed_by(change)
    return [change for change in by_file.values() if not change.changes_nothing]


def _check_no_file_above(step: Step, absolute: str, by_file: Mapping[str, FileChange]) -> None:
    """Raise MalformedPath for a path below what an earlier operation makes a file."""
    above = absolute
    while above := above.rpartition("/")[0]:
        if above in by_file:
            raise MalformedPath(step.command.request.path, "below_file")


async def _next(
    ws: Workspace,
    step: Step,
    location: Location,
    plan: Callable[[Snapshot], FileChange],
    so_far: FileChange | None,
) -> FileChange:
    """The step's change of what the steps before it made of the file. What the request expects of the file is
    meant of the file as it is before all of them."""
    request = step.command.request
    if so_far is None:
        return await computed(ws, request, location, plan, step.trace)
    if not request.overwrite:
        raise Conflict(so_far.path, "disk", "exists")
    if request.expected and not request.expected.met_by(so_far.base.revision):
        raise Conflict(so_far.path, "disk", "expected", request.expected, so_far.base.revision)
    snapshot = await off_loop(so_far.base.size, so_far.result)
    return await off_loop(max(snapshot.size, request.extent), compute_checked, plan, snapshot, None)


def _plan(
    ws: Workspace, command: Batch, step: Step, before: Iterable[FileChange]
) -> Callable[[Snapshot], FileChange]:
    """`before`: the changes so far. A folder that one of them makes will be there."""
    if not isinstance(step.command, Write):
        return plan_edit(ws, step.command, step.trace)
    folder_comes = _is_folder_made(step, before)
    plan = plan_write(ws, step.command, step.trace, folder_comes=folder_comes)
    if not (folder_comes and command.atomic):
        return plan
    # All of it is staged side by side: whoever comes first makes the folder.
    return lambda snapshot: replace(plan(snapshot), create_dirs=True)


def _is_folder_made(step: Step, before: Iterable[FileChange]) -> bool:
    assert step.location is not None
    folder = step.location.absolute.rpartition("/")[0] + "/"
    return any(
        change.operation == "create"
        and change.create_dirs
        and change.base.location.absolute.startswith(folder)
        for change in before
    )


# --- what went wrong --------------------------------------------------------------------------------------


def _fail(command: Batch, step: Step, error: DomainError) -> None:
    step.error = error
    if command.atomic:
        raise error
    error.forget_where()


def _tell_all(steps: Sequence[Step], error: DomainError) -> None:
    """Nothing landed: each step is told why. What is about one file is the fault of the first step on it, and
    what was rejected of those on these; the others were left undone by it."""
    if not any(step.error for step in steps):
        for step in _at_fault(steps, error):
            step.error = error
    for step in steps:
        if step.error is None:
            step.error = LeftUndone(step.trace.resolved or step.command.request.path, "together")


def _at_fault(steps: Sequence[Step], error: DomainError) -> Iterable[Step]:
    if isinstance(error, LandingUnknown):
        return steps
    if error.file:
        return _steps_of(steps, error.file)[:1]
    rejected = getattr(error, "paths", ())
    return [step for step in steps if step.trace.resolved in rejected] if rejected else steps


def _steps_of(steps: Sequence[Step], absolute: str) -> list[Step]:
    return [step for step in steps if step.location is not None and step.location.absolute == absolute]
