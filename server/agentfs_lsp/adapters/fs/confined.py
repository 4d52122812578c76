"""Opens files beneath a directory handle, so that no link leads out even at the moment of use
(docs/protocol.md#4-paths-and-roots).

Links in names have already been resolved (`resolving`), so a link found now is new and is refused. openat2
does this in one call; without it, a walk opens component by component. Neither creates files.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from agentfs_lsp.adapters.fs.syscalls import Kernel, has_openat2, openat2

OpenBeneath = Callable[[int, str, int], int]
"""(directory handle, name below it with `/`, flags) -> new handle. Raises OSError, ELOOP for a link."""

# Traversing a folder takes only search permission on Linux, but read permission on macOS.
_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
# Opening a FIFO must not block, and opening a terminal must not make it the controlling one.
READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW


class Folder:
    """An open directory. Closed with its last reference, so that a thread working in it never sees its handle
    reused for another file."""

    __slots__ = ("device", "fd", "inode")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        found = os.fstat(fd)
        self.device, self.inode = found.st_dev, found.st_ino

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self.fd)

    def is_same(self, found: os.stat_result) -> bool:
        """Whether `found` is the stat of this folder."""
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


def folder_at(path: str) -> Folder:
    """Open the folder at an absolute path, following links in the path."""
    return Folder(os.open(path, _THROUGH))


def opening(kernel: Kernel) -> OpenBeneath:
    """The kernel's best way to open beneath a handle."""
    return openat2 if kernel.openat2 and has_openat2() else open_by_walking


def open_by_walking(folder: int, relative: str, flags: int) -> int:
    """Like openat2: opens each component in the previous one, never through a link."""
    *parents, name = relative.split("/")
    at = folder
    try:
        for parent in parents:
            below = _open_step(at, parent, _THROUGH)
            if at != folder:
                os.close(at)
            at = below
        return _open_step(at, name, flags)
    finally:
        if at != folder:
            os.close(at)


def _open_step(folder: int, name: str, flags: int) -> int:
    if name in {"", ".."}:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), name)
    try:
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    except OSError as error:
        # Which errno a link causes depends on system and flags.
        if error.errno in {errno.ENOTDIR, errno.ELOOP} and is_link(folder, name):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from error
        raise


def is_link(folder: int, name: str) -> bool:
    """Whether the name in that folder is a symbolic link."""
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def open_folder(open_beneath: OpenBeneath, folder: int, relative: str) -> Folder:
    """Open the folder below a handle ("" for the handle's own) to create and sync names in it."""
    return Folder(open_beneath(folder, relative or ".", os.O_RDONLY | os.O_DIRECTORY))


def open_real(open_beneath: OpenBeneath, path: str) -> Folder:
    """Open the folder at a real absolute path: a link put in its place since is ELOOP."""
    top = folder_at("/")
    return open_folder(open_beneath, top.fd, path.strip("/"))


def look(open_beneath: OpenBeneath, folder: int, relative: str) -> os.stat_result:
    """The stat of a name, of the link itself if it is one. Opens only folders, because opening a device can
    have effects."""
    parent, _, name = relative.rpartition("/")
    if not parent:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    at = open_beneath(folder, parent, _THROUGH)
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    finally:
        os.close(at)
