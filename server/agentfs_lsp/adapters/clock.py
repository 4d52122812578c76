"""The machine's clock as the use cases see it."""

from __future__ import annotations

import time


class SteadyClock:
    """`service.ports.Clock`."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""
        return time.monotonic() * 1000
