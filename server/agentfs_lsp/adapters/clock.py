"""The machine's clock."""

from __future__ import annotations

import asyncio
import time


class SteadyClock:
    """`service.files.store.Clock`."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000

    def date_ms(self) -> int:
        """Milliseconds since the epoch, by the machine's clock, which may be set back; at least 0."""
        return max(time.time_ns() // 1_000_000, 0)

    async def sleep(self, seconds: float) -> None:
        """Wait for this many seconds."""
        await asyncio.sleep(seconds)
