"""This connection's pending proposals, as listed by `agentfs/status`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentfs_lsp.domain.access import HIDDEN
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.service.files.store import Clock
from agentfs_lsp.service.proposal.proposal import Origin, Proposal, outcome_of


class Proposals:
    """The pending proposals in order of arrival. `changed` is called whenever the set changes, `ended` with
    each proposal that has ended."""

    def __init__(self, clock: Clock, changed: Callable[[], None], ended: Callable[[Proposal], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._ended = ended
        self._pending: dict[str, Proposal] = {}

    def __iter__(self) -> Iterator[Proposal]:
        return iter(list(self._pending.values()))

    def __len__(self) -> int:
        return len(self._pending)

    def past_return(self, task: asyncio.Task[object]) -> bool:
        """Whether it is too late to cancel this task."""
        return any(proposal.past_return for proposal in self if proposal.runs_in(task))

    def stop(self, task: asyncio.Task[object]) -> None:
        """This task was cancelled too late: skip the files that have not landed yet."""
        for proposal in self:
            if proposal.runs_in(task):
                proposal.stop()

    @contextmanager
    def under_way(self, origin: Origin) -> Iterator[Proposal]:
        """Keep a new proposal pending while the context is open, and report its end once. It counts as failed
        if nothing ended it and no error says why. Errors get a reference to the proposal they ended."""
        proposal = Proposal(origin, self._clock)
        origin.timing.follow(proposal)
        self._pending[proposal.id] = proposal
        self._changed()
        try:
            try:
                yield proposal
            except asyncio.CancelledError:
                if not proposal.resume():
                    proposal.end("withdrawn")
                    raise
                raise proposal.why_withdrawn from None
        except DomainError as error:
            if proposal.state != "ended":
                proposal.end(outcome_of(error))
            error.proposal = proposal
            error.access = proposal.access if error.access is HIDDEN else error.access
            raise
        finally:
            if proposal.state != "ended":
                proposal.end("failed")
            del self._pending[proposal.id]
            self._ended(proposal)
            self._changed()
