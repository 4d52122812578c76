"""Random users, editors, programs and agents: every answer is true of disk and buffers.

A short run of fixed seeds; `make check-model` runs at length.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from support.model import WAYS, run

if TYPE_CHECKING:
    from pathlib import Path

REQUESTS = dict.fromkeys(WAYS, 12) | {"message": 4}
"""By the way of asking: a message waits until nobody types."""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("way", WAYS)
async def test_every_answer_is_true_of_disk_and_buffers(root: Path, way: str, seed: int) -> None:
    steps = count()
    world = await run(root, way, seed, lambda: next(steps) < REQUESTS[way])
    assert sum(world.answers.values()) >= REQUESTS[way] / 2, "the agents were served"
