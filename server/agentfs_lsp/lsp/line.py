"""A line in which requests wait and go on in the order in which they came."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Line:
    """First come, first served. An `asyncio.Event` that is set lets a newcomer pass before those that waited
    have resumed: a later change of a file would land before an earlier one."""

    def __init__(self) -> None:
        self._first = asyncio.Lock()
        self._waiting = 0

    @property
    def is_empty(self) -> bool:
        """Whether nobody waits."""
        return not self._waiting

    async def wait_for(self, begin: Callable[[], Awaitable[object]]) -> None:
        """Return once all who came before have gone on, and what `begin` then gives is done."""
        self._waiting += 1
        try:
            async with self._first:
                await begin()
        finally:
            self._waiting -= 1
