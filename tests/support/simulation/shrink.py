"""Shrinks a failing case, deterministically, to as few actions, agents and files as still fail."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from support.simulation.case import Case

T = TypeVar("T")


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """The smallest failing case found. `fails` runs one."""
    while True:
        smaller = _with_fewer_actions(case, fails)
        for path in case.files:
            fewer = replace(smaller, files=tuple(one for one in smaller.files if one != path))
            smaller = fewer if fewer.files and fails(fewer) else smaller
        while smaller.agents > 1 and fails(replace(smaller, agents=smaller.agents - 1)):
            smaller = replace(smaller, agents=smaller.agents - 1)
        if smaller == case:
            return case
        case = smaller


def _with_fewer_actions(case: Case, fails: Callable[[Case], bool]) -> Case:
    """Delta debugging: leave out ever smaller chunks."""
    size = max(len(case.actions) // 2, 1)
    while True:
        kept = case.actions
        at = 0
        while at < len(kept):
            fewer = kept[:at] + kept[at + size :]
            if fails(replace(case, actions=fewer)):
                kept = fewer
            else:
                at += size
        case = replace(case, actions=kept)
        if size == 1:
            return case
        size //= 2
