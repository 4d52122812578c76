"""Messages of MCP clients, in both eras."""

import json
from collections.abc import Iterable
from typing import Any

from support.wire import Message

KEY = "io.modelcontextprotocol/"
FORM: dict[str, Any] = {"elicitation": {"form": {}}}


def line(message: Message) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def lines(messages: Iterable[Message]) -> bytes:
    return b"".join(map(line, messages))


def initialize(
    version: str = "2025-06-18", name: str = "tester", capabilities: Message | None = None
) -> Message:
    params = {
        "protocolVersion": version,
        "capabilities": capabilities or {},
        "clientInfo": {"name": name, "version": "1"},
    }
    return {"id": 0, "method": "initialize", "params": params}


def modern(
    method: str,
    ident: object = 1,
    *,
    client: str = "tester",
    capabilities: Message | None = None,
    token: object = None,
    version: str = "2026-07-28",
    **params: Any,
) -> Message:
    meta = {
        f"{KEY}protocolVersion": version,
        f"{KEY}clientInfo": {"name": client, "version": "1"},
        f"{KEY}clientCapabilities": capabilities or {},
        **({} if token is None else {"progressToken": token}),
    }
    return {"id": ident, "method": method, "params": {**params, "_meta": meta}}


def legacy(method: str, ident: object = 1, *, token: object = None, **params: Any) -> Message:
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    return {"id": ident, "method": method, "params": {**params, **meta}}


def cancelled(ident: object, reason: str | None = None) -> Message:
    told = {"requestId": ident} | ({} if reason is None else {"reason": reason})
    return {"method": "notifications/cancelled", "params": told}
