"""Blocks landings for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock


@contextmanager
def nothing_can_land(state: Path) -> Iterator[None]:
    """Hold the landing lock, as another server of this user. `state`: the servers' XDG_STATE_HOME."""
    folder = state / "agentfs"
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / "landing.lock"):
        yield
