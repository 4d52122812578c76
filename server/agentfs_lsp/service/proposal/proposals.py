"""Proposals: changes that somebody has to decide, from the moment they are asked for to the last word.

A proposal is of one file or of several, which are reviewed together.

The registry is what `agentfs/status` shows as pending. How a proposal is put before the user is the rungs'
part (`adapters/review/`), how it lands is `landing.py`.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    Rejected,
    ReviewTimedOut,
    Withdrawn,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from agentfs_lsp.domain.errors import WithdrawnReason
    from agentfs_lsp.service.files.store import Clock
    from agentfs_lsp.service.proposal.change import FileChange

Outcome = Literal["landed", "editor", "rejected", "withdrawn", "timed_out", "conflict", "failed"]
State = Literal["queued", "shown", "landing"]
Tool = Literal["write", "edit", "batch", "undo"]
Rung = Literal["policy", "review", "preview", "message", "terminal"]
"""Who decides about a change (docs/protocol.md#9-review-and-landing); "terminal" is for commands that are
typed, and never goes over the wire."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A yes, and all that is known of it (docs/protocol.md#94-what-the-answer-says).

    By real absolute path: `amended` is the whole text of each file that the user made another, `rejected` are
    the files that the yes is not for.
    """

    channel: Rung
    decision: Literal["allowed", "accepted", "amended"]
    by: Literal["mode", "rule", "user"]
    rule: str | None = None
    feedback: str = ""
    always: bool = False
    amended: Mapping[str, str] = field(default_factory=dict)
    rejected: frozenset[str] = frozenset()


@dataclass(eq=False)
class Proposal:
    """A change on its way. `changes`, one a file, is empty while it waits for its files' turn.

    `files`: the files it is about, as they are shown, by their real absolute paths. `atomic`: all of them
    land or none, and rejecting one rejects all. `blind`: its session may not read what it changes.
    """

    session: str
    agent: str
    tool: Tool
    explanation: str
    files: Mapping[str, str]
    since_ms: float
    atomic: bool = True
    blind: bool = False
    id: str = field(default_factory=lambda: token_hex(8))
    state: State = "queued"
    settled: bool = False  # an accepting settle has come, and may not have been acted on yet
    stopped: bool = False  # cancelled when it was too late for all of it: what has not landed yet is left
    changes: tuple[FileChange, ...] = ()
    channel: Rung | None = None
    decision: Decision | None = None
    shown_at_ms: float | None = None
    decided_at_ms: float | None = None
    ended_at_ms: float | None = None
    task: asyncio.Task[object] | None = None
    withdrawn: WithdrawnReason | None = None  # by anybody but the agent
    withdrawn_late: WithdrawnReason | None = None  # the same, when it was too late

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files as they are shown."""
        return tuple(self.files.values())

    @property
    def past_return(self) -> bool:
        """Whether it was decided to land: from then on it can't be cancelled
        (docs/protocol.md#9-review-and-landing)."""
        return self.settled or self.decision is not None

    @property
    def why_withdrawn(self) -> Withdrawn:
        """What a cancelled review ended by."""
        return Withdrawn(self.withdrawn or "agent")

    def withdraw(self, reason: WithdrawnReason) -> bool:
        """Take the proposal back unless it is past the point of no return; whether that was possible."""
        if self.past_return:
            self.withdrawn_late = self.withdrawn_late or reason
            return False
        if self.task is None or self.withdrawn:
            return False
        self.withdrawn = reason
        self.task.cancel()
        return True

    def reopen(self) -> None:
        """The settle that had come decided nothing, so that what came behind it was not too late. That counts
        once: what the proposal does before it ends is not interrupted."""
        if self.task is not None and (self.stopped or self.withdrawn_late):
            self.withdrawn = self.withdrawn_late
            self.task.cancel()
        else:
            self.settled = False


class Proposals:
    """The proposals under way on this connection, in the order they came."""

    def __init__(
        self, clock: Clock, changed: Callable[[], None], ended: Callable[[Proposal, Outcome], None]
    ) -> None:
        self._clock = clock
        self._changed = changed
        self._ended = ended
        self._pending: dict[str, Proposal] = {}

    def __iter__(self) -> Iterator[Proposal]:
        return iter(list(self._pending.values()))

    def __len__(self) -> int:
        return len(self._pending)

    def count_of(self, session: str) -> int:
        """How many proposals of this session are pending."""
        return sum(proposal.session == session for proposal in self._pending.values())

    def get(self, proposal_id: str) -> Proposal | None:
        """The pending proposal of this id."""
        return self._pending.get(proposal_id)

    @contextmanager
    def under_way(self, proposal: Proposal) -> Iterator[Landed]:
        """Hold the proposal as pending; whatever ends it is told once, with what became of it."""
        self._pending[proposal.id] = proposal
        proposal.task = asyncio.current_task()
        self._changed()
        landed = Landed()
        outcome: Outcome = "failed"
        try:
            yield landed
            outcome = landed.outcome
        except asyncio.CancelledError:
            outcome = "withdrawn"
            if proposal.withdrawn and proposal.withdrawn != "shutdown":
                assert proposal.task is not None
                proposal.task.uncancel()
                raise proposal.why_withdrawn from None
            raise
        except DomainError as error:
            outcome = outcome_of(error)
            raise
        finally:
            proposal.ended_at_ms = self._clock.now_ms()
            del self._pending[proposal.id]
            self._ended(proposal, outcome)
            self._changed()


@dataclass(slots=True)
class Landed:
    """Filled in by the one who lands the proposal."""

    outcome: Outcome = "failed"


def outcome_of(error: DomainError) -> Outcome:
    """How a proposal ended that this error ended."""
    match error:
        case LandingUnknown(otherwise=DomainError() as ended):
            return outcome_of(ended)
        case Rejected():
            return "rejected"
        case ReviewTimedOut():
            return "timed_out"
        case Conflict():
            return "conflict"
        case Withdrawn():
            return "withdrawn"
        case _:
            return "failed"
