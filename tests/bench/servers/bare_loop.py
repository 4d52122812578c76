"""The minimum for a Python server on stdio: header, body, msgspec, response. No threads."""

import os
import sys

import msgspec
from envelope import STATUS


def main() -> None:
    """Answer a read with the file's text, every other request with the same envelope."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder()
    while header := source.readline():
        length = int(header.partition(b":")[2])
        source.readline()
        message = decoder.decode(source.read(length))
        if "id" in message:
            result = read(message["params"]["path"]) if message["method"] == "agentfs/read" else STATUS
            body = encoder.encode({"jsonrpc": "2.0", "id": message["id"], "result": result})
            sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sink.flush()


def read(path: str) -> dict[str, object]:
    """The file in an envelope like the real one, unchecked."""
    handle = os.open(path, os.O_RDONLY)
    data = os.read(handle, os.fstat(handle).st_size)
    os.close(handle)
    return {**STATUS, "data": {"content": data.decode()}, "text": f"Read '{path}'."}


main()
