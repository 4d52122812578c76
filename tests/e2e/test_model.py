"""Cases of the simulation against a real server process. `make check-model` plays more of them, and whole."""

from itertools import product
from pathlib import Path

import pytest

from support.model import play_for_real
from support.simulation.case import WAYS, Case


@pytest.mark.parametrize(
    ("way", "seed"), [*product(WAYS, [1]), ("review", 5), ("preview", 6), ("auto_edit", 3)]
)
async def test_every_answer_is_true_of_disk_and_buffers(root: Path, way: str, seed: int) -> None:
    case = Case.of(seed, way)
    played = await play_for_real(case.with_actions(case.actions[:30]), root)
    assert played.violation == "", "\n".join(played.log)
    assert played.answers, "the agents were served"
