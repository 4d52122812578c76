"""Maps errors of the operating system to domain errors, in one table (docs/protocol.md#3-envelope)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from functools import partial
from typing import Literal

from agentfs_lsp.domain.errors import (
    DomainError,
    FileMissing,
    IsDirectory,
    MalformedPath,
    NotRegular,
    OutsideRoots,
    SystemFailed,
    SystemRefused,
)
from agentfs_lsp.domain.revision import FileStat

# ELOOP and EXDEV: links were resolved before, so a link found now is new and leads somewhere unknown.
_BY_ERRNO: dict[int, Callable[[str], DomainError]] = {
    errno.ENOENT: FileMissing,
    errno.EISDIR: IsDirectory,
    errno.ENOTDIR: partial(MalformedPath, reason="below_file"),
    errno.ENAMETOOLONG: partial(MalformedPath, reason="too_long"),
    errno.EILSEQ: partial(MalformedPath, reason="unstorable"),
    errno.EINVAL: partial(MalformedPath, reason="unstorable"),
    errno.ELOOP: OutsideRoots,
    errno.EXDEV: OutsideRoots,
    errno.ENXIO: partial(NotRegular, kind="socket"),
}
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def domain_error(error: OSError, path: str) -> DomainError:
    """The domain error for a system call that failed on `path`."""
    refusal = _BY_ERRNO.get(error.errno or 0)
    return refusal(path) if refusal else system_error(error, path)


def system_error(error: OSError, path: str) -> SystemRefused | SystemFailed:
    """The same if `path` did not come from a caller."""
    code = error.errno or errno.EIO
    kind = SystemRefused if code in _REFUSED else SystemFailed
    return kind(path, "system", os.strerror(code))


_KINDS: dict[int, Literal["device", "fifo", "socket"]] = {
    stat.S_IFBLK: "device",
    stat.S_IFCHR: "device",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


def regular(found: os.stat_result, path: str) -> FileStat:
    """The stat of a regular file. Raises IsDirectory, NotRegular, and OutsideRoots for a link, which must be
    new."""
    kind = stat.S_IFMT(found.st_mode)
    if kind == stat.S_IFREG:
        return FileStat(
            found.st_mtime_ns, found.st_size, found.st_ino, found.st_dev, found.st_mode, found.st_nlink
        )
    if kind == stat.S_IFDIR:
        raise IsDirectory(path)
    if kind == stat.S_IFLNK:
        raise OutsideRoots(path)
    raise NotRegular(path, _KINDS.get(kind, "other"))
