"""The question of `agentfs-lsp undo`."""

import os
import pty
import signal
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from agentfs_lsp.commands import undo
from agentfs_lsp.domain.translation import Translate


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    keyboard, inside = pty.openpty()
    before = signal.getsignal(signal.SIGINT)
    with os.fdopen(inside) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield keyboard
    os.close(keyboard)
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("typed", "is_ignored"), [(b"y\n", True), (b"n\n", False)])
def test_ctrl_c_after_the_yes_interrupts_no_landing(keyboard: int, typed: bytes, *, is_ignored: bool) -> None:
    def asking(template: str, **_: object) -> str:
        os.write(keyboard, typed)
        return template

    translate: Translate = asking
    proposal: Any = SimpleNamespace(changes=())
    assert undo._lands(partial(undo._ask, translate), proposal) is is_ignored
    assert (signal.getsignal(signal.SIGINT) is signal.SIG_IGN) is is_ignored
