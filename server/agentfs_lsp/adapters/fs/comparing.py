"""Is the file on disk still the base of a change? (docs/protocol.md#8-lock)

The bytes decide. Metadata is only a hint: two writes within a clock tick look alike, and anyone can set a
file's times.
"""

from __future__ import annotations

import os
import stat
from operator import attrgetter

from agentfs_lsp.adapters.fs.confined import READING
from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.domain.errors import Conflict, ConflictReason
from agentfs_lsp.domain.revision import Expected, hash_bytes
from agentfs_lsp.service.files.store import Blob, Location

_BLOCK = 1 << 20
_version = attrgetter("st_dev", "st_ino", "st_mtime_ns", "st_size")


def looks_like(found: os.stat_result, base: Blob) -> bool:
    """Whether the file's metadata is that of the base: only a hint."""
    then = base.stat
    return _version(found) == (then.device, then.inode, then.mtime_ns, then.size)


def same_version(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether both stats are of the same file, apparently not written to in between."""
    return bool(_version(one) == _version(other))


def holds_base(folder: int, name: str, base: Blob) -> bool:
    """Whether the name is a regular file with the base's bytes. Raises OSError."""
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(found.st_mode) or found.st_size != len(base.data):
        return False
    with closing_fd(os.open(name, READING, dir_fd=folder)) as fd:
        return has_content(fd, base.data)


def has_content(fd: int, data: bytes) -> bool:
    """Whether an open file holds exactly these bytes."""
    offset = 0
    while block := os.pread(fd, _BLOCK, offset):
        if not data.startswith(block, offset):
            return False
        offset += len(block)
    return offset == len(data)


def conflict(
    location: Location, reason: ConflictReason, base: Blob | None, found: os.stat_result | None = None
) -> Conflict:
    """The error for a file that is not the base; `found` is its stat, if known (its hash is not reported)."""
    return Conflict(
        location.relative,
        "disk",
        reason,
        expected=Expected(base.stat.mtime_ms, base.stat.size, hash_bytes(base.data)) if base else None,
        actual=Expected(found.st_mtime_ns // 1_000_000, found.st_size) if found else None,
    )
