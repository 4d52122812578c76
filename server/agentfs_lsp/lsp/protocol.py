"""pygls' protocol with workarounds for its defects (docs/adr/0003-pygls.md).

Features are registered with `@server.feature` and `@server.command`, and looked up in pygls' feature
manager. This class overrides pygls 2.1 where it does not answer clients, modifies what they sent, or shows
them errors. Each override names its defect, and `tests/unit/lsp/test_pygls_defects.py` shows that
unmodified pygls fails.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Generator
from functools import cache, partial
from inspect import iscoroutine
from typing import Any, get_type_hints

import attrs
from cattrs import Converter
from cattrs.errors import BaseValidationError
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.feature_manager import is_thread_function
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from agentfs_lsp.api.pending_requests import DelayedResponse, PendingRequests
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.jsonrpc.codec import INVALID_REQUEST, RequestId, is_capped, is_id
from agentfs_lsp.lsp.outgoing import Outgoing

_log = logging.getLogger(__name__)

Message = dict[str, Any]
Feature = Callable[[Any], object]


class AgentfsProtocol(LanguageServerProtocol):
    """One connection's messages. Nothing is sent before `connect`."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.handshake: object = None
        """The params of `initialize` as received."""
        self._greeted = False

    def connect(
        self,
        send: Callable[[Message], None],
        translate: Callable[[], Translate],
        *,
        notifications: Collection[str] = (),
        to_the_end: Collection[str] = (),
    ) -> None:
        """Attach the transport. `translate` returns the language for progress titles; `notifications` are
        methods besides LSP's that the client sends without waiting for a response; `to_the_end` are requests
        still served after `shutdown`."""
        self._send = send
        self._notifications = frozenset(notifications)
        self._to_the_end = frozenset(to_the_end)
        self.outgoing = Outgoing(send)
        self.pending_requests = PendingRequests(self._send_answer, self.outgoing.notify, translate, _refusal)

    def begin_shutdown(self) -> None:
        """Reject new requests, except those that a landing in progress needs."""
        self._shutdown = True
        self.outgoing.messages.clear()

    @property
    def is_shutting_down(self) -> bool:
        """Whether the client requested the shutdown."""
        return self._shutdown

    # --- what comes in ------------------------------------------------------------------------------------

    def _register_builtin_features(self) -> None:
        """Registers only the handshake. pygls' text sync splits lines at form feeds and U+2028, which no
        editor does, so the next change lands in the wrong place; its `shutdown` cancels landings."""
        self.fm.add_builtin_feature(types.INITIALIZE, self.lsp_initialize)

    def structure_message(self, data: Message) -> Message:
        """Leave params as received: pygls turns those of unknown methods into namedtuples, in which `class`
        and `dry-run` become `_0` and `_1`, and drops requests whose params it can't read."""
        return data

    def handle_message(self, message: Message) -> None:  # type: ignore[override]
        """Answer every request of whatever shape: pygls drops those without params, with an unknown top-level
        key, or with another `jsonrpc`, and the client waits for ever."""
        if "method" not in message and self._is_answer(message):
            self.outgoing.answered(message)
        elif "id" not in message:
            self._take_notification(message, message.get("method"))
        elif (problem := self._problem_of(message)) is not None:
            self.refuse(*problem, message["id"])
        else:
            self._handle_request(message["id"], message["method"], message.get("params"))

    def refuse(self, code: int, detail: str, request_id: object = None) -> None:
        """Respond with a JSON-RPC error to a request that cannot be served."""
        known = (
            request_id if isinstance(request_id, int | float | str) and not is_capped(request_id) else None
        )
        self._send({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": detail}})

    def _is_answer(self, message: Message) -> bool:
        """Whether the message is a response; some clients omit a null result."""
        return "result" in message or "error" in message or self.outgoing.waits_for(message.get("id"))

    def _problem_of(self, message: Message) -> tuple[int, str] | None:
        """Why a request cannot be served, as a JSON-RPC code and a message."""
        method = message.get("method")
        if message.get("jsonrpc") != "2.0":
            return INVALID_REQUEST, "jsonrpc must be 2.0."
        if not isinstance(method, str):
            return INVALID_REQUEST, "method must be a string."
        if not is_id(message["id"]):
            return INVALID_REQUEST, "id must be a string or a whole number."
        if self._shutdown and method not in self._to_the_end:
            return INVALID_REQUEST, "The server is shutting down."
        if method == types.INITIALIZE:
            return (INVALID_REQUEST, "The server is initialized already.") if self._greeted else None
        too_early = types.ErrorCodes.ServerNotInitialized, "The first request must be initialize."
        return None if self._greeted else too_early

    def _handle_request(self, msg_id: RequestId, method_name: str, params: object) -> None:
        """Give exactly one answer, and let cancelling stop the work: pygls leaves the thread running, and
        sends exceptions to the client with their traceback."""
        if method_name == types.INITIALIZE:
            self.handshake, self._greeted = params, True
            least = self._converter.structure(_least(params), types.InitializeParams)
            super()._handle_request(msg_id, method_name, least)
        elif (feature := self.fm.features.get(method_name)) is None:
            self.refuse(types.ErrorCodes.MethodNotFound, f"Unknown method: {method_name[:200]}", msg_id)
        else:
            self.pending_requests.serve(msg_id, self._called(feature), params)

    def _take_notification(self, message: Message, method: object) -> None:
        """Ignore unknown notifications; pygls would show the user an error for a change of an unknown
        document."""
        if message.get("jsonrpc") != "2.0" or not (self._greeted or method == types.EXIT):
            _log.info("a notification that is none, or before initialize")
        elif isinstance(method, str) and self._is_notification(method):
            self._handle_notification(method, message.get("params"))

    def _is_notification(self, method: str) -> bool:
        """A request without an id is not run, because nobody would get its result."""
        known = types.METHOD_TO_TYPES.get(method)
        return method in self._notifications if known is None else known[1] is None

    def is_own_request(self, method: str) -> bool:
        return method not in types.METHOD_TO_TYPES and method not in self._notifications

    def _handle_notification(self, method_name: str, params: object) -> None:
        feature = self.fm.features.get(method_name)
        if feature is None:
            return
        result = self._called(feature)(params)
        if isinstance(result, DelayedResponse):
            self._server.in_background(result.work)  # type: ignore[attr-defined]

    def _called(self, feature: Feature) -> Feature:
        return partial(_call, feature, self._converter)

    # --- what goes out ------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send without links in displayed texts and without logging; pygls logs whole bodies at level
        INFO."""
        self.outgoing.notify(method, self._converter.unstructure(params))

    async def send_request_async(
        self,
        method: str,
        params: Any | None = None,
        msg_id: RequestId | None = None,  # noqa: ARG002 - pygls' signature; ids are ours
    ) -> object:
        """As in pygls, but drops late answers, which pygls shows as errors. Raises ClientError."""
        return await self.outgoing.request(method, self._converter.unstructure(params))

    def _send_answer(self, message: Message) -> None:
        if not isinstance(message.get("result"), dict):  # our own are already JSON
            message = self._converter.unstructure(message)
        self._send(message)

    def _send_data(self, data: Any) -> None:
        """Send a message created by pygls. Bodies are not logged."""
        self._send(self._converter.unstructure(data))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, Any]:
        """The handshake: pygls' answer plus the server's own capabilities. pygls gets only the params it
        needs, since an unknown shape of a capability would keep the editor from starting."""
        result = yield from super().lsp_initialize(params)
        wire = self._converter.unstructure(result)
        wire["capabilities"].update(self._server.capabilities)  # type: ignore[attr-defined]
        return wire


def _call(feature: Feature, converter: Converter, params: object) -> object:
    """Call a feature of any kind that pygls supports: plain, `async def`, or `@server.thread()`."""
    params_type, in_thread = _kind_of(feature)
    if params_type is not None:
        try:
            params = converter.structure(params, params_type)
        except (BaseValidationError, ValueError, TypeError, KeyError) as error:
            raise JsonRpcInvalidParams(f"The params are no {params_type.__name__}.") from error
    if in_thread:
        return DelayedResponse(asyncio.to_thread(feature, params))
    result = feature(params)
    return DelayedResponse(result) if iscoroutine(result) else result


@cache
def _kind_of(feature: Feature) -> tuple[type | None, bool]:
    """The LSP type that it declares for its params, None for plain JSON; and whether it runs in a thread."""
    function = getattr(feature, "func", feature)
    try:
        declared = get_type_hints(function).get("params")
    except NameError:  # imported only for type checkers
        declared = None
    typed = declared if isinstance(declared, type) and attrs.has(declared) else None
    return typed, bool(is_thread_function(feature))  # type: ignore[no-untyped-call]


def _least(params: object) -> dict[str, object]:
    given = params if isinstance(params, dict) else {}
    process_id = given.get("processId")
    return {
        "processId": process_id if isinstance(process_id, int) else None,
        "rootUri": None,
        "capabilities": {},
    }


def _refusal(error: BaseException) -> tuple[int, str] | None:
    """What a feature tells the client by raising one of pygls' exceptions."""
    if not isinstance(error, JsonRpcException):
        return None
    return error.code or types.ErrorCodes.InternalError, error.message
