"""Hands records of operations to a thread, so that no answer waits for whatever it does with them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from agentfs_lsp.service.operations import OperationRecord

QUIET_S: Final = 0.1
"""Operations in this time are handled together."""

CLOSING_S: Final = 2.0
"""How long the end of the server waits for the rest."""

_MOST_WAITING: Final = 10_000
"""Records that wait for a slow disk or collector; older ones are dropped."""


class RecordThread:
    """Calls `handle`, which must not raise, and `finish` at the end, both on the thread."""

    def __init__(
        self,
        name: str,
        handle: Callable[[Sequence[OperationRecord]], None],
        finish: Callable[[], None] = lambda: None,
    ) -> None:
        self._name = name
        self._handle = handle
        self._finish = finish
        self._waiting: deque[OperationRecord] = deque(maxlen=_MOST_WAITING)
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, record: OperationRecord) -> None:
        """Never blocks."""
        self._waiting.append(record)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
        self._wake.set()

    def close(self) -> None:
        """Have the rest handled, within CLOSING_S seconds."""
        self._closing.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(CLOSING_S)

    def _run(self) -> None:
        while not self._closing.is_set() or self._waiting:
            self._wake.wait()
            self._closing.wait(QUIET_S)
            self._wake.clear()
            records = []
            while self._waiting:
                records.append(self._waiting.popleft())
            if records:
                self._handle(records)
        self._finish()
