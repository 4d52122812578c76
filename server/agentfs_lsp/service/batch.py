"""agentfs/batch: several writes and edits as one proposal (docs/protocol.md#10-agentfsbatch).

Operations on one file build on each other in their order and become one change of it; the files are reviewed
together, and land all or none, or each by itself.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    LeftUndone,
    MalformedPath,
    PolicyDenied,
)
from agentfs_lsp.service.change_request import compute_change, compute_checked, locate
from agentfs_lsp.service.landing.landing import described
from agentfs_lsp.service.proposal.change import Landing
from agentfs_lsp.service.proposal.proposal import Origin
from agentfs_lsp.service.propose import propose
from agentfs_lsp.service.state.workspace import off_loop
from agentfs_lsp.service.write import Write

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from agentfs_lsp.domain.matching.levels import Level
    from agentfs_lsp.service.change_request import ChangeRequest, Plan, Target
    from agentfs_lsp.service.edit import Edit
    from agentfs_lsp.service.proposal.change import Correction, FileChange, Operation
    from agentfs_lsp.service.proposal.proposal import Proposal
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
    access: Access = HIDDEN
    target: Target | None = None
    made: Made | None = None
    landing: Landing | None = None
    error: DomainError | None = None

    @property
    def path(self) -> str:
        """The file as answers name it, or as the request does where that leads to none."""
        return self.access.path or self.command.request.path


@dataclass(frozen=True, slots=True)
class Batch:
    """What is asked for. `atomic`: all of it lands, or none."""

    steps: Sequence[Step]
    session: str
    agent: str = ""
    explanation: str = ""
    atomic: bool = True
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Batched:
    """How it ended: the changes, one a file, as they were accepted; its steps tell the rest. `proposal` None:
    a dry run."""

    changes: Sequence[FileChange]
    proposal: Proposal | None


async def batch(ws: Workspace, command: Batch) -> Batched:
    """Propose and land it; each step then tells what became of it. Raises, for an atomic batch, what any step
    failed by, and what the review raises for all; then nothing changed, but where an error is LandingUnknown.
    """

    async def find() -> Mapping[str, str]:
        targets = [step.target for step in command.steps if step.target is not None]
        return {target.location.absolute: target.path for target in targets}

    async def compute() -> Sequence[FileChange]:
        return await _computed(ws, command)

    try:
        _locate(ws, command)
        if command.dry_run:
            changes = [change for change in await compute() if not change.changes_nothing]
            await described(changes)
            return Batched(changes, None)
        origin = Origin(command.session, command.agent, "batch", command.explanation, command.atomic)
        proposed = await propose(ws, origin, find, compute, each=True)
    except DomainError as error:
        _tell_all(command.steps, error)
        raise
    for change, outcome in zip(proposed.proposal.changes, proposed.outcomes, strict=True):
        if isinstance(outcome, DomainError):
            outcome.forget_where()
        for step in _steps_of(command.steps, change.base.location.absolute):
            if isinstance(outcome, Landing):
                step.landing = outcome
            elif step.error is None:
                step.error = outcome
    return Batched([landing.change for landing in proposed.landings], proposed.proposal)


def _locate(ws: Workspace, command: Batch) -> None:
    for step in command.steps:
        try:
            target = locate(ws, step.command.request)
            step.access = Access(target.path, target.location.absolute)
            if target.is_hidden:  # what landed would tell of what may not be read
                raise PolicyDenied(target.path, "read", target.reading.rule or "")
            step.target = target
        except DomainError as error:
            _fail(command, step, error)


# --- computing --------------------------------------------------------------------------------------------


async def _computed(ws: Workspace, command: Batch) -> list[FileChange]:
    """One change for each file, in the order in which the files come up. Cancelled between two operations, it
    ends there."""
    by_file: dict[str, FileChange] = {}
    for step in command.steps:
        if step.target is None:
            continue
        await asyncio.sleep(0)
        absolute = step.access.absolute
        so_far = by_file.get(absolute)
        try:
            _check_no_file_above(step, absolute, by_file)
            plan = _plan(ws, command, step, by_file.values())
            change = await _next(ws, step.command.request, step.target, plan, so_far)
        except DomainError as error:
            _fail(command, step, error)
            continue
        step.made, step.access = Made.of(change), change.access
        by_file[absolute] = change if so_far is None else so_far.followed_by(change)
    return list(by_file.values())


def _check_no_file_above(step: Step, absolute: str, by_file: Mapping[str, FileChange]) -> None:
    """Raise MalformedPath for a path below what an earlier operation makes a file."""
    above = absolute
    while above := above.rpartition("/")[0]:
        if above in by_file:
            raise MalformedPath(step.command.request.path, "below_file")


async def _next(
    ws: Workspace, request: ChangeRequest, target: Target, plan: Plan, so_far: FileChange | None
) -> FileChange:
    """The step's change of what the steps before it made of the file. What the request expects of the file is
    meant of the file as it is before all of them."""
    if so_far is None:
        return await compute_change(ws, request, target, plan)
    if not request.overwrite:
        raise Conflict(so_far.path, "disk", "exists")
    if request.expected and not request.expected.met_by(so_far.base.revision):
        raise Conflict(so_far.path, "disk", "expected", request.expected, so_far.base.revision)
    snapshot = await off_loop(so_far.base.size, so_far.result)
    return await off_loop(max(snapshot.size, request.extent), compute_checked, plan, snapshot, so_far.access)


def _plan(ws: Workspace, command: Batch, step: Step, before: Iterable[FileChange]) -> Plan:
    """`before`: the changes so far. A folder that one of them makes will be there."""
    if not isinstance(step.command, Write):
        return step.command.plan(ws)
    folder_comes = _is_folder_made(step, before)
    plan = step.command.plan(ws, folder_comes=folder_comes)
    if not (folder_comes and command.atomic):
        return plan
    # All of it is staged side by side: whoever comes first makes the folder.
    return lambda snapshot, access: replace(plan(snapshot, access), create_dirs=True)


def _is_folder_made(step: Step, before: Iterable[FileChange]) -> bool:
    folder = step.access.absolute.rpartition("/")[0] + "/"
    return any(
        change.operation == "create"
        and change.create_dirs
        and change.base.location.absolute.startswith(folder)
        for change in before
    )


# --- what went wrong --------------------------------------------------------------------------------------


def _fail(command: Batch, step: Step, error: DomainError) -> None:
    step.error = error
    step.access = error.access if error.access.path else step.access
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
            step.error = LeftUndone(step.path, "together")


def _at_fault(steps: Sequence[Step], error: DomainError) -> Iterable[Step]:
    if isinstance(error, LandingUnknown):
        return steps
    if error.file:
        return _steps_of(steps, error.file)[:1]
    rejected = getattr(error, "paths", ())
    return [step for step in steps if step.access.path in rejected] if rejected else steps


def _steps_of(steps: Sequence[Step], absolute: str) -> list[Step]:
    return [step for step in steps if step.target is not None and step.access.absolute == absolute]
