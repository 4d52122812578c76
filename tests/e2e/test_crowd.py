"""Agents by every door at once, while processes are killed: `make check-crowd` plays it for longer."""

from pathlib import Path

import pytest

from support.crowd import Crowd


@pytest.mark.parametrize("seed", [1, 2])
async def test_nothing_is_lost_and_nothing_lands_unapproved(seed: int, root: Path, sockets: Path) -> None:
    crowd = Crowd(seed, root, sockets, turns=60)
    await crowd.play()
    assert crowd.landed
    assert crowd.kills
