"""Work-done progress of a request that waits for the user (docs/protocol.md#2-requests)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Self

from agentfs_lsp.domain.translation import Translate

PROGRESS_AFTER_S = 1.0
"""Shorter waits are not reported."""

PROGRESS_EVERY_S = 5.0


class Progress:
    """A context manager that reports every few seconds that the request is still waiting. The last report is
    sent before the response, because afterwards the client no longer knows the token. `doing` returns what
    the request does, empty if that is not known."""

    def __init__(
        self,
        notify: Callable[[str, object], None],
        token: int | str,
        translate: Translate,
        doing: Callable[[], str],
    ) -> None:
        self._notify = notify
        self._translate = translate
        self._doing = doing
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._begun = self._loop.time()
        self._next: asyncio.TimerHandle | None = None
        self._told = False

    def __enter__(self) -> Self:
        self._next = self._loop.call_later(PROGRESS_AFTER_S, self._begin)
        return self

    def __exit__(self, *_: object) -> None:
        if self._next is not None:
            self._next.cancel()
        if self._told:
            self._tell({"kind": "end"})

    def _begin(self) -> None:
        self._told = True
        message = self._translate("waiting for the review")
        title = self._doing() or "agentfs"
        self._tell({"kind": "begin", "title": title, "message": message, "cancellable": True})
        self._next = self._loop.call_later(PROGRESS_EVERY_S, self._report)

    def _report(self) -> None:
        seconds = round(self._loop.time() - self._begun)
        message = self._translate("waiting for the review, {seconds} s", seconds=seconds)
        self._tell({"kind": "report", "message": message})
        self._next = self._loop.call_later(PROGRESS_EVERY_S, self._report)

    def _tell(self, value: dict[str, object]) -> None:
        self._notify("$/progress", {"token": self._token, "value": value})
