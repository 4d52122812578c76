"""Outgoing notifications, and outgoing requests and their responses.

Texts that the client shows to the user are sent without links, whoever wrote them
(docs/protocol.md#94-what-the-answer-says).

An unexpected or invalid response is dropped, and a late one if nobody asked for it; none causes an error
message for the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from secrets import token_hex

from agentfs_lsp.domain.text.escaping import escape_links
from agentfs_lsp.domain.text.width import shortened

ERROR, WARNING, INFO = 1, 2, 3
"""LSP's message types."""

LINE_COLUMNS = 50
"""What Neovim shows beside `LSP[agentfs] ` in one line, with room for what else it shows there."""

LINE_S = 1.0
"""Seconds between two messages of one line: Neovim puts the second below a first that it has just shown."""

OnLate = Callable[[Mapping[str, object]], None]
"""Gets the message with the response to a request that was cancelled."""


@dataclass(eq=False)
class ClientError(Exception):
    """The client responded with a JSON-RPC error; `code` is None if the error has none. `is_lost`: the
    connection ended before the response, so that the client may have done what was requested."""

    code: int | None
    message: str
    is_lost: bool = False


class Outgoing:
    """The server's own pending requests. `is_closed`: the connection has ended. `shows_one_line`: the editor
    waits for a key after a message of several lines, or after any that is not an error, as Neovim does.
    `messages_wait`: a message may cover a question, as in Emacs, or end it, as in Neovim, so that
    `messages` are held back."""

    def __init__(self, send: Callable[[dict[str, object]], None]) -> None:
        self._send = send
        self._name = token_hex(4)  # so that an answer to another server's request answers none of ours
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[object]] = {}
        self._late: dict[str, OnLate] = {}
        self._withdrawn = ""
        self.withdrawn_answered = asyncio.Event()
        """Set unless the client has yet to respond to the last question that was cancelled."""
        self.withdrawn_answered.set()
        self.is_closed = False
        self.shows_one_line = False
        self.messages_wait = False
        self.messages: list[tuple[int, str]] = []
        self._pauses = False
        self._questions = 0

    def tell(self, kind: int, text: str) -> None:
        """Show the user a message that needs no answer. Call it on the event loop."""
        if self.shows_one_line:
            # As a warning, because Neovim does not log less unless it is told to.
            self.notify("window/logMessage", {"type": WARNING, "message": text})
            kind, text = ERROR, shortened(text, LINE_COLUMNS)
        self.messages.append((kind, text))
        self._show()

    @contextmanager
    def question(self) -> Iterator[None]:
        """Hold back messages meanwhile, if `messages_wait`."""
        self._questions += self.messages_wait
        try:
            yield
        finally:
            self._questions -= self.messages_wait
            self._show()

    def _show(self) -> None:
        while self.messages and not self._questions and not self._pauses:
            kind, text = self.messages.pop(0)
            self.notify("window/showMessage", {"type": kind, "message": text})
            if self.shows_one_line:
                self._pauses = True
                asyncio.get_running_loop().call_later(LINE_S, self._go_on)

    def _go_on(self) -> None:
        self._pauses = False
        self._show()

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": _without_links(params)})

    async def request(self, method: str, params: object, late: OnLate | None = None) -> object:
        """Send a request and wait for its result. Cancelling notifies the client, whose response then
        goes to `late`. Raises ClientError."""
        if self.is_closed:
            raise _closed()
        # Neovim tells the plugin no ids but those of withdrawn requests.
        kind = "question-" if method == "window/showMessageRequest" else ""
        request_id = f"agentfs-{self._name}-{kind}{next(self._numbers)}"
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = answer
        shown = _without_links(params)
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": shown})
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": request_id})
            if method == "window/showMessageRequest" and answer.cancelled():  # else the response has arrived
                self._withdrawn = request_id
                self.withdrawn_answered.clear()
            if late is not None and answer.cancelled():
                self._late[request_id] = late
            raise
        finally:
            self._waiting.pop(request_id, None)

    def waits_for(self, request_id: object) -> bool:
        return isinstance(request_id, str) and request_id in self._waiting

    def answered(self, message: dict[str, object]) -> None:
        """Process a response. Never raises, whatever it contains."""
        request_id = message.get("id")
        if request_id == self._withdrawn:
            self.withdrawn_answered.set()
        if not isinstance(request_id, str):
            return
        if request_id in self._late:
            self._late.pop(request_id)(message)
        answer = self._waiting.get(request_id)
        if answer is None or answer.done():
            return
        error = message.get("error")
        if error is None:  # some clients omit a null result
            answer.set_result(message.get("result"))
            return
        details = error if isinstance(error, dict) else {}
        code, text = details.get("code"), details.get("message")
        answer.set_exception(
            ClientError(code if isinstance(code, int) else None, text if isinstance(text, str) else "")
        )

    def abandon(self) -> None:
        """The connection has ended: pending and future requests fail."""
        self.is_closed = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_closed(is_lost=True))


def _closed(*, is_lost: bool = False) -> ClientError:
    return ClientError(None, "the connection is closed", is_lost)


_DATA = {"uri", "token", "documentChanges", "path", "session", "agent", "explanation"}
"""The members whose texts clients compare, apply, or escape themselves. Every other text of a message may be
shown to the user."""


def _without_links(value: object) -> object:
    """A copy of `value` without links in its texts, except in `_DATA`."""
    match value:
        case str():
            return escape_links(value)
        case dict():
            return {key: one if key in _DATA else _without_links(one) for key, one in value.items()}
        case list():
            return [_without_links(one) for one in value]
        case _:
            return value
