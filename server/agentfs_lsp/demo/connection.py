"""A connection to a server process over pipes.

Two threads move whole messages between the pipes and queues, so that an interrupt never leaves half a
message on the wire. `editor` interprets the messages.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from agentfs_lsp.client.endpoint import Endpoint, ProtocolError

Message = dict[str, Any]

SILENCE_S = 90.0  # the server's own limits for landing and saving are 40 s together
GOODBYE_S = 10.0
_READ = 1 << 16


class LostServerError(Exception):
    """The server ended or, if `silence_s` is a number, was silent for that many seconds."""

    def __init__(self, silence_s: float | None = None) -> None:
        super().__init__(silence_s)
        self.silence_s = silence_s


class Connection(Endpoint):
    """A running server and the connection to it. Use it from one thread, except for `wake`; always call
    `close`."""

    def __init__(self, argv: Sequence[str], cwd: Path, env: Mapping[str, str], log: IO[bytes]) -> None:
        # A session of its own: Ctrl-C in the terminal is for the client, which then ends the server.
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._incoming: SimpleQueue[Message | None] = SimpleQueue()
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        super().__init__(self._outgoing.put)
        self._threads = (
            threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=_write, args=(self._process.stdin, self._outgoing), daemon=True),
        )
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def receive(self, timeout_s: float = SILENCE_S) -> Message:
        """The next message, in order. Raises LostServerError."""
        try:
            message = self._incoming.get(timeout=timeout_s)
        except Empty:
            raise LostServerError(timeout_s) from None
        if message is None:
            self._incoming.put(None)
            raise LostServerError
        return message

    def wake(self) -> None:
        """Let `receive` return a notification that means nothing. Any thread may call it."""
        self._incoming.put({"method": "$/woken"})

    def close(self) -> int:
        """Shut the server down, by the protocol or else by force; returns its exit code."""
        try:
            self._say_goodbye()
            self._process.wait(GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._process.terminate()
        except KeyboardInterrupt:  # the second Ctrl-C: the person does not want to wait
            self._process.kill()
        try:
            code = self._process.wait(GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._outgoing.put(None)
        for thread in self._threads:
            thread.join(GOODBYE_S)
        return code

    def _say_goodbye(self) -> None:
        ident = self.request("shutdown", None)
        with suppress(LostServerError):  # the end of its input tells it the same
            while self.receive(GOODBYE_S).get("id") != ident:
                pass  # nobody reads the rest
            self.notify("exit", None)
        self._outgoing.put(None)

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe, suppress(OSError, ProtocolError):  # not the protocol any more: treat it as gone
            while data := os.read(pipe.fileno(), _READ):
                for message in self.messages(data):
                    self._incoming.put(message)
        self._incoming.put(None)


def _write(pipe: IO[bytes], messages: SimpleQueue[bytes | None]) -> None:
    with suppress(OSError), pipe:  # if the server is gone, the reader reports it
        while (message := messages.get()) is not None:
            pipe.write(message)
            pipe.flush()
