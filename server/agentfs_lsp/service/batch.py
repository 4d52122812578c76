"""agentfs/batch: several writes and edits as one proposal (docs/protocol.md#10-agentfsbatch).

Operations on one file apply in order and become one change; the files are reviewed together and land all or
none, or each on its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    LeftUndone,
    MalformedPath,
    PolicyDenied,
)
from agentfs_lsp.domain.matching.levels import Level
from agentfs_lsp.service.change_request import (
    ChangeRequest,
    Plan,
    Target,
    compute_change,
    compute_checked,
    locate,
)
from agentfs_lsp.service.correcting import corrected
from agentfs_lsp.service.diagnosing import with_reported
from agentfs_lsp.service.edit import Edit
from agentfs_lsp.service.examining import examined
from agentfs_lsp.service.landing.deciding import may_tell
from agentfs_lsp.service.landing.landing import described
from agentfs_lsp.service.proposal.change import Correction, FileChange, Landing, Operation
from agentfs_lsp.service.proposal.proposal import Origin, Proposal
from agentfs_lsp.service.propose import propose
from agentfs_lsp.service.state.workspace import Workspace, off_loop
from agentfs_lsp.service.timing import UNTIMED, Timing
from agentfs_lsp.service.write import Write


@dataclass(frozen=True, slots=True)
class StepChange:
    """What an answer reports about one operation's change, without its texts: one large file may have a
    thousand operations. `dirty`: the file has unsaved changes."""

    operation: Operation
    level: Level | None
    replacements: int
    corrections: tuple[Correction, ...]
    merged: str | None
    dirty: bool

    @classmethod
    def of(cls, change: FileChange) -> StepChange:
        """Keep what answers need of `change`."""
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
    """One operation: what it made of the file, how the file landed (`landing`), or why it failed."""

    command: Write | Edit
    access: Access = HIDDEN
    target: Target | None = None
    made: StepChange | None = None
    landing: Landing | None = None
    error: DomainError | None = None

    @property
    def path(self) -> str:
        """The file's displayed path, or the path as requested if it can't be resolved."""
        return self.access.path or self.command.request.path

    @property
    def is_unsaved(self) -> bool:
        """Whether the file has the operation's result only in the editor."""
        if self.error is not None or self.made is None:
            return False
        return self.made.dirty if self.landing is None else self.landing.where == "editor"


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch request. `atomic`: all or nothing lands."""

    steps: Sequence[Step]
    session: str
    agent: str = ""
    explanation: str = ""
    atomic: bool = True
    dry_run: bool = False
    timing: Timing = UNTIMED


@dataclass(frozen=True, slots=True)
class Batched:
    """A finished batch: the accepted changes, one per file; its steps have the rest. `proposal` is None after
    a dry run. `shown`: the session may be told all that landed."""

    changes: Sequence[FileChange]
    proposal: Proposal | None
    shown: bool = True


async def batch(ws: Workspace, command: Batch, moment: int) -> Batched:
    """Propose and land the batch that arrived at `moment`, and set each step's result. Raises, for an atomic
    batch, the first step's error, and whatever the review raises for all; nothing changed then, unless the
    error is LandingUnknown."""

    async def find() -> Mapping[str, str]:
        targets = [step.target for step in command.steps if step.target is not None]
        return {target.location.absolute: target.path for target in targets}

    async def compute() -> Sequence[FileChange]:
        return await _compute_all(ws, command)

    try:
        with command.timing.phase("resolve"):
            async with ws.queue.finding:
                await _locate(ws, command, moment)
        if command.dry_run:
            made = [change for change in await compute() if not change.changes_nothing]
            changes = await examined(ws, command.session, made)
            await described(changes)
            return Batched(changes, None)
        origin = Origin(
            command.session,
            command.agent,
            "batch",
            command.explanation,
            command.atomic,
            timing=command.timing,
        )
        proposed = await propose(ws, origin, find, compute, each=True)
    except DomainError as error:
        _fail_all(command.steps, error)
        raise
    for change, outcome in zip(proposed.proposal.changes, proposed.outcomes, strict=True):
        if isinstance(outcome, DomainError):
            outcome.forget_where()
        for step in _steps_of(command.steps, change.absolute):
            if isinstance(outcome, Landing):
                step.landing = outcome
            elif step.error is None:
                step.error = outcome
    landings = await with_reported(ws, proposed.proposal, proposed.landings)
    shown = all(may_tell(ws, proposed.proposal, landing) for landing in landings)
    return Batched([landing.change for landing in landings], proposed.proposal, shown)


async def _locate(ws: Workspace, command: Batch, moment: int) -> None:
    for step in command.steps:
        await asyncio.sleep(0)  # a thousand deep paths take seconds
        try:
            target = locate(ws, step.command.request, moment)
            step.access = Access(target.path, target.location.absolute)
            if target.is_hidden:  # what landed would reveal content it may not read
                raise PolicyDenied(target.path, "read", target.reading.rule or "")
            step.target = target
        except DomainError as error:
            _fail(command, step, error)


# --- computing --------------------------------------------------------------------------------------------


async def _compute_all(ws: Workspace, command: Batch) -> list[FileChange]:
    """One change per file, in order of first use. Can be cancelled between operations."""
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
            change = await _compute_step(ws, step.command.request, step.target, plan, so_far)
        except DomainError as error:
            _fail(command, step, error)
            continue
        step.made, step.access = StepChange.of(change), change.access
        by_file[absolute] = change if so_far is None else so_far.followed_by(change)
    return [await _corrected(ws, command, change) for change in by_file.values()]


async def _corrected(ws: Workspace, command: Batch, change: FileChange) -> FileChange:
    """The file's change as all its steps together make it, corrected; the last step of them lists this."""
    await asyncio.sleep(0)
    final = await corrected(ws, change)
    for step in reversed(_steps_of(command.steps, change.absolute)):
        if final is not change and step.made is not None:
            step.made = replace(
                step.made, corrections=step.made.corrections + final.corrections[len(change.corrections) :]
            )
            break
    return final


def _check_no_file_above(step: Step, absolute: str, by_file: Mapping[str, FileChange]) -> None:
    """Raise MalformedPath for a path below one that an earlier operation makes a file."""
    above = absolute
    while above := above.rpartition("/")[0]:
        if above in by_file:
            raise MalformedPath(step.command.request.path, "below_file")


async def _compute_step(
    ws: Workspace, request: ChangeRequest, target: Target, plan: Plan, so_far: FileChange | None
) -> FileChange:
    """The step's change on top of the earlier steps' result. The request's expectations apply to the file as
    it was before all of them."""
    if so_far is None:
        return await compute_change(ws, request, target, plan)
    if not request.overwrite:
        raise Conflict(so_far.path, "disk", "exists")
    if request.expected and not request.expected.met_by(so_far.base.revision):
        raise Conflict(so_far.path, "disk", "expected", request.expected, so_far.base.revision)
    with request.timing.phase("match"):
        snapshot = await off_loop(so_far.base.size, so_far.result)
        size = max(snapshot.size, request.extent)
        return await off_loop(size, compute_checked, plan, snapshot, so_far.access)


def _plan(ws: Workspace, command: Batch, step: Step, before: Iterable[FileChange]) -> Plan:
    """The step's plan. `before`: the changes so far; folders they create will exist."""
    if not isinstance(step.command, Write):
        return step.command.plan(ws)
    folder_comes = _is_folder_made(step, before)
    plan = step.command.plan(ws, folder_comes=folder_comes)
    if not (folder_comes and command.atomic):
        return plan
    # All files are staged side by side; the first one creates the folder.
    return lambda snapshot, access: replace(plan(snapshot, access), create_dirs=True)


def _is_folder_made(step: Step, before: Iterable[FileChange]) -> bool:
    folder = step.access.absolute.rpartition("/")[0] + "/"
    return any(
        change.operation == "create" and change.create_dirs and change.absolute.startswith(folder)
        for change in before
    )


# --- what went wrong --------------------------------------------------------------------------------------


def _fail(command: Batch, step: Step, error: DomainError) -> None:
    step.error = error
    step.access = error.access if error.access.path else step.access
    if command.atomic:
        raise error
    error.forget_where()


def _fail_all(steps: Sequence[Step], error: DomainError) -> None:
    """Nothing landed: set each step's error. An error about one file belongs to the first step on it, a
    rejection to all steps on the rejected files; the other steps were left undone because of it."""
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
