"""Conversion between message bodies and values: JSON according to RFC 8259
(docs/protocol.md#1-start-and-transport).

msgspec is used if it is installed. The standard library is used otherwise, and for valid JSON that msgspec
rejects: lone surrogates, which editors and models do send, and numbers of any size. This module does not
interpret messages or convert them to types.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NoReturn, TypeGuard

try:
    from msgspec.json import Decoder, Encoder
except ImportError:  # optional, since it needs a compiled wheel
    _fast_parse: Parse | None = None
    _fast_format: Format | None = None
else:
    _fast_parse = Decoder().decode
    _fast_format = Encoder().encode

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
REQUEST_CANCELLED: Final = -32800
"""LSP's."""

MAX_DEPTH: Final = 128
"""The maximum nesting depth; less than any recursion over a message, including the encoder's, can handle."""

_LARGE: Final = 1 << 16

RequestId = int | str
Parse = Callable[[bytes], object]
Format = Callable[[object], bytes]


@dataclass(eq=False)
class Malformed(Exception):
    """A body that is not a message. `code` is JSON-RPC's; `detail` quotes nothing of the body; `request_id`
    is set if it is certain, so that no request goes unanswered."""

    code: int
    detail: str
    request_id: RequestId | None = None


def is_id(value: object) -> TypeGuard[RequestId]:
    """Whether this is a valid request id or progress token in LSP."""
    return isinstance(value, int | str) and not isinstance(value, bool)


def parse_json(body: bytes) -> object:
    """Parse `body` with the standard library. Raises ValueError and RecursionError."""
    return _DECODER.decode(body.decode("utf-8"))


def format_json(message: object) -> bytes:
    """Format `message` as UTF-8 with the standard library. Raises UnicodeEncodeError for lone surrogates."""
    return _ENCODER.encode(message).encode("utf-8")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def is_capped(value: object) -> bool:
    """Whether a number represents one that is too large for this decoder."""
    return isinstance(value, float) and abs(value) == sys.float_info.max


def _to_float(digits: str) -> float:
    # Overflow becomes the largest float, because infinity is not valid JSON.
    return max(-sys.float_info.max, min(sys.float_info.max, float(digits)))


def _to_int(digits: str) -> int | float:
    # Python refuses to convert more digits, since that takes quadratic time.
    return int(digits) if len(digits) <= 4000 else _to_float(digits)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_to_float, parse_int=_to_int)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_ASCII_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

PARSE: Final[Parse] = _fast_parse or parse_json
"""The fastest available parser."""

FORMAT: Final[Format] = _fast_format or format_json
"""The fastest available formatter."""


def decode(body: bytes, parse: Parse = PARSE) -> dict[str, object]:
    """Parse the message in `body`. Raises Malformed: -32700 if it is not JSON, not UTF-8 or nested too
    deeply, -32600 if it is not an object (batches are not served)."""
    try:
        try:
            message = parse(body)
        except ValueError:
            message = parse_json(body)
    except UnicodeDecodeError:
        raise Malformed(PARSE_ERROR, "The message is not UTF-8.", find_id(body)) from None
    except ValueError:
        raise Malformed(PARSE_ERROR, "The message is not JSON.", find_id(body)) from None
    except RecursionError:
        raise Malformed(PARSE_ERROR, "The message is nested too deeply.", find_id(body)) from None
    if isinstance(message, dict):
        # Counting brackets is faster than walking a small message, and slower than walking a large one.
        may_be_deep = len(body) > _LARGE or body.count(b"{") + body.count(b"[") > MAX_DEPTH
        if may_be_deep and _is_deep(message):
            raise Malformed(PARSE_ERROR, "The message is nested too deeply.", find_id(body))
        return message
    what = "Batches are not served." if isinstance(message, list) else "The message is not an object."
    raise Malformed(INVALID_REQUEST, what)


def encode(message: object, formatter: Format = FORMAT) -> bytes:
    """Format plain JSON values as compact UTF-8, or as escaped ASCII if it has lone surrogates."""
    try:
        return formatter(message)
    except UnicodeEncodeError:
        return _ASCII_ENCODER.encode(message).encode("ascii")


def _is_deep(message: object) -> bool:
    level = [message]
    for _ in range(MAX_DEPTH):
        inside: list[object] = []
        for node in level:
            if isinstance(node, dict):
                inside += node.values()
            elif isinstance(node, list):
                inside += node
        level = [node for node in inside if isinstance(node, (dict, list))]
        if not level:
            return False
    return True


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+)')


def find_id(head: bytes) -> RequestId | None:
    """The id of a request from the beginning of its body, or None if it is uncertain."""
    tokens: list[str] = []
    depth = at = 0
    text = head[:1024].decode("utf-8", "replace")
    while found := _TOKEN.match(text, at):
        at = found.end()
        tokens.append(found[1])
        # The token after the value shows that the value was not cut.
        if depth == 1 and tokens[-1] in {",", "}"} and tokens[-4:-2] == ['"id"', ":"]:
            return _to_id(tokens[-2])
        depth += (tokens[-1] in {"{", "["}) - (tokens[-1] in {"}", "]"})
    return None


def _to_id(token: str) -> RequestId | None:
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if is_id(value) else None
