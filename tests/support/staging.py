"""Stages a file with the real store, and acts in the middle of its landing."""

from collections.abc import Callable
from itertools import count

import pytest

from agentfs_lsp.adapters.fs import syscalls
from agentfs_lsp.adapters.landing.staged import StagedFile
from unit.adapters.conftest import Disk


def stage(disk: Disk, relative: str, data: bytes, *, create_dirs: bool = True) -> StagedFile:
    location = disk.at(relative)
    base = None if disk.store.stat(location) is None else disk.store.read(location, 1 << 26)
    return disk.stage(location, data, base, create_dirs=create_dirs)


def before_each_exchange(patch: pytest.MonkeyPatch, act: Callable[[int], None]) -> None:
    """Call `act` before two files exchange their names, with the exchange's number, from 1."""
    exchange, numbers = syscalls.exchange, count(1)

    def act_first(folder: int, one: str, other: str) -> None:
        act(next(numbers))
        exchange(folder, one, other)

    patch.setattr(syscalls, "exchange", act_first)
