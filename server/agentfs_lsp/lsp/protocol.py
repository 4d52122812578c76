"""pygls' protocol, fed by our own transport (docs/protocol.md#1-start-and-transport, docs/adr/0003-pygls.md).

pygls knows LSP: the handshake, capabilities, workspace folders, trace, shutdown. What it would leave
unanswered, convert needlessly, or show to the user as an error is decided here, before it sees the message: our
own methods and the text sync go to their handlers with the params as they came.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from agentfs_lsp import __version__
from agentfs_lsp.lsp.codec import INVALID_REQUEST
from agentfs_lsp.lsp.flights import Flights

if TYPE_CHECKING:
    from collections.abc import Generator

    from agentfs_lsp.lsp.outgoing import Outgoing

_log = logging.getLogger(__name__)

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
NOT_INITIALIZED = -32002

Message = dict[str, Any]
Send = Callable[[Message], None]
Handler = Callable[[object], "object | Awaitable[object]"]
"""Params as they came to a result; never raises. Notifications' results are dropped."""


class PyglsServer(LanguageServer):
    """pygls' server, that never puts a message before the user by itself."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Odd and late messages are the log's, not the user's."""
        _log.warning("pygls: %s", type(error).__name__)


class AgentfsProtocol(LanguageServerProtocol):
    """Routes every message: ours at once, LSP's own through pygls, the rest to a JSON-RPC error."""

    _send: Send
    _handlers: Mapping[str, Handler]
    _outgoing: Outgoing
    _initialized: Callable[[object], dict[str, Any]]

    def connect(
        self,
        send: Send,
        handlers: Mapping[str, Handler],
        outgoing: Outgoing,
        initialized: Callable[[object], dict[str, Any]],
        to_the_end: Collection[str],
    ) -> None:
        """Attach the connection. `initialized` gets the raw params of `initialize` and gives capabilities to
        put over pygls' own; `to_the_end` are the methods served after the shutdown too."""
        self._to_the_end = to_the_end
        self._send = send
        self._handlers = handlers
        self._outgoing = outgoing
        self._initialized = initialized
        self._handshake: object = None
        self._greeted = False
        self.flights = Flights(send)

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
        if "method" not in message:
            self._outgoing.answered(message)
            return
        request_id = message.get("id")
        method = message["method"]
        problem = _problem(message, method, request_id)
        if problem is None and "id" in message:
            problem = self._too_early_or_late(method)
        elif problem is None and method != types.EXIT and not self._greeted:
            return
        if problem is not None:
            if "id" in message:
                self.refuse(*problem, request_id if isinstance(request_id, int | str) else None)
            return
        params = message.get("params")
        handler = self._handlers.get(method)
        if handler is None:
            self._through_pygls(message, method, params)
        elif "id" in message:
            self.flights.serve(message["id"], handler, params)
        else:
            handler(params)

    def refuse(self, code: int, detail: str, request_id: int | str | None = None) -> None:
        """Answer what is no request that can be served."""
        self._send({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": detail}})

    def _too_early_or_late(self, method: str) -> tuple[int, str] | None:
        if self._shutdown and method not in self._to_the_end:
            return INVALID_REQUEST, "The server is shutting down."
        if method == types.INITIALIZE:
            return (INVALID_REQUEST, "The server is initialized already.") if self._greeted else None
        return None if self._greeted else (NOT_INITIALIZED, "The first request must be initialize.")

    def _through_pygls(self, message: Message, method: str, params: object) -> None:
        """Let pygls structure and dispatch what LSP defines."""
        request = "id" in message
        if self.get_message_type(method) is None or (request and method not in self._served()):
            if request:
                self.refuse(METHOD_NOT_FOUND, f"Unknown method: {method[:200]}", message["id"])
            return
        if method == types.INITIALIZE:
            self._handshake, self._greeted = params, True
            message = {**message, "params": _least(params)}
        try:
            structured = self.structure_message(message)
        except Exception:
            if request:
                self.refuse(INVALID_PARAMS, "The params are not what LSP defines.", message["id"])
            return
        self.handle_message(structured)

    def _served(self) -> set[str]:
        return {*self.fm.builtin_features, *self.fm.features}

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


def _problem(message: Message, method: object, request_id: object) -> tuple[int, str] | None:
    """What makes the message no request and no notification, if anything does."""
    if message.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, "jsonrpc must be 2.0."
    if not isinstance(method, str):
        return INVALID_REQUEST, "method must be a string."
    if "id" in message and (isinstance(request_id, bool) or not isinstance(request_id, int | str)):
        return INVALID_REQUEST, "id must be a string or a whole number."
    return None


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
