"""Plays crowds until the time is over: `make check-crowd` (CONTRIBUTING.md)."""

import argparse
import asyncio
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from agentfs_lsp.sockets import discovery
from support.crowd import Crowd

TURNS = 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    options = parser.parse_args()
    began = time.monotonic()
    for seed in count(options.first):
        if time.monotonic() - began >= options.seconds:
            break
        # A killed MCP process leaves its own server, which ends soon after.
        with tempfile.TemporaryDirectory(prefix="crowd-", ignore_cleanup_errors=True) as folder:
            root, sockets = Path(folder, "root"), Path(folder, "agentfs")
            root.mkdir()
            discovery.folder = lambda sockets=sockets: sockets  # type: ignore[misc]
            crowd = Crowd(seed, root, sockets, TURNS)
            asyncio.run(crowd.play())
        print(
            f"seed {seed}: {crowd.answers} answers, {len(crowd.landed)} landed, {crowd.kills} kills",
            flush=True,
        )


if __name__ == "__main__":
    main()
