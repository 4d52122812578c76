"""Requests in progress: answered immediately or later, and cancelled until the point of no return
(docs/protocol.md#2-requests).

Every request gets exactly one response, whatever its handler does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any

from agentfs_lsp.api.exchange import Answering
from agentfs_lsp.api.incidents import record_incident
from agentfs_lsp.api.progress import Progress
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.jsonrpc.codec import INTERNAL_ERROR, REQUEST_CANCELLED, RequestId, is_id

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DelayedResponse:
    """A delayed response. `past_return` returns whether it is too late to cancel its task; if so, `stop` is
    called instead. `progress_token` is the client's workDoneToken; `doing` returns, for its task, what the
    user is told that the request does. `sent` is called after the response was sent, with its result, None
    if the request was cancelled or failed."""

    work: Coroutine[Any, Any, object] | Answering
    past_return: Callable[[asyncio.Task[object]], bool] = lambda _: False
    progress_token: object = None
    stop: Callable[[asyncio.Task[object]], None] = lambda _: None
    doing: Callable[[asyncio.Task[object] | None], str] = lambda _: ""
    sent: Callable[[object], None] = lambda _: None


class PendingRequests:
    """The requests in progress."""

    def __init__(
        self,
        send: Callable[[dict[str, Any]], None],
        notify: Callable[[str, object], None],
        translate: Callable[[], Translate],
        refusal: Callable[[BaseException], tuple[int, str] | None] = lambda _: None,
    ) -> None:
        """`refusal` returns the code and message of an exception with which a handler refuses a request; any
        other is an internal error."""
        self._refusal = refusal
        self._send = send
        self._notify = notify
        self._translate = translate
        self._pending: dict[asyncio.Task[object], tuple[RequestId, DelayedResponse, int]] = {}
        self._by_id: dict[RequestId, asyncio.Task[object]] = {}
        self._cancelled: set[asyncio.Task[object]] = set()
        self.held = 0
        """Bytes of the requests that are not answered yet."""

    @property
    def count(self) -> int:
        """How many requests are not answered yet."""
        return len(self._pending)

    def serve(
        self, request_id: RequestId, handler: Callable[[object], object], params: object, size: int = 0
    ) -> None:
        """Run a handler and send its result as the response, immediately or when it is available.
        `size` is of the request, in bytes."""
        try:
            result = handler(params)
        except Exception as error:  # noqa: BLE001 - every request is answered
            self._fail(request_id, error)
            return
        if not isinstance(result, DelayedResponse):
            self._send({"jsonrpc": "2.0", "id": request_id, "result": result})
            return
        task = asyncio.ensure_future(self._answer(request_id, result))
        self._pending[task] = (request_id, result, size)
        self.held += size
        self._by_id[request_id] = task
        task.add_done_callback(self._landed)

    def cancel(self, request_id: object) -> None:
        """`$/cancelRequest`: ignored after the point of no return and for unknown requests."""
        task = self._by_id.get(request_id) if is_id(request_id) else None
        if task is not None:
            self._cancel_if_possible(task)

    def cancel_progress(self, token: object) -> None:
        """`window/workDoneProgress/cancel`: the same by progress token."""
        for task, (_, later, _) in list(self._pending.items()):
            if is_id(token) and later.progress_token == token:
                self._cancel_if_possible(task)

    async def finish_all(self) -> None:
        """Cancel what can still be cancelled, and wait until everything except the caller's request is
        answered."""
        others = [task for task in self._pending if task is not asyncio.current_task()]
        for task in others:
            self._cancel_if_possible(task)
        if others:
            await asyncio.wait(others)

    def _cancel_if_possible(self, task: asyncio.Task[object]) -> None:
        later = self._pending[task][1]
        if later.past_return(task):
            later.stop(task)
        elif task not in self._cancelled:  # only once: what it does before it ends is not interrupted
            self._cancelled.add(task)
            task.cancel()

    async def _answer(self, request_id: RequestId, later: DelayedResponse) -> object:
        """Send the result in the step that ends the work: no message of the client is read in between, which
        could make the answer untrue."""
        if is_id(later.progress_token):
            doing = partial(later.doing, asyncio.current_task())
            with Progress(self._notify, later.progress_token, self._translate(), doing):
                result = await later.work
        else:
            result = await later.work
        self._send({"jsonrpc": "2.0", "id": request_id, "result": result})
        return result

    def _landed(self, task: asyncio.Task[object]) -> None:
        request_id, later, size = self._pending.pop(task)
        self.held -= size
        self._cancelled.discard(task)
        later.work.close()  # for a task cancelled before its first step
        if self._by_id.get(request_id) is task:
            del self._by_id[request_id]
        result = None
        if task.cancelled():
            self._refuse(request_id, REQUEST_CANCELLED, "The request was cancelled; nothing changed.")
        elif error := task.exception():
            self._fail(request_id, error)
        else:
            result = task.result()
        later.sent(result)

    def _fail(self, request_id: RequestId, error: BaseException) -> None:
        refusal = self._refusal(error)
        if refusal is None:
            refusal = INTERNAL_ERROR, f"Internal error, incident {record_incident(_log, error)}."
        self._refuse(request_id, *refusal)

    def _refuse(self, request_id: RequestId, code: int, message: str) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})
