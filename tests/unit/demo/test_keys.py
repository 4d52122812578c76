"""Only a single key is an answer."""

import os
import pty
import threading
from collections.abc import Iterator

import pytest

from agentfs_lsp.demo.keys import END, single_keys


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    keyboard, inside = pty.openpty()
    with os.fdopen(inside) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keyboard
    os.close(keyboard)


@pytest.mark.parametrize("typed", ["x", "\x1b[A", "\x1bOA", "a pasted answer", "aa", "a\n", "\x1ba", "é"])
def test_neither_another_key_nor_an_arrow_nor_a_paste_is_an_answer(keyboard: int, typed: str) -> None:
    with single_keys() as next_key:
        os.write(keyboard, typed.encode())
        later = threading.Timer(0.3, os.write, (keyboard, b"R"))
        later.start()
        assert next_key("ar\xc3\xa9") == "r"
        later.join()


@pytest.mark.parametrize(("typed", "key"), [("a", "a"), ("A", "a"), (END, None)])
def test_a_single_key_is_one(keyboard: int, typed: str, key: str | None) -> None:
    with single_keys() as next_key:
        os.write(keyboard, typed.encode())
        assert next_key("ar") == key
