"""A queue in which requests wait and resume in order of arrival."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable


class Line:
    """First come, first served. A set `asyncio.Event` would let a newcomer pass those still resuming, and a
    later change of a file would land before an earlier one."""

    def __init__(self) -> None:
        self._first = asyncio.Lock()
        self._waiting = 0

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    async def wait_for(self, begin: Callable[[], Awaitable[object]]) -> None:
        """Return once all earlier callers have resumed and the result of `begin` is done."""
        self._waiting += 1
        try:
            async with self._first:
                await begin()
        finally:
            self._waiting -= 1
