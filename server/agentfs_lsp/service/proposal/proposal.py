"""A proposal: a change that needs a decision, from request to outcome.

Theory of operation
-------------------

A proposal is in one of these states; `TRANSITIONS` lists the legal moves. The method that enters a state also
sets the fields known from then on, and nothing else does::

    asked     the files may still have to be found
    queued    `files` are known; waiting for their turn
    computed  `changes` are known; policy decides whether to ask
    waiting   the user must decide: `channel` is chosen, but another review may be on screen
    shown     before the user
    settled   a review client decided; whether its texts fit the files is not yet known
    landing   there is a `decision`, by policy or the user
    ended     there is an `outcome`

A shown proposal returns to waiting when nobody answers and others need the screen, or when the editor can't
show it this way; a waiting one may wait for another channel. A settled one returns to shown when the user's
texts do not fit the files.

Two calls may come from outside at any time:

- `withdraw` (a root was removed, settings changed, the server shuts down) cancels the proposal's task. From
  `settled` on it is too late (docs/protocol.md#9-review-and-landing): the reason is only remembered, in case
  the settle turns out to decide nothing.
- `stop` (the agent cancelled too late) skips those of several files that have not landed yet.

Review channels (`adapters/review/`) put a proposal before the user; `service/landing/` lands it;
`proposals.py` holds those pending.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Final, Literal

from agentfs_lsp.domain.access import HIDDEN, Access
from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    LandingUnknown,
    Rejected,
    ReviewTimedOut,
    Withdrawn,
    WithdrawnReason,
)
from agentfs_lsp.service.files.store import Clock
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.timing import UNTIMED, Timing

State = Literal["asked", "queued", "computed", "waiting", "shown", "settled", "landing", "ended"]

TRANSITIONS: Mapping[State, frozenset[State]] = {
    "asked": frozenset({"queued", "ended"}),
    "queued": frozenset({"computed", "ended"}),
    "computed": frozenset({"waiting", "landing", "ended"}),
    "waiting": frozenset({"waiting", "shown", "ended"}),
    "shown": frozenset({"waiting", "settled", "landing", "ended"}),
    "settled": frozenset({"shown", "landing", "ended"}),
    "landing": frozenset({"ended"}),
    "ended": frozenset(),
}
"""The legal successors of each state."""

PAST_RETURN: frozenset[State] = frozenset({"settled", "landing", "ended"})
"""The states in which a proposal can no longer be cancelled (docs/protocol.md#9-review-and-landing)."""

Outcome = Literal["landed", "editor", "rejected", "withdrawn", "timed_out", "conflict", "failed"]
Tool = Literal["write", "edit", "batch", "undo"]
Rung = Literal["policy", "preview", "review", "message", "terminal"]
"""Who decides (docs/protocol.md#9-review-and-landing). "terminal" is for shell commands and never goes over
the wire."""


class IllegalTransition(Exception):
    """A bug: a transition that `TRANSITIONS` does not allow."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An approval and its details (docs/protocol.md#94-what-the-answer-says).

    `amended` maps real absolute paths to the user's text; `rejected` holds the paths that were not approved,
    and `reasons` what the user wrote about single ones of them. `client`: the program in which the user
    decided, as it calls itself.
    """

    channel: Rung
    decision: Literal["allowed", "accepted", "amended"]
    by: Literal["mode", "rule", "user"]
    rule: str | None = None
    feedback: str = ""
    always: bool = False
    amended: Mapping[str, str] = field(default_factory=dict)
    rejected: frozenset[str] = frozenset()
    reasons: Mapping[str, str] = field(default_factory=dict)
    client: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asks, and by which request. `atomic`: either all files land or none, and rejecting one rejects all.
    `blind`: the session may not read what it changes. `by_user`: the user asks, and may see every file.
    `confirms`: the title asks to confirm a tool's call."""

    session: str
    agent: str
    tool: Tool
    explanation: str
    atomic: bool = True
    blind: bool = False
    by_user: bool = False
    confirms: bool = False
    timing: Timing = UNTIMED


class Proposal:
    """A change on its way; see the module docstring. Must be created by the task that runs it."""

    def __init__(self, origin: Origin, clock: Clock) -> None:
        self.id: Final = token_hex(8)
        self.session: Final = origin.session
        self.agent: Final = origin.agent
        self.tool: Final = origin.tool
        self.explanation: Final = origin.explanation
        self.atomic: Final = origin.atomic
        self.blind: Final = origin.blind
        self.by_user: Final = origin.by_user
        self.confirms: Final = origin.confirms
        self._change_id = self.id
        self._clock = clock
        self._task = asyncio.current_task()
        self._state: State = "asked"
        self._reached_ms: dict[State, float] = {"asked": clock.now_ms()}
        self.files: Mapping[str, str] = {}
        """Its files: real absolute path to displayed path."""
        self.changes: tuple[FileChange, ...] = ()
        """One change per file that would differ; empty before "computed"."""
        self.access = HIDDEN
        """What its session may be told about its files."""
        self.channel: Rung | None = None
        """Who decides; None until known."""
        self.decision: Decision | None = None
        """The approval, if any."""
        self.outcome: Outcome = "failed"
        """The outcome; meaningful once ended."""
        self.file_outcomes: tuple[Outcome, ...] = ()
        """What became of each change, in their order; empty unless some of it landed."""
        self._withdrawn: WithdrawnReason | None = None
        self.is_stopped = False
        """Whether to skip the files that have not landed yet."""

    def to(self, state: State) -> None:
        """Enter a state. Raises IllegalTransition."""
        if state not in TRANSITIONS[self._state]:
            raise IllegalTransition(f"{self._state} -> {state}")
        self._state = state
        self._reached_ms.setdefault(state, self._clock.now_ms())

    # --- what is known of it ------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self._state

    @property
    def paths(self) -> tuple[str, ...]:
        """The displayed paths of its files."""
        return tuple(self.files.values())

    @property
    def past_return(self) -> bool:
        """Whether it is too late to cancel."""
        return self._state in PAST_RETURN

    @property
    def is_editor_ending(self) -> bool:
        """Whether the editor ended while this was under way: it may never save what it holds."""
        return self._withdrawn == "shutdown"

    @property
    def why_withdrawn(self) -> Withdrawn:
        """The error for a cancelled review, with its reason."""
        return Withdrawn(self._withdrawn or "agent")

    def reached_ms(self, state: State) -> float:
        """When it first entered `state`, in monotonic milliseconds."""
        return self._reached_ms[state]

    @property
    def waited_ms(self) -> int:
        """Milliseconds from "shown" to the decision, or to the end without one."""
        until = self._reached_ms.get("landing", self._reached_ms.get("ended"))
        if until is None or "shown" not in self._reached_ms:
            return 0
        return round(until - self._reached_ms["shown"])

    def time(self, timing: Timing) -> None:
        """Count the time for the decision and for the landing."""
        reached_ms = self._reached_ms
        ended_ms = reached_ms.get("ended", self._clock.now_ms())
        if "waiting" in reached_ms:
            timing.add("review", reached_ms["waiting"], reached_ms.get("landing", ended_ms))
        if "landing" in reached_ms:
            timing.add("land", reached_ms["landing"], ended_ms)

    def runs_in(self, task: asyncio.Task[object]) -> bool:
        return self._task is task

    # --- its life -----------------------------------------------------------------------------------------

    def queue(self, files: Mapping[str, str]) -> None:
        """Enter "queued" with its files."""
        self.to("queued")
        self.files = files
        if len(files) == 1:
            ((absolute, path),) = files.items()
            self.access = Access(path, absolute)

    def compute(self, changes: Sequence[FileChange], access: Access) -> None:
        """Enter "computed" with its changes. Drops those that change nothing, unless the session may not read
        the files: dropping one would reveal what they hold."""
        self.to("computed")
        self.changes = tuple(one for one in changes if self.blind or not one.changes_nothing)
        self.access = access

    def wait_for(self, channel: Rung) -> None:
        """Enter "waiting" for the user on this channel."""
        self.to("waiting")
        self.channel = channel

    def reopen(self) -> None:
        """A settle decided nothing, so a `stop` or `withdraw` that came after it takes effect now, once.
        Otherwise the proposal returns to "shown"."""
        if self._task is not None and (self.is_stopped or self._withdrawn):
            self._task.cancel()
        elif self._state == "settled":
            self.to("shown")

    def decide(self, decision: Decision) -> None:
        """Enter "landing" with the approval."""
        self.to("landing")
        self.channel, self.decision = decision.channel, decision

    def take_change_id(self) -> str:
        """The id under which history keeps what landed of it: its own, and a new one for what lands later."""
        taken, self._change_id = self._change_id, token_hex(8)
        return taken

    def end(self, outcome: Outcome, file_outcomes: Sequence[Outcome] = ()) -> None:
        """Enter "ended" with the outcome, and that of each change if some of them landed."""
        self.to("ended")
        self.outcome, self.file_outcomes = outcome, tuple(file_outcomes)

    # --- from outside -------------------------------------------------------------------------------------

    def withdraw(self, reason: WithdrawnReason) -> bool:
        """Cancel the proposal unless it is too late; return whether it was cancelled."""
        withdrawn, self._withdrawn = self._withdrawn, self._withdrawn or reason
        if self.past_return or self._task is None or withdrawn:
            return False
        self._task.cancel()
        return True

    def resume(self) -> bool:
        """Undo the task's cancellation by `withdraw`, so that it can answer its request; return whether there
        was one. Not at shutdown, which drops requests."""
        if self._task is None or self._withdrawn in (None, "shutdown"):
            return False
        self._task.uncancel()
        return True

    def stop(self) -> None:
        """The agent cancelled too late: skip the files that have not landed yet."""
        self.is_stopped = True


def outcome_of(error: DomainError) -> Outcome:
    """The outcome of a proposal that ended with this error."""
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
    """The proposal that ended with this error, if any."""
    return error.proposal if isinstance(error.proposal, Proposal) else None
