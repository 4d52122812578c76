"""Blocks landings for a while."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def nothing_can_land(state: Path) -> Iterator[None]:
    """Hold the landing lock, as another server of this user. `state`: the servers' XDG_STATE_HOME."""
    folder = state / "agentfs"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "landing.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
