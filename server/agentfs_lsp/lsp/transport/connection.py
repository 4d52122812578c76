"""A connection over two file descriptors: reads and writes messages on the event loop
(docs/protocol.md#1-start-and-transport).

Messages are dispatched in order, directly from the read. Reading and writing never wait for a handler or
for the client. This module does not interpret messages. Its log entries describe the problem, never the
contents of a message.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import select
import selectors
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from agentfs_lsp.jsonrpc.codec import INVALID_REQUEST, PARSE_ERROR, Malformed, decode, encode, find_id
from agentfs_lsp.jsonrpc.framing import BadHeader, Framer, TooLarge
from agentfs_lsp.lsp.transport.writer import Writer

_log = logging.getLogger(__name__)

_TURN_S: Final = 0.005
"""Seconds for reading and dispatching before the loop's other work gets its turn."""

_READ: Final = 1 << 16
_READ_MORE: Final = 1 << 20  # after a full read, a large body is probably on its way
_PIPE: Final = 1 << 20
_LARGE: Final = 1 << 16

OnMalformed = Callable[[int, str, int | str | None], None]


def new_event_loop() -> asyncio.AbstractEventLoop:
    """asyncio's loop, over poll: epoll rejects regular files, and wakes up later for a pipe."""
    return asyncio.SelectorEventLoop(selectors.PollSelector())


class Transport:
    """A client on `stdin_fd` and `stdout_fd`, which still belong to the caller and keep their blocking mode.

    `on_message` gets every message; its exceptions are logged. `on_malformed` gets a JSON-RPC code, a
    sentence, and the request's id, if certain, for anything that is not a message. `on_end` is called once,
    when the input ends or nobody reads the output; no message comes after it. All are called on the loop's
    thread. Bodies over `max_body` bytes are skipped."""

    def __init__(
        self,
        stdin_fd: int,
        stdout_fd: int,
        *,
        on_message: Callable[[dict[str, object]], None],
        on_malformed: OnMalformed,
        on_end: Callable[[], None],
        max_body: int,
    ) -> None:
        self._stdin = stdin_fd
        self._on_message = on_message
        self._on_malformed = on_malformed
        self._on_end = on_end
        self._max_body = max_body
        self._framer = Framer(max_body)
        self._writer = Writer(stdout_fd, self._end_from_anywhere)
        self._readable = select.poll()
        self._readable.register(stdin_fd, select.POLLIN)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._paused = self._ended = False
        _enlarge(stdin_fd)
        _enlarge(stdout_fd)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start reading, as a reader of `loop`, a `new_event_loop()` if the input is a regular file."""
        self._loop = loop
        loop.add_reader(self._stdin, self._read)

    def send(self, message: object) -> None:
        """Write `message` after all earlier ones. Never blocks; does nothing after the end."""
        body = encode(message)
        header = b"Content-Length: %d\r\n\r\n" % len(body)
        # Small messages take one write; a large body is not copied just to prepend its header.
        self._writer.put(*([header + body] if len(body) < _LARGE else [header, body]))

    def close(self, timeout: float = 5.0) -> bool:
        """Stop reading, and wait up to `timeout` seconds for all output to be written. Returns whether it
        was."""
        self._ended = True
        self._unwatch()
        return self._writer.close(timeout)

    # --- reading ---

    def _read(self) -> None:
        """Called when at least one byte is readable, so that a blocking descriptor does not block."""
        deadline = time.monotonic() + _TURN_S
        size = _READ
        while True:
            try:
                data = os.read(self._stdin, size)
            except BlockingIOError:  # the parent made it non-blocking
                return
            except OSError:
                data = b""
            if not data:
                self._end()
                return
            if not self._hand_on(data, deadline):
                self._pause()
                return
            if self._ended or len(data) < size or time.monotonic() > deadline or not self._readable.poll(0):
                return
            size = _READ_MORE

    def _hand_on(self, data: bytes, deadline: float) -> bool:
        """Whether every message in `data` was dispatched before `deadline`."""
        for frame in self._framer.feed(data):
            if self._ended:
                return True
            try:
                if isinstance(frame, bytes):
                    self._on_message(decode(frame))
                else:
                    self._refuse_frame(frame)
            except Malformed as malformed:
                self._refuse(malformed.code, malformed.detail, malformed.request_id)
            except Exception as error:  # noqa: BLE001  the next message is served, whatever this one did
                # Without the error's own text, which may quote the message.
                where = "".join(traceback.format_tb(error.__traceback__))
                _log.error("%s while handling a message\n%s", type(error).__name__, where)
            if time.monotonic() > deadline:
                return False
        return True

    def _refuse_frame(self, frame: TooLarge | BadHeader) -> None:
        match frame:
            case TooLarge(size, head):
                detail = f"The message has {size} bytes, and {self._max_body} is the limit."
                self._refuse(INVALID_REQUEST, detail, find_id(head))
            case BadHeader(detail):
                self._refuse(PARSE_ERROR, f"Not a message header: {detail}.", None)

    def _refuse(self, code: int, detail: str, request_id: int | str | None) -> None:
        _log.warning("malformed message: %s", detail)
        self._on_malformed(code, detail, request_id)

    def _pause(self) -> None:
        """Let the loop's other work run, dispatch what was read, and only then read more."""
        if self._loop is not None and not self._ended and not self._paused:
            self._unwatch()
            self._paused = True
            self._loop.call_soon(self._resume)

    def _resume(self) -> None:
        self._paused = False
        if self._loop is None or self._ended:
            return
        if self._hand_on(b"", time.monotonic() + _TURN_S):
            self._loop.add_reader(self._stdin, self._read)
        else:
            self._pause()

    def _unwatch(self) -> None:
        if self._loop is not None:
            self._loop.remove_reader(self._stdin)

    # --- the end ---

    def _end_from_anywhere(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to notify
                self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._unwatch()
            self._on_end()


def _enlarge(fd: int) -> None:
    """Enlarge a pipe to 1 MiB, so that a large message takes few reads. Best effort."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):  # not a pipe, or over the user's quota
            if fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) < _PIPE:
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE)
