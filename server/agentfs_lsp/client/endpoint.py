"""One end of a JSON-RPC connection with LSP's framing, without I/O (docs/protocol.md#1-start-and-transport).

Nothing here knows agentfs' requests: `protocol` does, and whoever needs an editor of another kind.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from agentfs_lsp.jsonrpc.codec import Malformed, decode, encode, format_json
from agentfs_lsp.jsonrpc.framing import Framer

MAX_BODY: Final = 256 << 20
"""The largest message that is accepted, in bytes."""


class ProtocolError(Exception):
    """The other end does not speak this protocol; the connection is of no use any more."""


class Endpoint:
    """Calls `transmit` with the bytes of each message, and gets those that arrive by `messages`, which may be
    called on another thread than the rest. What sends raises TypeError and ValueError for what is not JSON.
    """

    def __init__(self, transmit: Callable[[bytes], object]) -> None:
        self._transmit = transmit
        self._framer = Framer(MAX_BODY)
        self._ids = itertools.count(1)

    def request(self, method: str, params: object) -> int:
        """Send a request; returns its id."""
        ident = next(self._ids)
        self.send({"id": ident, "method": method, "params": params})
        return ident

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def cancel(self, ident: int | str) -> None:
        """Ask for a request to be withdrawn. Its response still comes: -32800, unless it was too late."""
        self.notify("$/cancelRequest", {"id": ident})

    def answer(self, ident: object, result: object) -> None:
        """Send the result of the other end's request."""
        self.send({"id": ident, "result": result})

    def refuse(self, ident: object, code: int, message: str) -> None:
        """Send an error for the other end's request."""
        self.send({"id": ident, "error": {"code": code, "message": message}})

    def send(self, message: Mapping[str, Any]) -> None:
        """Send any message."""
        # The standard library's, because msgspec would turn bytes, passed by mistake, into base64.
        self._transmit(self.framed(encode({"jsonrpc": "2.0", **message}, format_json)))

    def messages(self, data: bytes) -> Iterator[dict[str, Any]]:
        """The messages that are complete with the bytes that arrived. Raises ProtocolError."""
        for body in self.bodies(data):
            try:
                yield decode(body)
            except Malformed as error:
                raise ProtocolError(error.detail) from None

    def framed(self, body: bytes) -> bytes:
        """The body as it is sent."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)

    def bodies(self, data: bytes) -> Iterator[bytes]:
        """The bodies that are complete with the bytes that arrived. Raises ProtocolError."""
        for frame in self._framer.feed(data):
            if not isinstance(frame, bytes):
                raise ProtocolError("The server sent something that is not a message.")
            yield frame
