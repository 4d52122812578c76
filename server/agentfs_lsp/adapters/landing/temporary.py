"""Writes durable temporary files beside their targets, and removes them."""

from __future__ import annotations

import os
from contextlib import suppress

from agentfs_lsp.adapters.fs.attributes import keep_attributes
from agentfs_lsp.adapters.fs.handles import closing_fd, write_all
from agentfs_lsp.adapters.fs.syscalls import sync
from agentfs_lsp.domain.text.patching import Pieces

_FOR_OTHERS = 0o666  # before the kernel applies the umask
_FOR_NOBODY_YET = 0o600


def write_temporary(folder: int, name: str, data: Pieces, source: int | None) -> os.stat_result:
    """Create the file with the attributes of the open file `source`, if any. Its content is durable, its name
    is not. Raises OSError, possibly leaving part of the file."""
    mode = _FOR_OTHERS if source is None else _FOR_NOBODY_YET
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with closing_fd(os.open(name, flags, mode, dir_fd=folder)) as fd:
        write_all(fd, data)
        if source is not None:
            keep_attributes(source, fd)
        sync(fd)
        return os.fstat(fd)


def remove_temporary(folder: int, name: str) -> None:
    """Remove the file if it exists; never raises, because the next start sweeps the rest."""
    with suppress(OSError):
        os.unlink(name, dir_fd=folder)
