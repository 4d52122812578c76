"""The machine's clock."""

import time

import pytest

from agentfs_lsp.adapters.clock import SteadyClock

HOUR_MS = 3_600_000


def test_a_date_is_the_clocks_also_once_it_has_been_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, told = SteadyClock(), [5 * HOUR_MS, 4 * HOUR_MS, 4 * HOUR_MS, -HOUR_MS]
    for now_ms, date_ms in zip(told, [*told[:3], 0], strict=True):
        with monkeypatch.context() as set_to:
            set_to.setattr(time, "time_ns", lambda now_ms=now_ms: now_ms * 1_000_000)
            assert clock.date_ms() == date_ms
