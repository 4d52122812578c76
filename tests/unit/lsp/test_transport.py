"""Messages over real pipes and sockets, whatever the client does with its ends."""

import asyncio
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.jsonrpc.codec import decode, encode
from agentfs_lsp.jsonrpc.framing import Framer
from agentfs_lsp.lsp.transport.connection import Transport, new_event_loop

PATIENCE = 120.0  # seconds until a hanging test fails
LIMIT = 1 << 25


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Client:
    """The other side of an echoing transport, which runs on a loop in its own thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop, kind: str) -> None:
        self.loop = loop
        self.heard: list[Any] = []
        self.malformed: list[tuple[int, str, int | str | None]] = []
        self.ends = 0
        self.ended = threading.Event()
        self.handle: Callable[[Any], None] = self.echo
        self._sockets: tuple[socket.socket, ...] = ()
        if kind == "pipe":
            self.stdin, self.to_server = os.pipe()
            self.from_server, self.stdout = os.pipe()
        else:
            pairs = socket.socketpair(), socket.socketpair()
            self.stdin, self.to_server = (one.detach() for one in pairs[0])
            self.from_server, self.stdout = (one.detach() for one in pairs[1])
        self.transport: Transport
        self._framer = Framer(1 << 30)
        self._answers: list[Any] = []
        self._open = {self.stdin, self.to_server, self.from_server, self.stdout}

    def start(self, stdin: int | None = None) -> None:
        self.transport = Transport(
            self.stdin if stdin is None else stdin,
            self.stdout,
            on_message=self.hear,
            on_malformed=lambda *what: self.malformed.append(what),
            on_end=self.end,
            max_body=LIMIT,
        )
        self.loop.call_soon(self.transport.start, self.loop)
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def hear(self, message: Any) -> None:
        self.handle(message)

    def echo(self, message: Any) -> None:
        self.heard.append(message.get("id"))
        self.transport.send(message)

    def end(self) -> None:
        self.ends += 1
        self.ended.set()

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self.to_server, rest) :]

    def send(self, message: Any) -> None:
        self.write(framed(encode(message)))

    def answer(self) -> Any:
        while not self._answers:
            data = os.read(self.from_server, 1 << 20)
            assert data, "the server's end was closed"
            for frame in self._framer.feed(data):
                assert isinstance(frame, bytes)
                self._answers.append(decode(frame))
        return self._answers.pop(0)

    def on_loop(self, call: Callable[[], Any]) -> Any:
        async def run() -> Any:
            return call()

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(PATIENCE)

    def close(self, *fds: int) -> None:
        for fd in fds:
            self._open.discard(fd)
            os.close(fd)

    def stop(self) -> None:
        if self._thread.is_alive():
            self.on_loop(lambda: self.transport.close(0))
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join(PATIENCE)
        self.close(*self._open.copy())


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(params=["pipe", "socket"])
def idle(request: pytest.FixtureRequest, loop: asyncio.AbstractEventLoop) -> Iterator[Client]:
    client = Client(loop, request.param)
    yield client
    client.stop()


@pytest.fixture
def client(idle: Client) -> Client:
    idle.start()
    return idle


def patiently(call: Callable[[], None]) -> None:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "both sides wait for each other"


def test_small_and_large_messages_keep_their_order(client: Client) -> None:
    sent = [{"id": number, "text": "x" * (number % 5) ** 9} for number in range(40)]
    patiently(lambda: [None for message in sent if client.send(message) or client.answer() != message])
    assert client.heard == list(range(40))


def test_a_client_that_writes_without_reading_is_heard_and_then_answered_in_order(client: Client) -> None:
    text = "x" * 3_000_000

    def all_first_written_then_read() -> None:
        for number in range(6):
            client.send({"id": number, "text": text})
            client.send({"id": -number})
        for number in range(6):
            assert client.answer() == {"id": number, "text": text}
            assert client.answer() == {"id": -number}
        done.append(True)

    done: list[bool] = []
    patiently(all_first_written_then_read)
    assert done


def test_descriptors_stay_blocking_as_they_are_shared_with_others(client: Client) -> None:
    client.send({"id": 1, "text": "x" * 1_000_000})
    client.answer()
    assert os.get_blocking(client.stdin)
    assert os.get_blocking(client.stdout)


def test_descriptors_that_somebody_made_non_blocking_serve_as_well(idle: Client) -> None:
    os.set_blocking(idle.stdin, False)
    os.set_blocking(idle.stdout, False)
    idle.start()
    test_a_client_that_writes_without_reading_is_heard_and_then_answered_in_order(idle)


def test_what_is_no_message_is_told_with_its_id_and_the_next_is_served(client: Client) -> None:
    client.write(framed(b'{"id": 1, "a": "\xff"}') + framed(b"[]") + b"Content-Length: no\r\n\r\n")
    client.write(b'Content-Length: %d\r\n\r\n{"id": "big", "text": "' % (LIMIT + 1) + b" " * (LIMIT - 22))
    client.write(framed(b"[" * 1_000_000))
    client.send({"id": 2})
    assert client.answer() == {"id": 2}
    assert [(code, request_id) for code, _, request_id in client.malformed] == [
        (-32700, 1),
        (-32600, None),
        (-32700, None),
        (-32600, "big"),
        (-32700, None),
    ]


def test_a_handlers_failure_is_logged_alone(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    def fail(message: Any) -> None:
        if message["id"] == 1:
            raise KeyError(message["text"])
        client.echo(message)

    client.handle = fail
    client.write(framed(encode({"id": 1, "text": "secret"})) + framed(encode({"id": 2})))
    assert client.answer() == {"id": 2}
    assert "KeyError while handling a message" in caplog.text
    assert "secret" not in caplog.text


def test_the_log_holds_no_malformed_contents(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client.write(framed(b'{"secret": }') + b"secret\r\n\r\n" + framed(b'{"id": 1}'))
    assert client.answer() == {"id": 1}
    assert len(client.malformed) == 2
    assert "malformed message" in caplog.text
    assert "secret" not in caplog.text + repr(client.malformed)


def test_the_loops_other_work_gets_its_turn_during_a_flood(client: Client) -> None:
    heard_at_turn: list[int] = []

    def work(message: Any) -> None:
        if message["id"] == 0:
            client.loop.call_soon(lambda: heard_at_turn.append(len(client.heard)))
        until = time.monotonic() + 0.001
        while time.monotonic() < until:
            pass
        client.echo(message)

    client.handle = work
    client.write(b"".join(framed(encode({"id": number})) for number in range(100)))
    assert [client.answer()["id"] for _ in range(100)] == list(range(100))
    assert heard_at_turn[0] < 100


def test_the_end_of_the_input_is_told_once_and_answers_can_still_be_written(client: Client) -> None:
    client.send({"id": 1})
    assert client.answer() == {"id": 1}
    client.close(client.to_server)
    assert client.ended.wait(PATIENCE)
    client.on_loop(lambda: client.transport.send({"id": 2}))
    assert client.answer() == {"id": 2}
    client.close(client.from_server)
    client.on_loop(lambda: client.transport.send({"id": 3}))
    client.on_loop(lambda: client.transport.send({"id": 4, "text": "x" * 1_000_000}))
    assert client.on_loop(lambda: client.transport.close(PATIENCE)) is False
    assert client.ends == 1


@pytest.mark.parametrize("size", [1, 5_000_000])
def test_a_client_that_stops_reading_ends_the_connection_once(client: Client, size: int) -> None:
    client.close(client.from_server)
    client.on_loop(lambda: client.transport.send({"id": 1, "text": "x" * size}))
    assert client.ended.wait(PATIENCE)
    client.on_loop(lambda: client.transport.send({"id": 2}))
    client.close(client.to_server)
    client.on_loop(lambda: None)
    assert client.ends == 1


def test_no_message_comes_after_it_was_closed(client: Client) -> None:
    def close(message: Any) -> None:
        client.echo(message)
        client.transport.close()

    client.handle = close
    client.write(framed(encode({"id": 1})) + framed(encode({"id": 2})))
    assert client.answer() == {"id": 1}
    client.send({"id": 3})
    client.on_loop(lambda: None)
    assert client.heard == [1]
    assert client.ends == 0


def test_closing_waits_until_all_is_written_and_no_longer_than_told(client: Client) -> None:
    client.on_loop(lambda: client.transport.send({"text": "x" * 5_000_000}))
    assert client.on_loop(lambda: client.transport.close(0.01)) is False
    lengths: list[int] = []
    patiently(lambda: lengths.append(len(client.answer()["text"])))
    assert lengths == [5_000_000]
    assert client.on_loop(lambda: client.transport.close(PATIENCE)) is True


def test_a_file_can_be_the_input(idle: Client, tmp_path: Path) -> None:
    messages = [{"id": number, "text": "x" * number * 100} for number in range(300)]
    (tmp_path / "input").write_bytes(b"".join(framed(encode(message)) for message in messages))
    with (tmp_path / "input").open("rb") as file:
        idle.start(file.fileno())
        assert [idle.answer() for _ in messages] == messages
        assert idle.ended.wait(PATIENCE)
        assert idle.ends == 1
        idle.on_loop(lambda: idle.transport.close(0))
