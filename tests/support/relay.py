"""Sits between a real editor and its server: `python -m support.relay SOCKET COMMAND…`.

Forwards all messages unchanged, with a copy to the test, which listens on SOCKET. The test's own messages go
to the server, like requests of the editor's agent; responses to ids that start with "test-" go only to the
test.
"""

import asyncio
import json
import sys
from typing import Any

from support.wire import frame, read_message

LIMIT = 1 << 26


async def relay(socket: str, command: list[str]) -> None:
    server = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LIMIT
    )
    from_test, to_test = await asyncio.open_unix_connection(socket, limit=LIMIT)
    assert server.stdin is not None
    assert server.stdout is not None
    loop = asyncio.get_running_loop()
    from_editor = asyncio.StreamReader(LIMIT)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(from_editor), sys.stdin)

    def copy(sender: str, message: dict[str, Any]) -> None:
        to_test.write(json.dumps({"from": sender, "message": message}).encode() + b"\n")

    async def editor_to_server() -> None:
        while (message := await read_message(from_editor)) is not None:
            copy("editor", message)
            server.stdin.write(frame(message))
        server.stdin.close()

    async def server_to_editor() -> None:
        while (message := await read_message(server.stdout)) is not None:
            copy("server", message)
            if not ("method" not in message and str(message.get("id")).startswith("test-")):
                sys.stdout.buffer.write(frame(message))
                sys.stdout.buffer.flush()

    async def test_to_server() -> None:
        while line := await from_test.readline():
            server.stdin.write(frame(json.loads(line)))

    ways = [asyncio.ensure_future(way()) for way in (editor_to_server, server_to_editor, test_to_server)]
    await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    for way in ways:
        way.cancel()
    if server.returncode is None:
        server.kill()
    await server.wait()


if __name__ == "__main__":
    asyncio.run(relay(sys.argv[1], sys.argv[2:]))
