"""The machine's clock."""

from __future__ import annotations

import asyncio
import time


class SteadyClock:
    """`service.files.store.Clock`."""

    def __init__(self) -> None:
        self._last_date_ms = 0

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000

    def date_ms(self) -> int:
        """Milliseconds since the epoch, strictly increasing with each call."""
        self._last_date_ms = max(time.time_ns() // 1_000_000, self._last_date_ms + 1)
        return self._last_date_ms

    async def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""
        await asyncio.sleep(seconds)
