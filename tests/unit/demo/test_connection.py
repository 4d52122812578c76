"""The connection to a server, including misbehaving ones."""

import os
import sys

import pytest

from agentfs_lsp.demo.connection import Connection, LostServerError


def connect(tmp_path, program: str) -> Connection:
    with (tmp_path / "log").open("wb") as log:
        return Connection([sys.executable, "-S", "-E", "-c", program], tmp_path, os.environ, log)


@pytest.mark.parametrize(
    ("program", "code"),
    [("raise SystemExit(3)", 3), ("print('Content-Length: many\\n', flush=True); input()", 0)],
)
def test_a_server_that_ends_or_prints_something_else_is_gone(tmp_path, program: str, code: int) -> None:
    connection = connect(tmp_path, program)
    with pytest.raises(LostServerError) as lost:
        connection.receive()
    assert lost.value.silence_s is None
    with pytest.raises(LostServerError):
        connection.receive()
    assert connection.close() == code


def test_a_silent_server_is_waited_for_no_longer_than_said(tmp_path) -> None:
    connection = connect(tmp_path, "import sys; sys.stdin.readline()")
    with pytest.raises(LostServerError) as lost:
        connection.receive(timeout_s=0)
    assert lost.value.silence_s == 0
    connection.close()


def test_closing_leaves_no_process(tmp_path) -> None:
    connection = connect(tmp_path, "import os, sys; os.close(1); sys.stdin.read()")
    assert connection.close() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(connection.pid, 0)


def test_a_message_larger_than_a_pipe_holds_does_not_block(tmp_path) -> None:
    connection = connect(tmp_path, "import sys; sys.stdin.buffer.readline(); sys.exit(0)")
    connection.notify("big", "x" * 1_000_000)
    with pytest.raises(LostServerError):
        connection.receive()
    assert connection.close() == 0
