"""Records temporary files, so that the next start can remove those of a killed server
(docs/protocol.md#6-agentfswrite).

Each server records in the state folder where it creates temporary files, which folders it creates for
pending landings, and which it removes after an undo. It locks its record while it runs, so an unlocked record
belongs to a server that has ended. The files of running servers are left alone.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import secrets
import stat
import threading
from collections.abc import Container, Iterable
from contextlib import suppress

from agentfs_lsp.adapters.fs.confined import Folder, OpenBeneath, open_real
from agentfs_lsp.adapters.fs.handles import abandoned, create_locked, write_all
from agentfs_lsp.adapters.fs.os_errors import system_error
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.fs.syscalls import sync_folder
from agentfs_lsp.domain.errors import SystemFailed, SystemRefused

_FOLDER = "servers"
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV})
PASSING = frozenset(
    {errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EACCES, errno.EPERM}
)
"""Errors after which a later start may succeed in removing a folder: they say nothing about its content."""
_NOTE = re.compile(r"([0-9a-f]{16})\.jsonl")


class Registry:
    """This server's record, created with its first landing."""

    def __init__(self, state: StateFolder) -> None:
        self.server_id = secrets.token_hex(8)
        self._state = state
        self._lock = threading.Lock()
        self._fd: int | None = None
        self._known: set[str] = set()
        self._numbers = itertools.count(1)

    def temporary_name(self) -> str:
        """A new name for a temporary file that only this server or its successors remove."""
        return f".agentfs-{self.server_id}-{next(self._numbers)}.tmp"

    def is_temporary(self, name: str) -> bool:
        """Whether this server may have given a temporary file this name."""
        return name.startswith(f".agentfs-{self.server_id}-")

    def announce(self, temporary_in: str, making: Iterable[str] = ()) -> None:
        """Record where a temporary file, or a folder for one, will be created (real absolute paths). Durable
        on return. Raises SystemRefused and SystemFailed naming the record."""
        made = list(making)
        with self._lock:
            if temporary_in in self._known and not made:
                return
            self._write_durably({"temporary_in": temporary_in, "making": made})
            self._known.add(temporary_in)

    def announce_removal(self, folders: Iterable[str]) -> None:
        """Record folders that will be removed if they are empty by then. Durable on return. Raises like
        `announce`."""
        with self._lock:
            self._write_durably({"removing": list(folders)})

    def settle(self, folders: Iterable[str]) -> None:
        """These folders stay, or are gone again. Never raises: a stale entry is harmless, since only empty
        folders are removed."""
        with self._lock, suppress(OSError, SystemRefused, SystemFailed):
            self._write({"settled": list(folders)})

    def close(self) -> None:
        """Release the record: a sweep may remove what it lists."""
        with self._lock:
            if self._fd is not None:
                with suppress(OSError):
                    os.close(self._fd)
                self._fd = None
                self._known.clear()

    @property
    def _path(self) -> str:
        return _note_of(self._state, self.server_id)

    def _write_durably(self, line: dict[str, str | list[str]]) -> None:
        try:
            os.fsync(self._write(line))
        except OSError as error:
            raise system_error(error, self._path) from error

    def _write(self, line: dict[str, str | list[str]]) -> int:
        if self._fd is None:
            self._fd = self._begin()
        # Starts with a line break, to end a line that a full disk cut short.
        write_all(self._fd, (b"\n" + json.dumps(line).encode() + b"\n",))
        return self._fd

    def _begin(self) -> int:
        self._state.ensure(_FOLDER)
        fd = create_locked(self._path, os.O_RDWR | os.O_APPEND)
        try:
            sync_folder(os.path.dirname(self._path))
        except BaseException:
            os.close(fd)  # releases its lock too, which the next attempt needs
            raise
        return fd


def _note_of(state: StateFolder, server_id: str) -> str:
    return os.path.join(state.path, _FOLDER, f"{server_id}.jsonl")


def aside_name(temporary: str) -> str:
    """The name next to a temporary one under which the old content is kept, if each needs a name."""
    return temporary.removesuffix(".tmp") + "-old.tmp"


def is_dead(state: StateFolder, server_id: str) -> bool:
    """Whether the server with this id is no longer running. Raises OSError."""
    try:
        with abandoned(_note_of(state, server_id)):
            return True
    except FileNotFoundError:
        return True  # a server creates its record before it lands anything
    except BlockingIOError:
        return False


def sweep(state: StateFolder, open_beneath: OpenBeneath, unsettled: Container[str] = ()) -> None:
    """Remove what dead servers left. What is unreachable stays recorded for the next start, and so does what
    belongs to the `unsettled` servers, whose landing is unfinished."""
    try:
        folder = state.ensure(_FOLDER)
        names = os.listdir(folder)
    except (OSError, SystemRefused, SystemFailed):
        return
    for name in names:
        if (match := _NOTE.fullmatch(name)) and match[1] not in unsettled:
            _sweep_one(os.path.join(folder, name), match[1], open_beneath)


def _sweep_one(note: str, server_id: str, open_beneath: OpenBeneath) -> None:
    with suppress(OSError), abandoned(note) as fd:
        with open(fd, "rb", closefd=False) as lines:
            temporary_in, empty = _read(lines)
        for path in temporary_in:
            _remove_temporaries(path, server_id, open_beneath)
        for path in sorted(empty, key=len, reverse=True):
            _remove_empty(path, open_beneath)
        os.unlink(note)


def _read(lines: Iterable[bytes]) -> tuple[set[str], set[str]]:
    """Where temporary files may be, and the folders to remove if they are empty."""
    temporary_in: set[str] = set()
    empty: set[str] = set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut short by a crash or a full disk
        if "temporary_in" in entry:
            temporary_in.add(entry["temporary_in"])
            empty.update(entry["making"])
        elif "removing" in entry:
            empty.update(entry["removing"])
        else:
            empty.difference_update(entry["settled"])
    return temporary_in, empty


def _opened(path: str, open_beneath: OpenBeneath) -> Folder | None:
    """The recorded folder, if it is still there; does not follow a link put in its place."""
    try:
        return open_real(open_beneath, path)
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise


def _remove_temporaries(path: str, server_id: str, open_beneath: OpenBeneath) -> None:
    folder = _opened(path, open_beneath)
    if folder is None:
        return
    temporary = re.compile(rf"\.agentfs-{server_id}-\d+(-old)?\.tmp")
    for name in filter(temporary.fullmatch, os.listdir(folder.fd)):
        found = os.stat(name, dir_fd=folder.fd, follow_symlinks=False)
        if not stat.S_ISDIR(found.st_mode):
            os.unlink(name, dir_fd=folder.fd)


def _remove_empty(path: str, open_beneath: OpenBeneath) -> None:
    parent, _, name = path.rstrip("/").rpartition("/")
    folder = _opened(parent, open_beneath)
    if folder is None:
        return
    try:
        os.rmdir(name, dir_fd=folder.fd)
    except OSError as error:
        if error.errno in PASSING:
            raise
        # Otherwise somebody uses it.
