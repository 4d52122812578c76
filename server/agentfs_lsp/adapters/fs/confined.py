"""Opening beneath a directory handle, so that no link leads out at the moment of use either
(docs/protocol.md#4-paths-and-roots).

Names come here after their links were followed (`resolving`): a link that is met now was put there since, and
is refused. openat2 does it in one call; where it is missing, a walk opens component by component. Neither
creates a file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable

from agentfs_lsp.adapters.fs.syscalls import Kernel, has_openat2, openat2

OpenBeneath = Callable[[int, str, int], int]
"""(directory handle, name below it with `/`, flags) to a new handle; raises OSError, for a link ELOOP."""

# To pass through a folder its search permission is enough on Linux; macOS asks for reading too.
_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
# Opening a FIFO or a terminal must neither wait nor take it over.
READING = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


class Folder:
    """An open directory. Closed with its last reference, so that a thread that still works in it never finds
    its number given to another file."""

    __slots__ = ("device", "fd", "inode")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        found = os.fstat(fd)
        self.device, self.inode = found.st_dev, found.st_ino

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self.fd)

    def is_same(self, found: os.stat_result) -> bool:
        """Whether `found` is what the file system says of this very folder."""
        return (found.st_dev, found.st_ino) == (self.device, self.inode)


def folder_at(path: str) -> Folder:
    """A handle of the folder at an absolute path, for opening below it; links in the path are followed."""
    return Folder(os.open(path, _THROUGH | os.O_CLOEXEC))


def opening(kernel: Kernel) -> OpenBeneath:
    """The best way to open beneath a handle that the kernel has."""
    return openat2 if kernel.openat2 and has_openat2() else open_by_walking


def open_by_walking(folder: int, relative: str, flags: int) -> int:
    """As openat2: each component is opened in the one before, and never through a link."""
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
        return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        # Which of the two a link gives depends on the system and on the flags.
        if error.errno in {errno.ENOTDIR, errno.ELOOP} and is_link(folder, name):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from error
        raise


def is_link(folder: int, name: str) -> bool:
    """Whether the name in that folder is a symbolic link now."""
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def open_folder(open_beneath: OpenBeneath, folder: int, relative: str) -> Folder:
    """The folder below a handle ("" is the handle's own), in which names can be made and synced."""
    return Folder(open_beneath(folder, relative or ".", os.O_RDONLY | os.O_DIRECTORY))


def look(open_beneath: OpenBeneath, folder: int, relative: str) -> os.stat_result:
    """What the file system says of a name, itself if it is a link. Opens nothing but folders: opening a
    device can act on it."""
    parent, _, name = relative.rpartition("/")
    if not parent:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    at = open_beneath(folder, parent, _THROUGH)
    try:
        return os.stat(name, dir_fd=at, follow_symlinks=False)
    finally:
        os.close(at)
