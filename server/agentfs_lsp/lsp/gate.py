"""A gate that requests pass in the order in which they arrived."""

from __future__ import annotations

import asyncio


class Gate:
    """Like `asyncio.Event`, but in order of arrival. A set event lets a newcomer pass before the waiting
    tasks have resumed, so that a later change of a file could land before an earlier one."""

    def __init__(self) -> None:
        self._opened = asyncio.Event()
        self._line = asyncio.Lock()
        self._waiting = 0

    @property
    def is_free(self) -> bool:
        """Whether the gate is open and nobody waits."""
        return self._opened.is_set() and not self._waiting

    def open(self) -> None:
        """Open the gate for all current and future tasks."""
        self._opened.set()

    def close(self) -> None:
        """Close the gate for future tasks."""
        self._opened.clear()

    async def passed(self) -> None:
        """Return when the gate is open and all earlier tasks have passed."""
        self._waiting += 1
        try:
            async with self._line:
                await self._opened.wait()
        finally:
            self._waiting -= 1
