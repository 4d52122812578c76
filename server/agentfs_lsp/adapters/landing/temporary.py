"""Writes temporary files beside their targets, and removes them."""

from __future__ import annotations

import os
from contextlib import suppress

from agentfs_lsp.adapters.fs.attributes import keep_attributes
from agentfs_lsp.adapters.fs.handles import write_all
from agentfs_lsp.domain.text.patching import Pieces

_FOR_OTHERS = 0o666  # before the kernel applies the umask
_FOR_NOBODY_YET = 0o600


def write_temporary(folder: int, name: str, data: Pieces, source: int | None) -> int:
    """Create the file with the attributes of the open file `source`, if any. Returns its handle: neither the
    content nor the name is durable yet. Raises OSError, possibly leaving part of the file."""
    mode = _FOR_OTHERS if source is None else _FOR_NOBODY_YET
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    fd = os.open(name, flags, mode, dir_fd=folder)
    try:
        write_all(fd, data)
        if source is not None:
            keep_attributes(source, fd)
    except BaseException:
        os.close(fd)
        raise
    return fd


def remove_temporary(folder: int, name: str) -> None:
    """Remove the file if it exists; never raises, because the next start sweeps the rest."""
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
