"""Handles of open files: closed after a block, in the background, or locked while a server uses them."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from queue import SimpleQueue


@contextmanager
def closing_fd(fd: int) -> Iterator[int]:
    """Close the handle at the end of the block. That may fail, as on NFS, but what was read or synced through
    it is right, and the handle is gone all the same."""
    try:
        yield fd
    finally:
        with suppress(OSError):
            os.close(fd)


def write_all(fd: int, pieces: Iterable[bytes | memoryview]) -> None:
    """Write the pieces one after another: a single call may write less than it is given. Raises OSError,
    possibly after a part."""
    for piece in pieces:
        rest = memoryview(piece)
        while rest:
            rest = rest[os.write(fd, rest) :]


def create_locked(path: str, flags: int, folder: int | None = None) -> int:
    """Create a file (a path, or a name in `folder`) and lock it while this server runs; again if another
    server's sweep took it for `abandoned` and removed it before it was locked. Raises OSError."""
    while True:
        fd = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            is_there = os.fstat(fd).st_nlink > 0
        except OSError:
            os.close(fd)  # or the next attempt would wait for this lock
            with suppress(OSError):
                os.unlink(path, dir_fd=folder)
            raise
        if is_there:
            return fd
        os.close(fd)


@contextmanager
def abandoned(path: str, folder: int | None = None) -> Iterator[int]:
    """Open and lock a file that its server keeps locked while it runs (a path, or a name in `folder`). Raises
    BlockingIOError if the server runs, and OSError."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK
    with closing_fd(os.open(path, flags, dir_fd=folder)) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield fd


class Closing:
    """Closes handles on a thread of its own, because closing the last one of a removed file frees its blocks,
    which takes time. The system closes the rest at exit."""

    def __init__(self) -> None:
        self._handles: SimpleQueue[int] = SimpleQueue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def close(self, handle: int) -> None:
        """Close `handle` soon. Never blocks."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="agentfs-closing", daemon=True)
                self._thread.start()
        self._handles.put(handle)

    def _run(self) -> None:
        while True:
            with closing_fd(self._handles.get()):
                pass
