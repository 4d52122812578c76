"""Writes frames to a file descriptor in order, without ever blocking the sender.

A client may send without reading what the server writes. If the server waited, both sides would wait
forever. So a frame is written immediately as far as the descriptor accepts it, and a thread writes the
rest. The descriptor stays in blocking mode, because the parent process and others share its file
description and may not expect O_NONBLOCK. This module does not encode messages.
"""

from __future__ import annotations

import os
import select
import socket
import stat
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

_AT_ONCE: Final = 1 << 16
"""Bytes; a thread writes longer frames from the start, since writing them would hold up the loop."""


class Writer:
    """The pending output of `fd`. `on_broken` is called once, from any thread, when nobody can read it any
    more; later frames are dropped. Thread-safe."""

    def __init__(self, fd: int, on_broken: Callable[[], None]) -> None:
        self._fd = fd
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._queue: deque[bytes] = deque()  # the first one is being written
        self._thread: threading.Thread | None = None
        self._broken = self._closed = False
        self._writable = select.poll()
        self._writable.register(fd, select.POLLOUT)
        self._socket = socket.socket(fileno=os.dup(fd)) if stat.S_ISSOCK(os.fstat(fd).st_mode) else None

    def put(self, *frames: bytes) -> None:
        """Write `frames` after all earlier ones, with nothing in between. Never blocks or raises."""
        with self._lock:
            if self._broken or self._closed:
                return
            try:
                for frame in frames:
                    rest = frame if self._queue else self._write_at_once(frame)
                    if rest:
                        self._hand_over(rest)
            except OSError:
                self._broken = True
        if self._broken:
            self._on_broken()

    def close(self, timeout: float) -> bool:
        """Accept no more frames, and wait up to `timeout` seconds. Returns whether all were written."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._queue, timeout)
            if self._socket is not None:
                self._socket.close()
            return not self._queue and not self._broken

    def _write_at_once(self, frame: bytes) -> bytes:
        """Write as much as does not block; returns the rest."""
        if len(frame) > _AT_ONCE:
            return frame
        if self._socket is not None:
            try:
                return frame[self._socket.send(frame, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                return frame
        # A pipe that poll reports as writable takes PIPE_BUF bytes without blocking.
        at = 0
        while at < len(frame) and self._writable.poll(0):
            try:
                at += os.write(self._fd, frame[at : at + select.PIPE_BUF])
            except BlockingIOError:  # the parent made it non-blocking
                break
        return frame[at:]

    def _hand_over(self, rest: bytes) -> None:
        self._queue.append(rest)
        if self._thread is None:
            # A daemon: a client that never reads must not keep the process alive.
            self._thread = threading.Thread(target=self._drain, name="agentfs-writer", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _drain(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closed)
                if not self._queue:
                    return
                frame = self._queue[0]
            try:
                self._write_all(frame)
            except OSError:
                self._give_up()
                return
            with self._changed:
                self._queue.popleft()
                self._changed.notify_all()

    def _write_all(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                self._wait_until_writable()

    def _wait_until_writable(self) -> None:
        writable = select.poll()  # its own: a poll object serves one thread at a time
        writable.register(self._fd, select.POLLOUT)
        writable.poll()

    def _give_up(self) -> None:
        with self._changed:
            self._broken = True
            self._queue.clear()
            self._changed.notify_all()
        self._on_broken()
