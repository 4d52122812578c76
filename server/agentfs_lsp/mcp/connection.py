"""The server's end of an MCP connection, without I/O (docs/protocol.md#mcp).

Feed it the bytes that arrive, and send the bytes that `take` returns. It serves both eras of the protocol:
clients that begin with `initialize`, and clients of 2026-07-28, whose requests carry version, name, and
capabilities themselves. It answers by itself whatever is not a call of a tool.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentfs_lsp import __version__
from agentfs_lsp.jsonrpc.codec import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Malformed,
    RequestId,
    decode,
    encode,
    is_id,
)
from agentfs_lsp.mcp.catalog import Catalog

LEGACY: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions with `initialize`; the last one is offered to clients that ask for another."""
MODERN: Final = ("2026-07-28",)
"""Versions without."""

MAX_LINE: Final = 64 << 20
"""The largest message that is accepted, in bytes."""

_TOO_LONG: Final = f"A message has at most {MAX_LINE} bytes."

TTL_MS: Final = 3_600_000
"""For so long clients may keep the list of tools, which never changes."""

UNSUPPORTED_VERSION: Final = -32022

_KEY: Final = "io.modelcontextprotocol/"
_INFO: Final = {"name": "agentfs", "version": __version__}
_LINE_BREAKS: Final = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"))
"""What some clients take for the end of a line."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The client, as it describes itself. `can_ask`: it can show the user a form."""

    name: str = ""
    title: str = ""
    can_ask: bool = False
    is_modern: bool = False


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool, to be answered by `Connection.answer`. `token`: report progress under it. `replies`
    and `state`: the user's answer to the question in an earlier `Connection.require`."""

    id: RequestId
    tool: str
    arguments: Mapping[str, Any]
    caller: Caller
    token: RequestId | None = None
    replies: Mapping[str, Any] | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The client does not wait for this call any more."""

    id: RequestId
    reason: str


@dataclass(frozen=True, slots=True)
class Replied:
    """The reply to `Connection.ask`; None if it is an error."""

    id: RequestId
    result: Mapping[str, Any] | None


Event = Called | Cancelled | Replied


class Connection:
    """One client."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rest = bytearray()
        self._is_skipping = False
        self._outgoing: list[bytes] = []
        self._ids = itertools.count(1)
        self._caller: Caller | None = None
        self._calls: dict[RequestId, Called] = {}
        self._asked: set[RequestId] = set()
        self._listening: set[RequestId] = set()

    def take(self) -> bytes:
        """The bytes to send since the last call."""
        data = b"".join(self._outgoing)
        self._outgoing.clear()
        return data

    # --- what arrives -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> list[Event]:
        """Take bytes that arrived; returns what happened."""
        events: list[Event] = []
        self._rest += data
        if b"\n" in data:
            *lines, rest = self._rest.split(b"\n")
            self._rest = rest
            for line in lines:
                if self._is_skipping:
                    self._is_skipping = False
                elif len(line) > MAX_LINE:
                    self._refuse(None, INVALID_REQUEST, _TOO_LONG)
                elif line.strip():
                    events += self._line(bytes(line))
        if len(self._rest) > MAX_LINE:
            if not self._is_skipping:
                self._refuse(None, INVALID_REQUEST, _TOO_LONG)
            self._rest, self._is_skipping = bytearray(), True
        return events

    def _line(self, line: bytes) -> list[Event]:
        try:
            message = decode(line)
        except Malformed as error:
            self._refuse(error.request_id, error.code, error.detail)
            return []
        method, ident = message.get("method"), message.get("id")
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if method is None:
            return self._reply(message)
        if not isinstance(method, str) or ("id" in message and not is_id(ident)):
            self._refuse(None, INVALID_REQUEST, "method and id must be valid.")
        elif "id" not in message:
            return self._told(method, params)
        elif ident in self._calls or ident in self._listening:
            self._refuse(None, INVALID_REQUEST, "This id is in use.")
        elif is_id(ident):
            return self._request(ident, method, params)
        return []

    def _reply(self, message: Mapping[str, Any]) -> list[Event]:
        ident, result = message.get("id"), message.get("result")
        if not is_id(ident) or ident not in self._asked:
            return []
        self._asked.discard(ident)
        return [Replied(ident, result if isinstance(result, dict) else None)]

    def _told(self, method: str, params: Mapping[str, Any]) -> list[Event]:
        ident = params.get("requestId")
        if method != "notifications/cancelled" or not is_id(ident):
            return []
        if ident in self._listening:
            self._listening.discard(ident)
            return []
        if self._calls.pop(ident, None) is None:
            return []  # it has been answered
        return [Cancelled(ident, str(params.get("reason") or ""))]

    def _request(self, ident: RequestId, method: str, params: Mapping[str, Any]) -> list[Event]:
        meta = params.get("_meta")
        meta = meta if isinstance(meta, dict) else {}
        version = meta.get(f"{_KEY}protocolVersion")
        if version is not None and version not in MODERN:
            told = {"supported": [*MODERN, *LEGACY], "requested": version}
            self._refuse(ident, UNSUPPORTED_VERSION, "This version of MCP is not served.", told)
            return []
        caller = _caller(meta, f"{_KEY}clientInfo", f"{_KEY}clientCapabilities", is_modern=True)
        match method:
            case "initialize":
                self._initialize(ident, params)
            case "ping":
                self._send({"id": ident, "result": {}})
            case "server/discover":
                self._result(ident, self._discovery(), is_modern=True)
            case _ if version is None and self._caller is None:
                self._refuse(ident, INVALID_REQUEST, "Send initialize first, or a protocolVersion in _meta.")
            case "tools/list":
                caching = {"ttlMs": TTL_MS, "cacheScope": "private"} if version else {}
                self._result(ident, {"tools": self._catalog.tools, **caching}, is_modern=bool(version))
            case "subscriptions/listen" if version:
                self._listening.add(ident)
                meta = {f"{_KEY}subscriptionId": ident}
                self._notify("subscriptions/acknowledged", {"_meta": meta, "notifications": {}})
            case "tools/call":
                return self._call(ident, params, meta, caller if version else self._caller or caller)
            case _:
                self._refuse(ident, METHOD_NOT_FOUND, f"There is no method {method[:100]}.")
        return []

    def _initialize(self, ident: RequestId, params: Mapping[str, Any]) -> None:
        self._caller = _caller(params, "clientInfo", "capabilities", is_modern=False)
        wanted = params.get("protocolVersion")
        result: dict[str, Any] = {
            "protocolVersion": wanted if wanted in LEGACY else LEGACY[-1],
            "capabilities": {"tools": {}},
            "serverInfo": _INFO,
            "instructions": self._catalog.instructions,
        }
        self._result(ident, result, is_modern=False)

    def _discovery(self) -> dict[str, Any]:
        return {
            "supportedVersions": list(MODERN),
            "capabilities": {"tools": {}},
            "instructions": self._catalog.instructions,
            "ttlMs": TTL_MS,
            "cacheScope": "private",
        }

    def _call(
        self, ident: RequestId, params: Mapping[str, Any], meta: Mapping[str, Any], caller: Caller
    ) -> list[Event]:
        name, arguments = params.get("name"), params.get("arguments")
        arguments = {} if arguments is None else arguments
        if name not in self._catalog.names or not isinstance(name, str):
            self._refuse(ident, INVALID_PARAMS, f"There is no tool {str(name)[:100]}.")
        elif not isinstance(arguments, dict):
            self._refuse(ident, INVALID_PARAMS, "arguments must be an object.")
        else:
            token = meta.get("progressToken")
            replies, state = params.get("inputResponses"), params.get("requestState")
            called = Called(
                ident,
                name,
                arguments,
                caller,
                token if is_id(token) else None,
                replies if isinstance(replies, dict) else None,
                state if isinstance(state, str) else None,
            )
            self._calls[ident] = called
            return [called]
        return []

    # --- what is sent -------------------------------------------------------------------------------------

    def answer(self, called: Called, text: str, *, is_error: bool, meta: Mapping[str, Any]) -> None:
        """Answer a call, unless it was cancelled. There is only text, because some clients drop it if there
        is structured content."""
        if self._calls.pop(called.id, None) is None:
            return
        content = [{"type": "text", "text": text}]
        result = {"content": content, "isError": is_error, "_meta": dict(meta)}
        self._result(called.id, result, is_modern=called.caller.is_modern)

    def require(self, called: Called, key: str, params: Mapping[str, Any], state: str) -> None:
        """Answer a modern call with a question to the user; the client calls again with the reply."""
        if self._calls.pop(called.id, None) is None:
            return
        asked = {"method": "elicitation/create", "params": {"mode": "form", **params}}
        result = {"resultType": "input_required", "inputRequests": {key: asked}, "requestState": state}
        self._result(called.id, result, is_modern=True)

    def ask(self, params: Mapping[str, Any]) -> RequestId:
        """Ask the user, through a client of the earlier era; returns the id of its `Replied`."""
        ident = f"agentfs-{next(self._ids)}"
        self._asked.add(ident)
        self._send({"id": ident, "method": "elicitation/create", "params": params})
        return ident

    def drop(self, ident: RequestId) -> None:
        """Withdraw a question."""
        if ident in self._asked:
            self._asked.discard(ident)
            self._notify("cancelled", {"requestId": ident, "reason": "The change is no longer open."})

    def progress(self, called: Called, done: int, message: str) -> None:
        """Report that a call is still waited for. `done` must rise."""
        if called.token is not None and called.id in self._calls:
            told = {"progressToken": called.token, "progress": done, "message": message}
            self._notify("progress", told)

    def end(self) -> None:
        """The server ends."""
        for ident in self._listening:
            self._result(ident, {"_meta": {f"{_KEY}subscriptionId": ident}}, is_modern=True)
        self._listening.clear()

    def _result(self, ident: RequestId, result: Mapping[str, Any], *, is_modern: bool) -> None:
        if is_modern:
            meta = {**result.get("_meta", {}), f"{_KEY}serverInfo": _INFO}
            result = {"resultType": "complete", **result, "_meta": meta}
        self._send({"id": ident, "result": result})

    def _refuse(self, ident: RequestId | None, code: int, message: str, data: object = None) -> None:
        error = {"code": code, "message": message} | ({} if data is None else {"data": data})
        self._send({"id": ident, "error": error})

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._send({"method": f"notifications/{method}", "params": params})

    def _send(self, message: Mapping[str, Any]) -> None:
        body = encode({"jsonrpc": "2.0", **message})
        for character, escape in _LINE_BREAKS:
            body = body.replace(character, escape)
        self._outgoing += (body, b"\n")


def _caller(told: Mapping[str, Any], info: str, capabilities: str, *, is_modern: bool) -> Caller:
    given, able = told.get(info), told.get(capabilities)
    given = given if isinstance(given, dict) else {}
    asks = able.get("elicitation") if isinstance(able, dict) else None
    return Caller(
        name=str(given.get("name") or ""),
        title=str(given.get("title") or ""),
        can_ask=isinstance(asks, dict) and (not asks or "form" in asks),
        is_modern=is_modern,
    )
