"""Random users, editors, programs and agents: every response is true of disk and buffers.

A short run with fixed seeds; `make check-model` runs longer.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from support.model import WAYS, run

REQUESTS = dict.fromkeys(WAYS, 12) | {"message": 4}
"""By the way of asking: a message waits until nobody types."""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("way", WAYS)
async def test_every_answer_is_true_of_disk_and_buffers(root: Path, way: str, seed: int) -> None:
    steps = count()
    world = await run(root, way, seed, lambda: next(steps) < REQUESTS[way])
    assert sum(world.answers.values()) >= REQUESTS[way] / 2, "the agents were served"


@pytest.mark.parametrize("ways", [[], ["auto_edit", "message"]])
def test_the_check_at_length_goes_through_the_ways_it_is_given_or_all(ways: list[str]) -> None:
    command = [sys.executable, "-m", "tests.model", "--seconds", "0", "--seeds", "1", *ways]
    repository = Path(__file__).parents[2]
    ended = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.partition(":")[0] for line in ended.stdout.splitlines()] == (ways or [*WAYS])
