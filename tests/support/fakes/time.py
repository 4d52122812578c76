"""Time that advances only when all tasks wait for it."""

import asyncio
import selectors
from collections.abc import Callable
from typing import Any

START_S = 1_700_000_000


class Stuck(AssertionError):
    """All tasks wait for something that will never happen."""


class ManualClock:
    """`service.files.store.Clock`, advanced by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._last_date_ms = 0

    def advance(self, seconds: float) -> None:
        self.seconds += seconds

    def now_ms(self) -> float:
        return self.seconds * 1000

    def date_ms(self) -> int:
        self._last_date_ms = max(int((START_S + self.seconds) * 1000), self._last_date_ms + 1)
        return self._last_date_ms

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Selector(selectors.SelectSelector):
    """Advances the clock instead of waiting for the loop's next timer."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise Stuck
        self._clock.advance(max(timeout, 0))
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop with its own clock. Runs threads' work as callbacks."""

    def __init__(self, clock: ManualClock | None = None) -> None:
        self.clock = clock or ManualClock()
        super().__init__(_Selector(self.clock))

    def time(self) -> float:
        return self.clock.seconds

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        done = self.create_future()
        self.call_soon(self._work, done, func, args)
        return done

    def _work(self, done: asyncio.Future[Any], func: Callable[..., Any], args: tuple[Any, ...]) -> None:
        if done.cancelled():
            return
        try:
            done.set_result(func(*args))
        except BaseException as error:
            done.set_exception(error)


async def settle() -> None:
    """Let every task run until it is blocked."""
    for _ in range(200):
        await asyncio.sleep(0)
