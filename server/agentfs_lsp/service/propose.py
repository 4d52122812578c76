"""The one path of every change: propose, wait for the files' turn, compute, decide, land
(docs/protocol.md#9-review-and-landing).

`change_request.py`, `batch.py` and `undo.py` say what to change; `proposal/proposal.py` defines the states.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from agentfs_lsp.domain.access import together
from agentfs_lsp.domain.errors import DomainError, Held, LandingUnknown, TooManyPending
from agentfs_lsp.service.examining import examined
from agentfs_lsp.service.landing.deciding import decide_and_land
from agentfs_lsp.service.landing.landing import FileOutcome
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Origin, Outcome, Proposal, outcome_of
from agentfs_lsp.service.state.workspace import Workspace

Find = Callable[[], Awaitable[Mapping[str, str]]]
"""Finds the files to change; maps each real absolute path to the displayed path."""

Compute = Callable[[], Awaitable["Sequence[FileChange]"]]
"""Computes one change per file from the files' current content, once it is their turn."""

Finish = Callable[["Sequence[FileOutcome]"], Awaitable[None]]
"""Runs at the end with what became of each file (none if nothing was decided), while the files are still
locked against other changes, and too late for a cancellation."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal that ended well: the computed `changes`, and one outcome per proposed change. `outcomes` is
    empty when the files already had the requested content."""

    proposal: Proposal
    changes: Sequence[FileChange]
    outcomes: Sequence[FileOutcome]

    @property
    def landings(self) -> list[Landing]:
        return [outcome for outcome in self.outcomes if isinstance(outcome, Landing)]


async def propose(
    ws: Workspace,
    origin: Origin,
    find: Find,
    compute: Compute,
    *,
    each: bool = False,
    finish: Finish | None = None,
) -> Proposed:
    """Propose a change and land what is accepted. With `each`, a file that fails is one of the outcomes;
    otherwise its error is raised. Raises TooManyPending and whatever `find`, `compute`, review or landing
    raise."""
    check_pending(ws, origin.session)
    with ws.proposals.under_way(origin) as proposal:
        with origin.timing.phase("resolve"):
            files = await find()
        proposal.queue(files)
        async with ws.queue.turn(*proposal.files):
            outcomes: Sequence[FileOutcome] = []
            try:
                changes = await examined(ws, origin.session, await compute())
                proposal.compute(changes, together([change.access for change in changes]))
                outcomes = await decide_and_land(ws, proposal) if proposal.changes else []
            finally:
                if finish is not None:
                    await finish(outcomes)
        landed = Proposed(proposal, changes, outcomes)
        failures = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
        each_file = [_outcome_of(outcome) for outcome in outcomes]
        if failures and not each:
            error = _with_landed(landed.landings, failures[0])
            proposal.end(outcome_of(error), each_file)
            raise error
        if landed.landings:
            proposal.end("editor" if "editor" in each_file else "landed", each_file)
        elif failures:
            proposal.end(outcome_of(failures[0]))
        elif changes:  # the files already have this content
            proposal.end("landed")
        return landed


def check_pending(ws: Workspace, session: str) -> None:
    """Raise TooManyPending if the session has reached `limits.pending_per_session`."""
    limit = ws.settings.limits.pending_per_session
    if sum(proposal.session == session for proposal in ws.proposals) >= limit:
        raise TooManyPending(limit)


def _outcome_of(outcome: FileOutcome) -> Outcome:
    if isinstance(outcome, DomainError):
        return outcome_of(outcome)
    return "landed" if outcome.where == "disk" else "editor"


def _with_landed(landings: Sequence[Landing], error: DomainError) -> DomainError:
    """The error of a file that did not land, naming the files that did."""
    if not landings:
        return error
    landed = tuple(Held(one.change.path, one.where) for one in landings)
    if isinstance(error, LandingUnknown):
        error.holding += landed
        return error
    return LandingUnknown(landings[0].change.path, "not_rolled_back", holding=landed)
