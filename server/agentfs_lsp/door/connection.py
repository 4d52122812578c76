"""One connection to a socket of the server, without I/O: framing, limits, and the handshake's token
(docs/protocol.md#16-the-agents-socket). What may be asked after it is in `agents.py` and `reviewers.py`."""

from __future__ import annotations

import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from agentfs_lsp.api.pending_requests import PendingRequests
from agentfs_lsp.api.serving import Host
from agentfs_lsp.domain.errors import WithdrawnReason
from agentfs_lsp.jsonrpc.codec import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    Malformed,
    RequestId,
    decode,
    encode,
    find_id,
    is_id,
)
from agentfs_lsp.jsonrpc.framing import BadHeader, Framer, TooLarge
from agentfs_lsp.sockets.discovery import PROTOCOL_VERSION

MAX_BODY: Final = 64 << 20
"""The largest message that is accepted, in bytes."""

MAX_PENDING: Final = 64
"""Requests of one connection under way."""

MAX_VALUES: Final = 100_000
"""JSON values in one message; a body of nothing else would take hundreds of times its size."""

LONGEST_NAME: Final = 60
"""Characters shown of a program's name; with the mark it fits the limit of `agent`."""

NOT_ATTACHED: Final = -32002
TOO_MANY: Final = -32000


class ClosingHost(Host, Protocol):
    """A host that may be shutting down."""

    @property
    def is_closing(self) -> bool:
        """Whether new requests are refused."""


class Connection(ABC):
    """`send` takes bytes and must not block; `close` ends the connection after what was sent. `editor` is the
    editor's name. Subclasses say what messages mean."""

    def __init__(
        self,
        host: ClosingHost,
        token: str,
        editor: str,
        send: Callable[[bytes], None],
        close: Callable[[], None],
    ) -> None:
        self._host = host
        self._token = token
        self._editor = editor
        self._write = send
        self._close = close
        self._framer = Framer(MAX_BODY)
        self._pending = PendingRequests(self._send, self._notify, host.language)
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

    @abstractmethod
    def _handle(self, message: Mapping[str, Any], size: int) -> None:
        """Handle a message of this size in bytes."""

    def _cancel(self, params: object) -> None:
        self._pending.cancel(params.get("id") if isinstance(params, dict) else None)

    def _accepted(
        self, ident: object, method: object, params: object, who: str
    ) -> tuple[RequestId, str] | None:
        """Check the first message: its id, and the name of `who` sent it. None if it was refused, which ends
        the connection."""
        told = params if isinstance(params, dict) else {}
        client = told.get("client")
        name = client.get("name") if isinstance(client, dict) else None
        if method != "agentfs/attach" or not is_id(ident):
            self._refuse(ident, NOT_ATTACHED, "The first message must be the request agentfs/attach.")
        elif told.get("protocolVersion") != PROTOCOL_VERSION:
            self._refuse(ident, INVALID_PARAMS, f"protocolVersion must be {PROTOCOL_VERSION}.")
        elif not isinstance(name, str) or not name.strip():
            self._refuse(ident, INVALID_PARAMS, f"client.name must name the {who}.")
        elif not hmac.compare_digest(str(told.get("token")).encode("utf-8", "replace"), self._token.encode()):
            self._refuse(ident, INVALID_PARAMS, "The token is wrong. Read the server's entry again.")
        else:
            return ident, " ".join(name.split())[:LONGEST_NAME]
        self.hang_up()
        return None

    def _is_serving(self, ident: object, method: object) -> bool:
        """Whether a request may be served now; refuses it if not."""
        if not is_id(ident) or not isinstance(method, str):
            self._refuse(None, INVALID_REQUEST, "method and id must be valid.")
        elif self._host.is_closing:
            self._refuse(ident, INVALID_REQUEST, "The server is shutting down.")
        elif self._pending.count >= MAX_PENDING:
            self._refuse(ident, TOO_MANY, f"{MAX_PENDING} requests are under way. Wait for a response.")
        else:
            return True
        return False

    # --- what is sent -------------------------------------------------------------------------------------

    def hang_up(self) -> None:
        """End the connection after what was sent."""
        self._is_over = True
        self._framer = Framer(MAX_BODY)  # frees what is incomplete before the garbage collector comes
        self._close()

    async def cut_off(self, reason: WithdrawnReason) -> None:  # noqa: ARG002
        """End the connection, and tell the program why, if it can be told."""
        self._is_over = True
        await self.finish()
        self._close()

    async def finish(self) -> None:
        """Withdraw what is undecided, and finish landings in progress."""
        await self._pending.finish_all()

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
