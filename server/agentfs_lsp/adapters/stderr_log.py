"""The log on standard error, as long as somebody reads it.

If an editor does not read standard error, the server would block when the pipe is full. Therefore messages
that do not fit are dropped, and their number is logged when there is room again.
"""

from __future__ import annotations

import logging
import os
import select

STDERR = 2


class StderrLog(logging.Handler):
    """Writes records to `fd` without ever blocking."""

    def __init__(self, fd: int = STDERR) -> None:
        super().__init__()
        self._fd = fd
        self._writable = select.poll()
        self._writable.register(fd, select.POLLOUT)
        self._left_out = 0
        self._is_cut = False

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record) + "\n"
        if self._left_out:
            text = f"({self._left_out} messages left out: nobody read them)\n{text}"
        data = ("\n" * self._is_cut + text).encode("utf-8", "backslashreplace")
        at = 0
        try:
            # If poll reports a pipe as writable, PIPE_BUF bytes fit without blocking.
            while at < len(data) and self._writable.poll(0):
                at += os.write(self._fd, data[at : at + select.PIPE_BUF])
        except OSError:  # closed, or made non-blocking by the parent
            pass
        self._is_cut = 0 < at < len(data)
        self._left_out = 0 if at else self._left_out + 1
