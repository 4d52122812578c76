"""The user's state folder, and its lock, which every agentfs server of this user takes while landing
(docs/protocol.md#8-lock).

Fails closed: if the folder cannot be created or does not belong to the user, nothing lands.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

from agentfs_lsp.adapters.fs.os_errors import system_error
from agentfs_lsp.adapters.fs.syscalls import sync_folder
from agentfs_lsp.domain.errors import SystemFailed, SystemRefused

_POLL_S = 0.005


class StateFolder:
    """The folder for what outlives a server; readable only by the user."""

    def __init__(self, path: str | None = None) -> None:
        self._path = path

    @property
    def path(self) -> str:
        """Absolute and without links, because policy compares it with resolved paths. `XDG_STATE_HOME` moves
        it."""
        if self._path is None:
            from platformdirs import user_state_dir  # noqa: PLC0415 - not needed to start

            self._path = os.path.realpath(user_state_dir("agentfs"))
        return self._path

    def ensure(self, *names: str) -> str:
        """The path of a folder in it, created if missing. Raises SystemRefused and SystemFailed naming the
        folder."""
        here = self.path
        _make_private(here)
        for name in names:
            here = os.path.join(here, name)
            _make_private(here)
        return here


def _make_private(folder: str) -> None:
    try:
        try:
            found = os.stat(folder)
        except FileNotFoundError:
            _make_durably(folder)
            found = os.stat(folder)
        if not stat.S_ISDIR(found.st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)
        if found.st_uid != os.geteuid():
            raise SystemRefused(folder, "other_owner")
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(folder, 0o700)
    except OSError as error:
        raise system_error(error, folder) from error


def _make_durably(folder: str) -> None:
    """Create it and its parents, so that its contents survive a power cut."""
    above = os.path.dirname(folder)
    if not os.path.isdir(above):
        _make_durably(above)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    sync_folder(above)


class LandingLock:
    """Serializes landings among this process's threads and all servers of this user. Its file stays open from
    the first landing to its last reference."""

    def __init__(self, state: StateFolder, timeout_s: float = 10.0) -> None:
        self._state = state
        self._timeout_s = timeout_s
        self._thread = threading.Lock()
        self._fd = -1

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if self._fd >= 0:
            close(self._fd)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises SystemFailed on timeout, and what `StateFolder.ensure` raises."""
        if not self._thread.acquire(timeout=self._timeout_s):
            raise SystemFailed(self._state.path, "landing_here")
        try:
            self._lock(os.path.join(self._state.ensure(), "landing.lock"))
            try:
                yield
            finally:
                fcntl.flock(self._fd, fcntl.LOCK_UN)
        finally:
            self._thread.release()

    def _lock(self, path: str) -> None:
        deadline = monotonic() + self._timeout_s
        try:
            while not self._try_to_lock(path):
                if monotonic() > deadline:
                    raise SystemFailed(path, "landing_elsewhere")
                sleep(_POLL_S)
        except OSError as error:
            raise system_error(error, path) from error

    def _try_to_lock(self, path: str) -> bool:
        if self._fd < 0:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(self._fd), os.stat(path, follow_symlinks=False)):
                return True
        os.close(self._fd)  # somebody removed the file: others lock the new one
        self._fd = -1
        return False
