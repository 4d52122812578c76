"""Keeping changes from landing for a while."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import filelock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def nothing_can_land(state: Path) -> Iterator[None]:
    """Another server of this user is landing something. `state`: the servers' XDG_STATE_HOME."""
    folder = state / "agentfs"
    folder.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(folder / "landing.lock"):
        yield
