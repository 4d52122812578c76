"""A proposal's life follows the table of transitions."""

import ast
import asyncio
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

import agentfs_lsp
from agentfs_lsp.api.answers.proposal import STATES
from agentfs_lsp.domain.access import HIDDEN
from agentfs_lsp.service.proposal.proposal import (
    PAST_RETURN,
    TRANSITIONS,
    Decision,
    IllegalTransition,
    Origin,
    Proposal,
    State,
)
from support.fakes.time import ManualClock

LIFE: tuple[State, ...] = ("asked", "queued", "computed", "waiting", "shown", "settled", "landing", "ended")

ENTER: dict[State, Callable[[Proposal], None]] = {
    "queued": lambda it: it.queue({"/a": "a"}),
    "computed": lambda it: it.compute((), HIDDEN),
    "waiting": lambda it: it.wait_for("review"),
    "shown": lambda it: it.to("shown"),
    "settled": lambda it: it.to("settled"),
    "landing": lambda it: it.decide(Decision("review", "accepted", "user")),
    "ended": lambda it: it.end("landed"),
}


def made(state: State, clock: ManualClock | None = None) -> Proposal:
    """A proposal advanced to this state along LIFE."""
    proposal = Proposal(Origin("s", "", "edit", ""), clock or ManualClock())
    for entered in LIFE[1 : LIFE.index(state) + 1]:
        ENTER[entered](proposal)
    return proposal


def test_every_state_is_in_the_tables() -> None:
    assert set(LIFE) == set(get_args(State)) == set(TRANSITIONS) == set(STATES)


@pytest.mark.parametrize(("state", "entered"), [*product(LIFE, ENTER)])
async def test_nothing_happens_that_is_not_in_the_table(state: State, entered: State) -> None:
    proposal = made(state)
    if entered in TRANSITIONS[state]:
        ENTER[entered](proposal)
        assert proposal.state == entered
    else:
        before = vars(proposal).copy()
        with pytest.raises(IllegalTransition):
            ENTER[entered](proposal)
        assert vars(proposal) == before


async def is_cancelled(proposal: Proposal) -> bool:
    """Whether its task is cancelled."""
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        return proposal.resume()
    return False


@pytest.mark.parametrize("state", LIFE)
async def test_it_is_withdrawn_until_it_is_settled(state: State) -> None:
    proposal = made(state)
    in_time = state not in PAST_RETURN
    assert proposal.withdraw("settings") is in_time
    assert not proposal.withdraw("root_removed")
    assert await is_cancelled(proposal) is in_time
    assert proposal.why_withdrawn.reason == "settings"


async def test_a_reopened_proposal_can_be_withdrawn() -> None:
    proposal = made("settled")
    proposal.reopen()
    assert proposal.state == "shown"
    assert proposal.withdraw("settings")
    assert await is_cancelled(proposal)


async def test_a_withdrawal_takes_effect_once_the_settle_fails() -> None:
    proposal = made("settled")
    assert not proposal.withdraw("settings")
    proposal.reopen()
    assert await is_cancelled(proposal)


async def test_the_user_waits_from_when_it_is_first_shown_to_the_decision() -> None:
    clock = ManualClock()
    proposal = made("shown", clock)
    clock.advance(1)
    proposal.wait_for("message")
    proposal.to("shown")
    assert proposal.waited_ms == 0
    clock.advance(1)
    ENTER["landing"](proposal)
    clock.advance(1)
    proposal.end("landed")
    assert proposal.waited_ms == 2000


def test_only_its_own_module_sets_its_fields() -> None:
    setters = {
        path.name
        for path in Path(agentfs_lsp.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del)
        if ast.unparse(node.value).rpartition(".")[2] == "proposal"
    }
    assert setters == set()
