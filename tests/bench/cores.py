"""Client and server on one core, for round trips so short that changing cores would be most of them.

Whether the kernel places two processes on one core or on two is a factor of three on the smallest round
trip, and it keeps its choice for long: without this, such a figure would tell of the scheduler's luck.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def sharing_a_core(pid: int) -> Iterator[None]:
    """Hold this process and every thread of `pid` on one core; where the system can't, do nothing."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    all_cores = os.sched_getaffinity(0)
    _place(pid, {min(all_cores)})
    try:
        yield
    finally:
        _place(pid, all_cores)


def _place(pid: int, cores: set[int]) -> None:
    os.sched_setaffinity(0, cores)
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)
    except OSError:
        return  # it ended, or a thread of it did: the call to come will tell
