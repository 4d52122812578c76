"""A reviewer beside the editor, which the user allows there. Accepts the change that it was told of last, when a line comes.

Prints "allowed", and the server's answer to each decision.
"""

import asyncio
import sys
from pathlib import Path

from agentfs_lsp.reviewer.connection import Connection


async def main(root: Path) -> None:
    connection = await Connection.find(root)
    assert connection is not None
    proposed = []

    def hear(method, told):
        if method == "agentfs/proposed":
            proposed.append(told["id"])

    connection.follow(hear, lambda: None)
    await connection.attach()
    await connection.pair()
    print("allowed", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(
            await connection.request("agentfs/settle", {"id": proposed[-1], "decision": "accepted"}),
            flush=True,
        )


asyncio.run(main(Path(sys.argv[1])))
