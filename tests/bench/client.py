"""One client for every server: a real process on stdio, timed from the first byte of the request to the last
byte of the response.

Encoding and decoding are excluded for all parties: they are the host's cost. Every response is decoded
afterwards, so that an error never counts as a fast response.
"""

import json
import os
import re
import select
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Literal

Framing = Literal["header", "line"]
CHUNK = 1 << 20
SILENCE_S = 60
_ID = re.compile(rb'"id":\s*(\d+)')
_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)


class ServerFailedError(Exception):
    """The process ended, was silent, or answered with an error."""


class Server:
    """A server process and its two pipes. `framing`: LSP's Content-Length header, or MCP's lines."""

    def __init__(
        self, command: Sequence[str], framing: Framing, *, env: Mapping[str, str], log: Path, cwd: Path
    ) -> None:
        self._log = log
        self._framing = framing
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=dict(env),
                cwd=cwd,
                bufsize=0,
            )
        assert self.process.stdin
        assert self.process.stdout
        self._stdin = self.process.stdin.fileno()
        self._stdout = self.process.stdout.fileno()
        os.set_blocking(self._stdin, False)
        self._writable = select.poll()
        self._writable.register(self._stdin, select.POLLOUT)
        self._readable = select.poll()
        self._readable.register(self._stdout, select.POLLIN)
        self._buffer = bytearray()
        self._last_id = 0

    def call(self, method: str, params: Any, *before: tuple[str, Any]) -> tuple[Any, float]:
        """Send a request together with the notifications `before` it. Returns its result and the milliseconds
        from the write to the whole response. Raises ServerFailedError."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        payload = b"".join(
            self._frame({"jsonrpc": "2.0", "method": name, "params": what}) for name, what in before
        )
        payload += self._frame(request)
        start = perf_counter_ns()
        self._write(payload)
        begin, end = self._answer(self._last_id)
        elapsed = (perf_counter_ns() - start) / 1e6
        answer = json.loads(self._buffer[begin:end])
        del self._buffer[:end]
        if "error" in answer:
            raise ServerFailedError(f"{method}: {answer['error'].get('message')}"[:300])
        return answer["result"], elapsed

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._write(self._frame({"jsonrpc": "2.0", "method": method, "params": params}))

    def close(self) -> None:
        """Close the input, as a disappearing host does, and wait for the process."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def _frame(self, message: Mapping[str, Any]) -> bytes:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        if self._framing == "line":
            return body + b"\n"
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def _write(self, payload: bytes) -> None:
        rest = memoryview(payload)
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                if not self._writable.poll(SILENCE_S * 1000):
                    raise self._failed("it stopped reading") from None
            except BrokenPipeError:
                raise self._failed("it ended") from None

    def _answer(self, wanted: int) -> tuple[int, int]:
        """Where response `wanted` is in the buffer; handles and drops what precedes it."""
        while True:
            begin, end = self._next_message()
            head = bytes(self._buffer[begin : min(begin + 200, end)])
            tail = bytes(self._buffer[max(begin, end - 200) : end])
            if b'"method"' in head or b'"method"' in tail:
                message = json.loads(self._buffer[begin:end])
                del self._buffer[:end]
                self._oblige(message)
                continue
            if any(int(found) == wanted for found in _ID.findall(head) + _ID.findall(tail)):
                return begin, end
            del self._buffer[:end]

    def _oblige(self, message: Mapping[str, Any]) -> None:
        """Respond to a server's request like a client without capabilities."""
        if "id" in message:
            asked = message.get("params") or {}
            nothing = [None] * len(asked["items"]) if "items" in asked else None
            self._write(self._frame({"jsonrpc": "2.0", "id": message["id"], "result": nothing}))

    def _next_message(self) -> tuple[int, int]:
        separator = b"\n" if self._framing == "line" else b"\r\n\r\n"
        searched = 0
        while (at := self._buffer.find(separator, searched)) < 0:
            searched = max(0, len(self._buffer) - len(separator) + 1)
            self._fill()
        if self._framing == "line":
            return 0, at + 1
        length = _LENGTH.search(self._buffer, 0, at)
        if length is None:
            raise self._failed("a message without a length")
        begin = at + len(separator)
        end = begin + int(length[1])
        while len(self._buffer) < end:
            self._fill()
        return begin, end

    def _fill(self) -> None:
        if not self._readable.poll(SILENCE_S * 1000):
            raise self._failed(f"no answer in {SILENCE_S} s")
        chunk = os.read(self._stdout, CHUNK)
        if not chunk:
            raise self._failed("it ended")
        self._buffer += chunk

    def _failed(self, what: str) -> ServerFailedError:
        """The error to raise; kills the process, so that nothing waits for it again."""
        self.process.kill()
        last = self._log.read_text(encoding="utf-8", errors="replace").strip().split("\n")[-1]
        return ServerFailedError(f"{what}: {last}"[:300] if last else what)
