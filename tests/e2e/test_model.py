"""Cases of the simulation against a real server process. `make check-model` plays more of them, and whole."""

import asyncio
from itertools import product
from pathlib import Path

from support.model import play_for_real
from support.simulation.case import WAYS, Case

PLAYED = [*product(WAYS, [1]), ("review", 5), ("preview", 6), ("auto_edit", 3)]


async def test_every_answer_is_true_of_disk_and_buffers(tmp_path: Path) -> None:
    """All at once, since each waits most of the time."""

    async def play(way: str, seed: int) -> None:
        root = tmp_path / f"{way}-{seed}" / "root"
        root.mkdir(parents=True)
        case = Case.of(seed, way)
        played = await play_for_real(case.with_actions(case.actions[:30]), root)
        assert played.violation == "", "\n".join(played.log)
        assert played.answers, "the agents were served"

    async with asyncio.TaskGroup() as playing:
        for way, seed in PLAYED:
            playing.create_task(play(way, seed))
