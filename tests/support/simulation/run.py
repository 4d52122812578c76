"""Runs cases and shrinks failing ones."""

import time
from collections import Counter
from dataclasses import dataclass, field

from support.judge import Violation
from support.simulation.case import Case
from support.simulation.shrink import shrink
from support.simulation.world import World

MAX_SHRINKING_S = 60


@dataclass
class Played:
    """The result of one case. `trace` is a hash of all that happened, `log` the same in words."""

    case: Case
    steps: int
    trace: str
    answers: Counter[str] = field(default_factory=Counter)
    violation: str = ""
    log: list[str] = field(default_factory=list)


def play(case: Case) -> Played:
    world = World(case)
    violation = ""
    try:
        world.run()
    except Violation as found:
        violation = str(found)
    scheduler = world.scheduler
    return Played(case, scheduler.steps, scheduler.trace, world.oracle.answers, violation, world.trace)


def smallest(case: Case) -> Played:
    """The smallest case that still fails, in any way, found within `MAX_SHRINKING_S`."""
    until = time.monotonic() + MAX_SHRINKING_S
    return play(shrink(case, lambda one: time.monotonic() < until and bool(play(one).violation)))
