"""A reviewer beside the editor, which the user allows there. Accepts the change that it was told of last, when a line comes.

Prints "allowed", and the server's answer to each decision.
"""

import asyncio
import sys
from pathlib import Path

from agentfs_lsp.reviewer.connection import Connection


async def main(root: Path) -> None:
    while (connection := await Connection.find(root)) is None:  # noqa: ASYNC110  no event tells that a server listens
        await asyncio.sleep(0.1)
    proposed = []
    connection.follow(
        lambda method, told: proposed.append(told["id"]) if method == "agentfs/proposed" else None,
        lambda: None,
    )
    await connection.attach()
    await connection.pair()
    print("allowed", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(
            await connection.request("agentfs/settle", {"id": proposed[-1], "decision": "accepted"}),
            flush=True,
        )


asyncio.run(main(Path(sys.argv[1])))
