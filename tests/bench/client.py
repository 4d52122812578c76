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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Literal

from agentfs_lsp.client.endpoint import Endpoint, ProtocolError

Framing = Literal["header", "line"]
CHUNK = 1 << 20
SILENCE_S = 60
_ID = re.compile(rb'"id":\s*(\d+)')


class ServerFailedError(Exception):
    """The process ended, was silent, or answered with an error."""


class LineEndpoint(Endpoint):
    """MCP's framing: each message is a line."""

    def __init__(self, transmit: Callable[[bytes], object]) -> None:
        super().__init__(transmit)
        self._rest = bytearray()

    def framed(self, body: bytes) -> bytes:
        return body + b"\n"

    def bodies(self, data: bytes) -> Iterator[bytes]:
        self._rest += data
        if b"\n" in data:
            *lines, last = bytes(self._rest).split(b"\n")
            self._rest = bytearray(last)
            yield from lines


class Server:
    """A server process and its two pipes. `framing`: LSP's Content-Length header, or MCP's lines."""

    def __init__(
        self, command: Sequence[str], framing: Framing, *, env: Mapping[str, str], log: Path, cwd: Path
    ) -> None:
        self._log = log
        self._payload = bytearray()
        self._endpoint = (Endpoint if framing == "header" else LineEndpoint)(self._payload.extend)
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
        self._bodies: Iterator[bytes] = iter(())

    def call(self, method: str, params: Any, *before: tuple[str, Any]) -> tuple[Any, float]:
        """Send a request together with the notifications `before` it. Returns its result and the milliseconds
        from the write to the whole response. Raises ServerFailedError."""
        for name, what in before:
            self._endpoint.notify(name, what)
        ident = self._endpoint.request(method, params)
        start = perf_counter_ns()
        self._write()
        body = self._answer(ident)
        elapsed = (perf_counter_ns() - start) / 1e6
        answer = json.loads(body)
        if "error" in answer:
            raise ServerFailedError(f"{method}: {answer['error'].get('message')}"[:300])
        return answer["result"], elapsed

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._endpoint.notify(method, params)
        self._write()

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

    def _write(self) -> None:
        rest = memoryview(bytes(self._payload))
        self._payload.clear()
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                if not self._writable.poll(SILENCE_S * 1000):
                    raise self._failed("it stopped reading") from None
            except BrokenPipeError:
                raise self._failed("it ended") from None

    def oblige_next(self) -> None:
        """Wait for a message, and handle it if it is the server's own; drop it if it is a response."""
        message = json.loads(self._next_body())
        if "method" in message:
            self._oblige(message)

    def _answer(self, wanted: int) -> bytes:
        """Response `wanted`; handles and drops what precedes it."""
        while True:
            body = self._next_body()
            head, tail = body[:200], body[-200:]
            if b'"method"' in head or b'"method"' in tail:
                self._oblige(json.loads(body))
            elif any(int(found) == wanted for found in _ID.findall(head) + _ID.findall(tail)):
                return body

    def _oblige(self, message: Mapping[str, Any]) -> None:
        """Respond to a server's request like a client without capabilities."""
        if "id" in message:
            asked = message.get("params") or {}
            self._endpoint.answer(message["id"], [None] * len(asked["items"]) if "items" in asked else None)
            self._write()

    def _next_body(self) -> bytes:
        while True:
            try:
                for body in self._bodies:
                    return body
            except ProtocolError as error:
                raise self._failed(str(error)) from None
            if not self._readable.poll(SILENCE_S * 1000):
                raise self._failed(f"no answer in {SILENCE_S} s")
            chunk = os.read(self._stdout, CHUNK)
            if not chunk:
                raise self._failed("it ended")
            self._bodies = self._endpoint.bodies(chunk)

    def _failed(self, what: str) -> ServerFailedError:
        """The error to raise; kills the process, so that nothing waits for it again."""
        self.process.kill()
        last = self._log.read_text(encoding="utf-8", errors="replace").strip().split("\n")[-1]
        return ServerFailedError(f"{what}: {last}"[:300] if last else what)
