"""Runs the server given as arguments, and passes what the editor says on, `agentfs/settle` some seconds late."""

import subprocess
import sys
import threading
import time

LATE_S = 4

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)


def feed():
    while piece := sys.stdin.buffer.read1(65536):
        if b'"agentfs/settle"' in piece:
            time.sleep(LATE_S)
        server.stdin.write(piece)
        server.stdin.flush()
    server.stdin.close()


threading.Thread(target=feed, daemon=True).start()
sys.exit(server.wait())
