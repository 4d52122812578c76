"""The least that a Python server on stdio can do: a header, a body, msgspec, an answer. No threads."""

import sys

import msgspec
from envelope import STATUS


def main() -> None:
    """Answer every request with the same envelope until the input ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    encoder, decoder = msgspec.json.Encoder(), msgspec.json.Decoder()
    while header := source.readline():
        length = int(header.partition(b":")[2])
        source.readline()
        message = decoder.decode(source.read(length))
        if "id" in message:
            body = encoder.encode({"jsonrpc": "2.0", "id": message["id"], "result": STATUS})
            sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sink.flush()


main()
