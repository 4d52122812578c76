"""A gate that requests pass in the order in which they arrived."""

from __future__ import annotations

import asyncio


class Gate:
    """As `asyncio.Event`, but first come, first served. An event that is set lets a newcomer pass before
    those that waited have resumed: a later change of a file would land before an earlier one."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._line = asyncio.Lock()
        self._waiting = 0

    @property
    def is_free(self) -> bool:
        """Whether it is open and nobody waits at it."""
        return self._opened.is_set() and not self._waiting

    def open(self) -> None:
        """Let all pass who wait, and who come from now on."""
        self._opened.set()

    def close(self) -> None:
        """Have all wait who come from now on."""
        self._opened.clear()

    async def passed(self) -> None:
        """Return once it is open and all who came before have passed."""
        self._waiting += 1
        try:
            async with self._line:
                await self._opened.wait()
        finally:
            self._waiting -= 1
