"""A proposal: a change that somebody has to decide, from the moment it is asked for to the last word.

Theory of operation
-------------------

A proposal is in one state at a time. `TRANSITIONS` is the whole of its life; the method that enters a state
also takes what is known from then on, and nothing else sets either::

    asked     its files may have to be looked up first
    queued    `files` are known; waits for their turn
    computed  `changes` are known; policy is asked
    waiting   policy says ask: the `channel` is chosen; the screen may be taken
    shown     before the user
    settled   a review client has sent a yes, of which it is not known yet whether the files can be made so
    landing   there is a `decision`: policy's or the user's
    ended     there is an `outcome`

A shown proposal goes back to waiting when nobody answers and others wait for the screen, or when the editor
can't show it this way. A settled one goes back to shown when the user's texts do not fit the files.

Two things come from outside, at any time:

- `withdraw` (a root is gone, the settings changed, the server ends) cancels the task that runs the proposal.
  From `settled` on it is too late (docs/protocol.md#9-review-and-landing): the reason is only remembered, for
  a settle that turns out to decide nothing.
- `stop` (the agent cancels when it is too late) leaves what has not landed yet of several files.

How a proposal is put before the user is the part of the review channels (`adapters/review/`), how it lands
that of `service/landing/`. Those under way are in `proposals.py`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from secrets import token_hex
from typing import TYPE_CHECKING, Final, Literal

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    Rejected,
    ReviewTimedOut,
    Withdrawn,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentfs_lsp.domain.errors import WithdrawnReason
    from agentfs_lsp.service.files.store import Clock
    from agentfs_lsp.service.proposal.change import FileChange

State = Literal["asked", "queued", "computed", "waiting", "shown", "settled", "landing", "ended"]

TRANSITIONS: Mapping[State, frozenset[State]] = {
    "asked": frozenset({"queued", "ended"}),
    "queued": frozenset({"computed", "ended"}),
    "computed": frozenset({"waiting", "landing", "ended"}),
    "waiting": frozenset({"shown", "ended"}),
    "shown": frozenset({"waiting", "settled", "landing", "ended"}),
    "settled": frozenset({"shown", "landing", "ended"}),
    "landing": frozenset({"ended"}),
    "ended": frozenset(),
}
"""Which states may follow each."""

PAST_RETURN: frozenset[State] = frozenset({"settled", "landing", "ended"})
"""In these a proposal can't be cancelled any more (docs/protocol.md#9-review-and-landing)."""

Outcome = Literal["landed", "editor", "rejected", "withdrawn", "timed_out", "conflict", "failed"]
Tool = Literal["write", "edit", "batch", "undo"]
Rung = Literal["policy", "review", "preview", "message", "terminal"]
"""Who decides about a change (docs/protocol.md#9-review-and-landing); "terminal" is for commands that are
typed, and never goes over the wire."""


class IllegalTransition(Exception):
    """A defect: the proposal can't come from the state that it is in to the one that was asked for."""


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


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asks for a change, and by which request. `atomic`: all of its files land or none, and rejecting one
    rejects all. `blind`: the session may not read what it changes."""

    session: str
    agent: str
    tool: Tool
    explanation: str
    atomic: bool = True
    blind: bool = False


class Proposal:
    """A change on its way; the module's docstring tells its life. Made by the task that takes it through."""

    def __init__(self, origin: Origin, clock: Clock) -> None:
        self.id: Final = token_hex(8)
        self.session: Final = origin.session
        self.agent: Final = origin.agent
        self.tool: Final = origin.tool
        self.explanation: Final = origin.explanation
        self.atomic: Final = origin.atomic
        self.blind: Final = origin.blind
        self._clock = clock
        self._task = asyncio.current_task()
        self._state: State = "asked"
        self._reached_ms: dict[State, float] = {"asked": clock.now_ms()}
        self._files: Mapping[str, str] = {}
        self._changes: tuple[FileChange, ...] = ()
        self._access = HIDDEN
        self._channel: Rung | None = None
        self._decision: Decision | None = None
        self._outcome: Outcome = "failed"
        self._withdrawn: WithdrawnReason | None = None
        self._stopped = False

    def to(self, state: State) -> None:
        """Enter a state. Raises IllegalTransition."""
        if state not in TRANSITIONS[self._state]:
            raise IllegalTransition(f"{self._state} -> {state}")
        self._state = state
        self._reached_ms.setdefault(state, self._clock.now_ms())

    # --- what is known of it ------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Where it is."""
        return self._state

    @property
    def files(self) -> Mapping[str, str]:
        """The files it is about, as they are shown, by their real absolute paths."""
        return self._files

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files as they are shown."""
        return tuple(self._files.values())

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """One a file that is to become another; none before they are computed."""
        return self._changes

    @property
    def access(self) -> Access:
        """What its session may be told of its files."""
        return self._access

    @property
    def channel(self) -> Rung | None:
        """Who decides, or is to; None before that is known."""
        return self._channel

    @property
    def decision(self) -> Decision | None:
        """The yes, where there was one."""
        return self._decision

    @property
    def outcome(self) -> Outcome:
        """What became of it, once it has ended."""
        return self._outcome

    @property
    def past_return(self) -> bool:
        """Whether it can't be cancelled any more."""
        return self._state in PAST_RETURN

    @property
    def is_stopped(self) -> bool:
        """Whether what has not landed yet is to be left."""
        return self._stopped

    @property
    def why_withdrawn(self) -> Withdrawn:
        """What a cancelled review ended by."""
        return Withdrawn(self._withdrawn or "agent")

    def reached_ms(self, state: State) -> float:
        """When it first entered this state, in the clock's milliseconds."""
        return self._reached_ms[state]

    @property
    def waited_ms(self) -> int:
        """How long it took the user to decide, or the review to end without a decision."""
        until = self._reached_ms.get("landing", self._reached_ms.get("ended"))
        if until is None or "shown" not in self._reached_ms:
            return 0
        return round(until - self._reached_ms["shown"])

    def runs_in(self, task: asyncio.Task[object]) -> bool:
        """Whether this task takes it through."""
        return self._task is task

    # --- its life -----------------------------------------------------------------------------------------

    def queue(self, files: Mapping[str, str]) -> None:
        """Its files are known."""
        self.to("queued")
        self._files = files
        if len(files) == 1:
            ((absolute, path),) = files.items()
            self._access = Access(path, absolute)

    def compute(self, changes: Sequence[FileChange], access: Access) -> None:
        """It is their turn, and this is what is to change. What changes nothing is not proposed, but where
        that would tell what is in a file that its session may not read."""
        self.to("computed")
        self._changes = tuple(one for one in changes if self.blind or not one.changes_nothing)
        self._access = access

    def wait_for(self, channel: Rung) -> None:
        """The user is to be asked in this way."""
        self.to("waiting")
        self._channel = channel

    def reopen(self) -> None:
        """The settle that had come decided nothing, so that what came behind it was not too late. That counts
        once: what the proposal does before it ends is not interrupted."""
        if self._task is not None and (self._stopped or self._withdrawn):
            self._task.cancel()
        elif self._state == "settled":
            self.to("shown")

    def decide(self, decision: Decision) -> None:
        """There is a yes."""
        self.to("landing")
        self._channel, self._decision = decision.channel, decision

    def end(self, outcome: Outcome) -> None:
        """It is over."""
        self.to("ended")
        self._outcome = outcome

    # --- from outside -------------------------------------------------------------------------------------

    def withdraw(self, reason: WithdrawnReason) -> bool:
        """Take it back unless it is past the point of no return; whether that was possible."""
        withdrawn, self._withdrawn = self._withdrawn, self._withdrawn or reason
        if self.past_return or self._task is None or withdrawn:
            return False
        self._task.cancel()
        return True

    def resume(self) -> bool:
        """Let the task go on that `withdraw` has cancelled, to answer its request; whether it was that. A
        server that ends takes its requests with it."""
        if self._task is None or self._withdrawn in (None, "shutdown"):
            return False
        self._task.uncancel()
        return True

    def stop(self) -> None:
        """The agent cancels, too late for all of it."""
        self._stopped = True


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


def proposal_of(error: DomainError) -> Proposal | None:
    """The proposal that this error ended, None for none."""
    return error.proposal if isinstance(error.proposal, Proposal) else None
