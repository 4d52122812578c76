"""Codex itself, as a workspace has it connected: `python -m support.connected_codex WORKSPACE`.

Its scripted model makes the calls that come as lines of JSON, `{"tool", "arguments"}`. What the model is told
of each is printed as a JSON string. Codex ends with the input.
"""

import asyncio
import json
import sys
from pathlib import Path

from agentfs_lsp.sockets import discovery
from support.programs import CONNECTED_CODEX, running


async def main(root: Path) -> None:
    async with running(CONNECTED_CODEX, root, discovery.folder()) as codex:
        while line := await asyncio.to_thread(sys.stdin.readline):
            call = json.loads(line)
            print(json.dumps(await codex.call(call["tool"], **call["arguments"])), flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
