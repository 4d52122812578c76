"""Agents in programs of their own, and an editor that they can find."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agentfs_lsp.sockets import discovery
from support.editor import Editor, editing

LAUNCHER = str(Path(__file__).with_name("outside_agent.py"))
"""`agentfs-lsp`, which finds only the servers in `AGENTFS_TEST_SOCKETS`."""


def environment(root: Path, sockets: Path) -> dict[str, str]:
    """Of an agent's program."""
    state = str(root.parent / "agent-state")
    return {**os.environ, "AGENTFS_TEST_SOCKETS": str(sockets), "XDG_STATE_HOME": state}


@asynccontextmanager
async def serving(root: Path, sockets: Path, **options: Any) -> AsyncIterator[Editor]:
    """An editor whose server has a socket there. Agents of this process need the fixture `sockets`."""
    async with editing(root, env={"AGENTFS_TEST_SOCKETS": str(sockets)}, **options) as editor:
        async with asyncio.timeout(60):
            while all(entry.pid != editor.process.pid for entry in discovery.entries()):
                await editor.request("agentfs/status")
        yield editor
