"""The revision of a file, and whether it is still current (docs/protocol.md#8-lock)."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple


def hash_bytes(*pieces: bytes | memoryview) -> str:
    """The hash of the concatenated pieces: `sha256:` and 64 hexadecimal digits."""
    state = sha256()
    for piece in pieces:
        state.update(piece)
    return "sha256:" + state.hexdigest()


class FileStat(NamedTuple):
    """A regular file's modification time in nanoseconds and size in bytes."""

    mtime_ns: int
    size: int
    inode: int
    device: int
    mode: int
    links: int

    @property
    def mtime_ms(self) -> int:
        """Milliseconds since the epoch, rounded down (docs/protocol.md#8-lock)."""
        return self.mtime_ns // 1_000_000


class Expected(NamedTuple):
    """A revision as callers know it; each field may be unknown. Time in ms, size in bytes."""

    mtime_ms: int | None = None
    size_bytes: int | None = None
    hash: str | None = None

    def __bool__(self) -> bool:
        return self != (None, None, None)

    def met_by(self, actual: Expected) -> bool:
        """Whether `actual` equals every field that is set here."""
        return all(wanted is None or wanted == found for wanted, found in zip(self, actual, strict=True))
