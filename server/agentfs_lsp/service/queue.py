"""Changes to one file, one after the other (docs/protocol.md#8-lock). Different files go side by side."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class FileQueue:
    """A first-come lock for each file that somebody is changing; nothing is kept of the others."""

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Lock] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def turn(self, absolute: str) -> AsyncIterator[None]:
        """Wait for the file's turn and hold it."""
        lock = self._turns.setdefault(absolute, asyncio.Lock())
        self._users[absolute] = self._users.get(absolute, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._users[absolute] -= 1
            if not self._users[absolute]:
                del self._users[absolute], self._turns[absolute]
