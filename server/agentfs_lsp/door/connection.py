"""One agent's connection, without I/O: the handshake, and then agents' requests only
(docs/protocol.md#16-the-agents-socket)."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from agentfs_lsp import __version__
from agentfs_lsp.api.exchange import Request
from agentfs_lsp.api.methods import AGENT_REQUESTS
from agentfs_lsp.api.pending_requests import PendingRequests
from agentfs_lsp.api.serving import Host, serve
from agentfs_lsp.client.discovery import PROTOCOL_VERSION
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.jsonrpc.codec import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Malformed,
    decode,
    encode,
    find_id,
    is_id,
)
from agentfs_lsp.jsonrpc.framing import BadHeader, Framer, TooLarge
from agentfs_lsp.service.state.outside import OutsideAgent

MAX_BODY: Final = 64 << 20
"""The largest message of an agent, in bytes."""

MAX_PENDING: Final = 64
"""Requests of one connection under way."""

MAX_VALUES: Final = 100_000
"""JSON values in one message; a body of nothing else would take hundreds of times its size."""

LONGEST_NAME: Final = 60
"""Characters shown of an agent's name; with the mark it fits the limit of `agent`."""

NOT_ATTACHED: Final = -32002
TOO_MANY: Final = -32000
DISCONNECTED: Final = -32001

_UNNAMED: Final = re.compile(r"[^\w .-]+")


class ClosingHost(Host, Protocol):
    """A host that may be shutting down."""

    @property
    def is_closing(self) -> bool:
        """Whether new requests are refused."""


class AgentConnection:
    """`send` takes bytes and must not block; `close` ends the connection after what was sent. `disconnect` is
    called when the user disconnects the agent: it calls `cut_off` of all connections of its process.
    `is_shut_out`: the user did so before with this process."""

    def __init__(
        self,
        host: ClosingHost,
        token: str,
        editor: str,
        send: Callable[[bytes], None],
        close: Callable[[], None],
        disconnect: Callable[[], Awaitable[None]],
        *,
        is_shut_out: bool,
    ) -> None:
        self._host = host
        self._token = token
        self._editor = editor
        self._write = send
        self._close = close
        self._disconnect = disconnect
        self._is_shut_out = is_shut_out
        self._framer = Framer(MAX_BODY)
        self._pending = PendingRequests(self._send, self._notify, host.language)
        self._id = secrets.token_hex(8)
        self._namespace = ""
        self._label = ""
        self._is_over = False
        self.is_attached = False

    @property
    def held(self) -> int:
        """Bytes that were received and are kept: the beginning of a message, and requests under way."""
        return self._framer.held + self._pending.held

    # --- what arrives -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Take bytes that arrived."""
        for frame in self._framer.feed(data):
            if self._is_over:
                return
            match frame:
                case TooLarge(size, head):
                    detail = f"The message has {size} bytes, and {MAX_BODY} is the limit."
                    self._refuse(find_id(head), INVALID_REQUEST, detail)
                case BadHeader(detail):
                    self._refuse(None, PARSE_ERROR, f"Not a message header: {detail}.")
                    self.hang_up()
                case bytes() if _has_too_many_values(frame):
                    detail = f"The message has more than {MAX_VALUES} values."
                    self._refuse(find_id(frame), INVALID_REQUEST, detail)
                case bytes():
                    try:
                        message = decode(frame)
                    except Malformed as error:
                        self._refuse(error.request_id, error.code, error.detail)
                    else:
                        self._handle(message, len(frame))

    def _handle(self, message: Mapping[str, Any], size: int) -> None:
        method, params, ident = message.get("method"), message.get("params"), message.get("id")
        if not self.is_attached:
            self._attach(ident, method, params)
        elif method == "$/cancelRequest":
            self._pending.cancel(params.get("id") if isinstance(params, dict) else None)
        elif "id" not in message:
            return
        elif not is_id(ident) or not isinstance(method, str):
            self._refuse(None, INVALID_REQUEST, "method and id must be valid.")
        elif self._host.is_closing:
            self._refuse(ident, INVALID_REQUEST, "The server is shutting down.")
        elif (request := AGENT_REQUESTS.get(method)) is None:
            self._refuse(ident, METHOD_NOT_FOUND, f"Agents have no method {method[:100]}.")
        elif self._pending.count >= MAX_PENDING:
            self._refuse(ident, TOO_MANY, f"{MAX_PENDING} requests are under way. Wait for a response.")
        else:
            self._pending.serve(ident, partial(self._serve, request), params, size)

    def _attach(self, ident: object, method: object, params: object) -> None:
        """The first message. Any other ends the connection."""
        told = params if isinstance(params, dict) else {}
        client = told.get("client")
        name = client.get("name") if isinstance(client, dict) else None
        if method != "agentfs/attach" or not is_id(ident):
            self._refuse(ident, NOT_ATTACHED, "The first message must be the request agentfs/attach.")
        elif told.get("protocolVersion") != PROTOCOL_VERSION:
            self._refuse(ident, INVALID_PARAMS, f"protocolVersion must be {PROTOCOL_VERSION}.")
        elif not isinstance(name, str) or not name.strip():
            self._refuse(ident, INVALID_PARAMS, "client.name must name the agent.")
        elif not hmac.compare_digest(str(told.get("token")).encode("utf-8", "replace"), self._token.encode()):
            self._refuse(ident, INVALID_PARAMS, "The token is wrong. Read the server's entry again.")
        elif self._is_shut_out:
            why = "The user has disconnected this program. It must be restarted to connect again."
            self._refuse(ident, DISCONNECTED, why)
        else:
            self.is_attached = True
            self._label = " ".join(name.split())[:LONGEST_NAME]
            # The id is random, so that no other agent can name this one's sessions.
            self._namespace = f"{_UNNAMED.sub('', self._label)[:30]} {self._id}/"
            version = client.get("version") if isinstance(client, dict) else None
            ws = self._host.workspace
            ws.outside.add(
                OutsideAgent(
                    self._id,
                    self._label,
                    version[:LONGEST_NAME] if isinstance(version, str) else None,
                    self._namespace,
                    ws.clock.now_ms(),
                    self._disconnect,
                )
            )
            self._answer(
                ident,
                {
                    "protocolVersion": PROTOCOL_VERSION,
                    "server": {"name": "agentfs-lsp", "version": __version__},
                    "editor": self._editor,
                    "roots": [root.path for root in self._host.workspace.roots],
                },
            )
            return
        self.hang_up()

    def _serve(self, request: Request, params: object) -> object:
        """Agents' requests know no other sessions than those of their connection."""
        given = params or {}
        if not isinstance(given, dict):  # no request takes these
            return serve(self._host, request, given, namespace=self._namespace)
        agent, mine = given.get("agent"), dict(given)
        if agent is None or isinstance(agent, str):
            shown = " ".join((agent or "").split())[:LONGEST_NAME] or self._label
            translate = self._host.language()
            mine["agent"] = translate("outside: {agent}", agent=shown)
        return serve(self._host, request, mine, namespace=self._namespace, raw=given)

    # --- what is sent -------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """End the connection after what was sent."""
        self._is_over = True
        self._framer = Framer(MAX_BODY)  # frees what is incomplete before the garbage collector comes
        self._close()

    def tools_changed(self) -> None:
        """The definitions of the tools have changed."""
        if self.is_attached:
            self._notify("agentfs/toolsChanged", {})

    async def cut_off(self, reason: WithdrawnReason) -> None:
        """End the connection, and tell the agent why its changes were withdrawn."""
        self._is_over = True
        if self.is_attached:
            for proposal in self._host.workspace.proposals:
                if proposal.session.startswith(self._namespace):
                    proposal.withdraw(reason)
        await self.finish()
        self._close()

    async def finish(self) -> None:
        """Withdraw what is undecided, finish landings in progress, and forget the sessions."""
        await self._pending.finish_all()
        if self.is_attached:
            self._host.workspace.sessions.end_all(self._namespace)
            self._host.workspace.outside.remove(self._id)

    def _answer(self, ident: object, result: object) -> None:
        self._send({"jsonrpc": "2.0", "id": ident, "result": result})

    def _refuse(self, ident: object, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._send({"jsonrpc": "2.0", "id": ident if is_id(ident) else None, "error": error})

    def _notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = encode(message)
        self._write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))


def _has_too_many_values(body: bytes) -> bool:
    """Without decoding it. What is not JSON may count as either."""
    if len(body) <= MAX_VALUES:
        return False
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if bare.count(b'"') > 2 * MAX_VALUES:
        return True
    outside = b"".join(bare.split(b'"')[::2])  # of the strings
    return sum(map(outside.count, (b",", b"[", b"{"))) > MAX_VALUES
