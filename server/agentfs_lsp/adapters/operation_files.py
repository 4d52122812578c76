"""Reads the operation log (`operation_log.py`), the older files first.

Servers may write and rename the files meanwhile. All are opened before any is read, the newest first, so that
a file that is renamed is found under its old name, or its new one, or both.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from io import BufferedReader
from typing import Final

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.operation_log import FOLDER, NAME, OLD_FILES

_LONGEST_LINE: Final = 1 << 20
"""Bytes; more than a record has. Of a longer line, each piece counts as one."""


def log_path(state: StateFolder) -> str:
    """Where the log is, unless the server's arguments say otherwise."""
    return os.path.join(state.path, FOLDER, NAME)


def read_log(path: str) -> Iterator[bytes]:
    """The lines of the log and of its older files; none if it does not exist. Raises OSError, also for
    what is a link or no regular file."""
    with ExitStack() as stack:
        files: list[BufferedReader] = []
        for name in (path, *(f"{path}.{number}" for number in range(1, OLD_FILES + 1))):
            try:
                file = stack.enter_context(open(name, "rb", opener=_open_regular))
            except FileNotFoundError:
                continue
            if not any(os.path.sameopenfile(file.fileno(), other.fileno()) for other in files):
                files.append(file)
        for file in reversed(files):
            while line := file.readline(_LONGEST_LINE):
                yield line


def _open_regular(path: str, flags: int) -> int:
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it is no regular file", path)
    return fd
