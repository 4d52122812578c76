"""LSP framing for tests, from the client's side, independent of the server's code."""

import asyncio
import json
from typing import Any

Message = dict[str, Any]


def frame(message: object) -> bytes:
    """A message as bytes on the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


async def read_message(stream: asyncio.StreamReader) -> Message | None:
    """The next message; None at the end of the stream."""
    length = 0
    while True:
        line = await stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    message = json.loads(await stream.readexactly(length))
    assert isinstance(message, dict)
    return message
