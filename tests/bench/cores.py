"""Keeps client and server on one core, for round trips so short that switching cores would dominate.

Whether the kernel uses one core or two changes the smallest round trip threefold, and the choice persists:
without this, the figure would depend on the scheduler.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def sharing_a_core(pid: int) -> Iterator[None]:
    """Pin this process and every thread of `pid` to one core; do nothing if the system can't."""
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
        return  # it or a thread of it ended: the next call will tell
