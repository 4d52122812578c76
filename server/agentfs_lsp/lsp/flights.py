"""Requests being served: answered at once or later, cancelled until it is too late
(docs/protocol.md#2-requests)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_log = logging.getLogger(__name__)

REQUEST_CANCELLED = -32800
INTERNAL_ERROR = -32603

RequestId = int | str


@dataclass(frozen=True, slots=True)
class Later:
    """An answer that takes its time. `past_return` tells whether cancelling is too late; `progress_token` is
    the client's workDoneToken."""

    work: Awaitable[object]
    past_return: Callable[[], bool] = lambda: False
    progress_token: object = None


class Flights:
    """The requests that wait for their answer."""

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._send = send
        self._flying: dict[asyncio.Task[object], tuple[RequestId, Later]] = {}
        self._by_id: dict[RequestId, asyncio.Task[object]] = {}

    def serve(self, request_id: RequestId, handler: Callable[[object], object], params: object) -> None:
        """Run a handler and answer with what it gives, now or when it is there."""
        result = handler(params)
        if not isinstance(result, Later):
            self._answer(request_id, result)
            return
        task = asyncio.ensure_future(self._watched(result))
        self._flying[task] = (request_id, result)
        self._by_id[request_id] = task
        task.add_done_callback(self._landed)

    def cancel(self, request_id: object) -> None:
        """`$/cancelRequest`: ignored when it is too late, or for a request nobody knows."""
        task = self._by_id.get(request_id) if isinstance(request_id, int | str) else None
        if task is not None and not self._flying[task][1].past_return():
            task.cancel()

    async def land_all(self) -> None:
        """Cancel what can still be cancelled, and wait for the rest; everything but who asks is answered
        then."""
        others = {task: later for task, (_, later) in self._flying.items() if task is not asyncio.current_task()}
        for task, later in others.items():
            if not later.past_return():
                task.cancel()
        if others:
            await asyncio.wait(others)

    async def _watched(self, later: Later) -> object:
        if not isinstance(later.progress_token, int | str):
            return await later.work
        reporting = asyncio.ensure_future(report_progress(self._send, later.progress_token))
        try:
            return await later.work
        finally:
            reporting.cancel()

    def _landed(self, task: asyncio.Task[object]) -> None:
        request_id, _ = self._flying.pop(task)
        if self._by_id.get(request_id) is task:
            del self._by_id[request_id]
        if task.cancelled():
            self._refuse(request_id, REQUEST_CANCELLED, "The request was cancelled; nothing changed.")
            return
        error = task.exception()
        if error is not None:
            _log.error("a request ended without an answer: %s", type(error).__name__)
            self._refuse(request_id, INTERNAL_ERROR, "Internal error.")
            return
        self._answer(request_id, task.result())

    def _answer(self, request_id: RequestId, result: object) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "result": result})

    def _refuse(self, request_id: RequestId, code: int, message: str) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})


PROGRESS_AFTER_S = 1.0
PROGRESS_EVERY_S = 5.0


async def report_progress(send: Callable[[dict[str, Any]], None], token: int | str) -> None:
    """Tell every few seconds that the request still waits, until cancelled; short waits are not told."""

    def tell(value: dict[str, object]) -> None:
        send({"jsonrpc": "2.0", "method": "$/progress", "params": {"token": token, "value": value}})

    await asyncio.sleep(PROGRESS_AFTER_S)
    tell({"kind": "begin", "title": "agentfs", "message": "waiting for the review", "cancellable": True})
    waited = PROGRESS_AFTER_S
    try:
        while True:
            await asyncio.sleep(PROGRESS_EVERY_S)
            waited += PROGRESS_EVERY_S
            tell({"kind": "report", "message": f"waiting for the review, {waited:.0f} s"})
    finally:
        tell({"kind": "end"})
