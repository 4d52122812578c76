"""Every change goes this way: proposed, in its files' turn computed, decided, and landed
(docs/protocol.md#9-review-and-landing).

What is asked for and how it is computed is the part of `change_request.py`, `batch.py` and `undo.py`; the
states on the way are those of `proposal/proposal.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.domain.access import together
from agentfs_lsp.domain.errors import DomainError, Held, LandingUnknown, TooManyPending
from agentfs_lsp.service.landing.deciding import decide_and_land
from agentfs_lsp.service.proposal.change import Landing
from agentfs_lsp.service.proposal.proposal import outcome_of

if TYPE_CHECKING:
    from agentfs_lsp.service.landing.landing import FileOutcome
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.proposal import Origin, Proposal
    from agentfs_lsp.service.state.workspace import Workspace

Find = Callable[[], Awaitable[Mapping[str, str]]]
"""Looks the files up that are to be changed: as they are shown, by their real absolute paths."""

Compute = Callable[[], Awaitable["Sequence[FileChange]"]]
"""Makes the changes, one a file, of the files as they are now that it is their turn."""

Finish = Callable[["Sequence[FileOutcome]"], Awaitable[None]]
"""Does what is left to do while nobody else may change the files."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """How it ended well: `changes` as they were computed, and the outcome of each that was proposed. None
    was where the files were so already."""

    proposal: Proposal
    changes: Sequence[FileChange]
    outcomes: Sequence[FileOutcome]

    @property
    def landings(self) -> list[Landing]:
        """What landed."""
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
    """Propose, and land what is accepted. `each`: what did not land is an outcome beside what did; else it is
    raised. Raises TooManyPending, what `find` and `compute` raise, and what the review and the landing raise.
    """
    check_pending(ws, origin.session)
    with ws.proposals.under_way(origin) as proposal:
        proposal.queue(await find())
        async with ws.queue.turn(*proposal.files):
            changes = await compute()
            proposal.compute(changes, together([change.access for change in changes]))
            outcomes = await decide_and_land(ws, proposal) if proposal.changes else []
            if outcomes and finish is not None:
                await finish(outcomes)
        landed = Proposed(proposal, changes, outcomes)
        failures = [outcome for outcome in outcomes if isinstance(outcome, DomainError)]
        if failures and not each:
            raise _beside(landed.landings, failures[0])
        if landed.landings:
            in_editor = any(one.where == "editor" for one in landed.landings)
            proposal.end("editor" if in_editor else "landed")
        elif failures:
            proposal.end(outcome_of(failures[0]))
        elif changes:  # the files are so already
            proposal.end("landed")
        return landed


def check_pending(ws: Workspace, session: str) -> None:
    """Raise TooManyPending where the session has as many proposals waiting as it may."""
    limit = ws.settings.limits.pending_per_session
    if ws.proposals.count_of(session) >= limit:
        raise TooManyPending(limit)


def _beside(landings: Sequence[Landing], error: DomainError) -> DomainError:
    """Why one file did not land, told with the others that did."""
    if not landings:
        return error
    landed = tuple(Held(one.change.path, one.where) for one in landings)
    if isinstance(error, LandingUnknown):
        error.holding += landed
        return error
    return LandingUnknown(landings[0].change.path, "not_taken_back", holding=landed)
