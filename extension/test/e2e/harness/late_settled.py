"""Runs the server given as arguments, and passes what it says on, `agentfs/settled` five seconds late."""

import subprocess
import sys
import threading

LATE_S = 5

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
turn = threading.Lock()


def pass_on(frame):
    with turn:
        sys.stdout.buffer.write(frame)
        sys.stdout.buffer.flush()


def feed():
    while piece := sys.stdin.buffer.read1(65536):
        server.stdin.write(piece)
        server.stdin.flush()
    server.stdin.close()


threading.Thread(target=feed, daemon=True).start()
while head := server.stdout.readline():
    while (line := server.stdout.readline()).strip() != b"":
        head += line
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    frame = head + b"\r\n" + server.stdout.read(length)
    if b'"agentfs/settled"' in frame:
        threading.Timer(LATE_S, pass_on, [frame]).start()
    else:
        pass_on(frame)
sys.exit(server.wait())
