"""The log on standard error never blocks the server."""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from agentfs_lsp.adapters.stderr_log import StderrLog


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def record(text: str) -> logging.LogRecord:
    return logging.LogRecord("name", logging.WARNING, __file__, 1, text, None, None)


def test_a_record_is_a_line(pipe: tuple[int, int]) -> None:
    log = StderrLog(pipe[1])
    log.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.emit(record("one"))
    log.emit(record("odd \udc80"))
    assert os.read(pipe[0], 1 << 16) == b"WARNING one\nWARNING odd \\udc80\n"


def test_what_nobody_reads_is_left_out_and_told_of_later(pipe: tuple[int, int]) -> None:
    log = StderrLog(pipe[1])
    written = 0
    while not log._left_out:
        log.emit(record(f"{written} " + "x" * 1000))
        written += 1
    log.emit(record("left out too"))
    first = os.read(pipe[0], 1 << 20).decode()
    assert first.startswith("0 xxx")
    log.emit(record("there is room again"))
    assert os.read(pipe[0], 1 << 20).decode().strip() == (
        "(2 messages left out: nobody read them)\nthere is room again"
    )


def test_a_closed_end_is_no_error(pipe: tuple[int, int]) -> None:
    log = StderrLog(pipe[1])
    os.close(pipe[0])
    log.emit(record("to nobody"))
    os.close(pipe[1])
    log.emit(record("from nowhere"))
