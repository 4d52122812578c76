"""A scripted language server for the client's tests.

Run with the script and a file for the transcript. A script is a JSON list of steps: `expect` a method
(earlier messages are recorded too), `reply` or `fail` to the last expected one, `send` a message. Then it
shuts down properly.
"""

import json
import sys
from pathlib import Path

heard = []


def receive():
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not length:
        return None
    heard.append(json.loads(sys.stdin.buffer.read(length)))
    return heard[-1]


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"content-length:%d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def expect(method):
    while (message := receive()) is not None:
        if message.get("method", "response") == method:
            return message
    sys.exit("the input ended before " + method)


def main():
    script, transcript = map(Path, sys.argv[1:])
    last = {}
    try:
        for step in json.loads(script.read_text()):
            for kind, value in step.items():
                if kind == "expect":
                    last = expect(value)
                elif kind == "reply":
                    send({"id": last["id"], "result": value})
                elif kind == "fail":
                    send({"id": last["id"], "error": value})
                else:
                    send(value)
        send({"id": expect("shutdown")["id"], "result": None})
        expect("exit")
    finally:
        transcript.write_text(json.dumps(heard))


main()
