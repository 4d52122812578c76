"""The operation log: one JSON line for each operation, in a file that only the user can read
(docs/operations.md).

A thread writes soon afterwards, so that no answer waits for the disk. Several servers append to the same
file: each writes whole lines at its end, and whoever finds it full renames it, under a lock. What cannot be
written is dropped, and the log on standard error says so once.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from agentfs_lsp.adapters.fs.handles import closing_fd, write_all
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.record_thread import RecordThread
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.groups import MIB, LogSettings
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.operations import OperationRecord, as_json

_log = logging.getLogger(__name__)

FOLDER: Final = "log"
NAME: Final = "operations.jsonl"
"""Where the log is in the state folder. Older files are `operations.jsonl.1` and so on."""

OLD_FILES: Final = 4

_as_line: Final = json.JSONEncoder(separators=(",", ":")).encode


class OperationLog:
    """`service.operations.Observer`. `path`: another file than the one in the state folder."""

    def __init__(self, state: StateFolder, path: str | None = None) -> None:
        self._state = state
        self._path = path
        self._settings = LogSettings()
        self._thread = RecordThread("agentfs-log", self._write)
        self._is_in_trouble = False
        self._is_cut = False

    @property
    def is_on(self) -> bool:
        return self._settings.operations

    def configure(self, settings: Settings) -> None:
        self._settings = settings.log

    def ended(self, record: OperationRecord) -> None:
        self._thread.put(record)

    def close(self) -> None:
        self._thread.close()

    def _write(self, records: Iterable[OperationRecord]) -> None:
        """Never raises."""
        lines = b"".join(map(_line, records))
        try:
            self._append(self._path or os.path.join(self._state.ensure(FOLDER), NAME), lines)
        except (OSError, DomainError) as error:
            reason = error.strerror if isinstance(error, OSError) else type(error).__name__
            if not self._is_in_trouble:
                _log.warning("operations are not logged: the file cannot be written: %s", reason)
            self._is_in_trouble = True
        else:
            self._is_in_trouble = False

    def _append(self, path: str, lines: bytes) -> None:
        """Raises OSError."""
        fd = _opened(path)
        try:
            if os.fstat(fd).st_size + len(lines) > self._settings.max_mib * MIB and _rotate(path, fd):
                os.close(fd)
                fd = -1
                fd = _opened(path)
            lines = b"\n" * self._is_cut + lines  # ends a line that a full disk cut short
            self._is_cut = True
            write_all(fd, (lines,))
            self._is_cut = False
        finally:
            if fd >= 0:
                with suppress(OSError):
                    os.close(fd)


def _line(record: OperationRecord) -> bytes:
    """ASCII, so that the names in it can neither control a terminal nor be undecodable."""
    return _as_line(as_json(record)).encode() + b"\n"


def _opened(path: str) -> int:
    """Opened to append, readable by the user alone. Raises OSError, also for what is no regular file."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "it is no regular file")
    if stat.S_IMODE(found.st_mode) & 0o077:
        with suppress(OSError):  # somebody else's, which the user chose
            os.fchmod(fd, 0o600)
    return fd


def _rotate(path: str, fd: int) -> bool:
    """Rename the full file that is open, and the older ones, unless another server does so right now; returns
    whether `path` is no longer the open file. If the folder can't be written, the file grows."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), closing_fd(os.open(f"{path}.lock", flags, 0o600)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False)):
            for number in range(OLD_FILES, 1, -1):
                with suppress(FileNotFoundError):
                    os.replace(f"{path}.{number - 1}", f"{path}.{number}")
            os.replace(path, f"{path}.1")
        return True
    return False
