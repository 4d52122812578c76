"""pygls' protocol, fed by our own transport (docs/protocol.md#1-start-and-transport, docs/adr/0003-pygls.md).

pygls knows LSP: its types, the handshake, what a server says of itself. What it would leave unanswered,
convert needlessly, log, or show to the user as an error is decided here, before it sees the message: the
methods of `server.py` go to their handlers with the params as they came.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from agentfs_lsp import __version__
from agentfs_lsp.lsp.pending_requests import PendingRequests, is_id
from agentfs_lsp.lsp.transport.codec import INVALID_REQUEST, is_capped

if TYPE_CHECKING:
    from collections.abc import Generator

    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.lsp.outgoing import Outgoing
    from agentfs_lsp.lsp.pending_requests import RequestId

_log = logging.getLogger(__name__)

METHOD_NOT_FOUND = -32601
NOT_INITIALIZED = -32002

Message = dict[str, Any]
Send = Callable[[Message], None]
Handler = Callable[[object], object]
"""Takes the params as they came. What it gives is a request's answer, now or `Later`."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of our own: `answers` for a request, which does nothing when it comes as a notification."""

    handler: Handler
    answers: bool = True


class PyglsServer(LanguageServer):
    """pygls' server, that never puts a message before the user by itself."""

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002 - pygls' signature
        """Odd and late messages are the log's, not the user's."""
        _log.warning("pygls: %s", type(error).__name__)


class AgentfsProtocol(LanguageServerProtocol):
    """Routes every message: the server's methods at once, the handshake through pygls, and the rest to a
    JSON-RPC error."""

    _send: Send
    _methods: Mapping[str, Method]
    _outgoing: Outgoing
    _initialized: Callable[[object], dict[str, Any]]
    pending_requests: PendingRequests

    def connect(
        self,
        send: Send,
        methods: Mapping[str, Method],
        outgoing: Outgoing,
        initialized: Callable[[object], dict[str, Any]],
        to_the_end: Collection[str],
        translate: Callable[[], Translate],
    ) -> None:
        """Attach the connection. `initialized` gets the raw params of `initialize` and gives capabilities to
        put over pygls' own; `to_the_end` are the methods served after the shutdown too."""
        self._to_the_end = to_the_end
        self._send = send
        self._methods = methods
        self._outgoing = outgoing
        self._initialized = initialized
        self._handshake: object = None
        self._greeted = False
        self.pending_requests = PendingRequests(send, outgoing.notify, translate)

    def rest(self) -> None:
        """From here on nothing new is begun; only what a landing under way needs is served."""
        self._shutdown = True

    @property
    def is_resting(self) -> bool:
        """Whether the client asked for the shutdown."""
        return self._shutdown

    # --- what comes in ------------------------------------------------------------------------------------

    def receive(self, message: Message) -> None:
        """Serve one message of any shape."""
        if "method" not in message and self._is_answer(message):
            self._outgoing.answered(message)
        elif "id" in message:
            self._receive_request(message, message.get("method"), message["id"])
        else:
            self._receive_notification(message, message.get("method"))

    def refuse(self, code: int, detail: str, request_id: object = None) -> None:
        """Answer what is no request that can be served."""
        known = (
            request_id if isinstance(request_id, int | float | str) and not is_capped(request_id) else None
        )
        self._send({"jsonrpc": "2.0", "id": known, "error": {"code": code, "message": detail}})

    def _is_answer(self, message: Message) -> bool:
        """Whether it answers us; some clients leave a result of null out."""
        return "result" in message or "error" in message or self._outgoing.waits_for(message.get("id"))

    def _receive_request(self, message: Message, method: object, request_id: object) -> None:
        if message.get("jsonrpc") != "2.0":
            self.refuse(INVALID_REQUEST, "jsonrpc must be 2.0.", request_id)
        elif not isinstance(method, str):
            self.refuse(INVALID_REQUEST, "method must be a string.", request_id)
        elif not is_id(request_id):
            self.refuse(INVALID_REQUEST, "id must be a string or a whole number.", request_id)
        elif (problem := self._too_early_or_late(method)) is not None:
            self.refuse(*problem, request_id)
        elif method in self._methods:
            self.pending_requests.serve(request_id, self._methods[method].handler, message.get("params"))
        elif method == types.INITIALIZE:
            self._greet(request_id, message.get("params"))
        else:
            self.refuse(METHOD_NOT_FOUND, f"Unknown method: {method[:200]}", request_id)

    def _too_early_or_late(self, method: str) -> tuple[int, str] | None:
        if self._shutdown and method not in self._to_the_end:
            return INVALID_REQUEST, "The server is shutting down."
        if method == types.INITIALIZE:
            return (INVALID_REQUEST, "The server is initialized already.") if self._greeted else None
        return None if self._greeted else (NOT_INITIALIZED, "The first request must be initialize.")

    def _receive_notification(self, message: Message, method: object) -> None:
        """Odd ones are passed over: there is nobody to answer, and nothing to bother the user with."""
        served = self._methods.get(method) if isinstance(method, str) else None
        if message.get("jsonrpc") != "2.0" or not (self._greeted or method == types.EXIT):
            _log.info("a notification that is none, or before initialize")
        elif served is not None and not served.answers:
            served.handler(message.get("params"))

    def _greet(self, request_id: RequestId, params: object) -> None:
        self._handshake, self._greeted = params, True
        request = {"jsonrpc": "2.0", "id": request_id, "method": types.INITIALIZE, "params": _least(params)}
        self.handle_message(self.structure_message(request))

    # --- what goes out ------------------------------------------------------------------------------------

    def _send_data(self, data: Any) -> None:
        """Send what pygls made. Bodies are not logged."""
        self._send(self._converter.unstructure(data))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, Any]:
        """The handshake: pygls' answer with our capabilities in it."""
        result = yield from super().lsp_initialize(params)
        wire = self._converter.unstructure(result)
        wire["capabilities"].update(self._initialized(self._handshake))
        return wire


def build_pygls() -> AgentfsProtocol:
    """A pygls server with our protocol, not yet connected."""
    server = PyglsServer(
        "agentfs-lsp", __version__, protocol_cls=AgentfsProtocol, converter_factory=default_converter
    )
    protocol = server.protocol
    assert isinstance(protocol, AgentfsProtocol)
    return protocol


def _least(params: object) -> dict[str, object]:
    """The part of the handshake pygls needs. Capabilities are read raw (`capabilities.py`): a shape the
    converter does not know must not keep an editor from starting."""
    given = params if isinstance(params, dict) else {}
    process_id = given.get("processId")
    return {
        "processId": process_id if isinstance(process_id, int) else None,
        "rootUri": None,
        "capabilities": {},
    }
