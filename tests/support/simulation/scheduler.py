"""The simulation's event loop: a seed determines what runs next, and time advances only when nothing can run.

Threads' work becomes steps of this loop. Some of it runs in one step; some pauses at each call of the disk
(`pause`), so that anything may happen in between.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import heapq
import threading
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from support.fakes.time import ManualClock

_numbers = count()


class _Task(asyncio.Task[Any]):
    """Makes the order of sets of tasks independent of memory addresses."""

    def __init__(self, *args: Any, number: int, **kwargs: Any) -> None:
        self._number = number
        super().__init__(*args, **kwargs)

    def __hash__(self) -> int:
        return self._number


class Scheduler(asyncio.BaseEventLoop):
    """Runs one callback at a time. `steps` counts callbacks and stretches of threads' work; `rests`, how
    often everyone waited for time to pass. `any_order`: run ready callbacks in any order, not first come,
    first served."""

    def __init__(self, random: Random, clock: ManualClock, *, any_order: bool) -> None:
        super().__init__()
        self.steps = 0
        self.rests = 0
        self._random = random
        self._clock = clock
        self._any_order = any_order
        self._count = count()
        self._runnable: list[asyncio.Handle] = []
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._world: list[tuple[float, int, Callable[[], object]]] = []
        self._jobs: list[_Job] = []
        self._running: _Job | None = None
        self._tasks: list[_Task] = []
        self._trace = hashlib.blake2b(digest_size=16)
        self.set_exception_handler(lambda *_: None)

    # --- what the world does ------------------------------------------------------------------------------

    def at(self, seconds: float, event: Callable[[], object]) -> None:
        """Schedule an event outside the server, which survives a crash of the server."""
        heapq.heappush(self._world, (self.time() + seconds, next(self._count), event))

    def note(self, what: str) -> None:
        """Add to the trace."""
        self._trace.update(f"{self.time():.6f} {what}\n".encode())

    @property
    def trace(self) -> str:
        """A hash of all that happened."""
        return self._trace.hexdigest()

    def step(self) -> bool:
        """Run one step; False if nothing will happen any more."""
        now = self.time()
        while self._timers and self._timers[0][0] <= now:
            self._runnable.append(heapq.heappop(self._timers)[2])
        outside = bool(self._world) and self._world[0][0] <= now
        if not self._runnable and not outside:
            return self._rest()
        self.steps += 1
        with self.running():
            if outside and (not self._runnable or self._random.random() < 0.2):
                heapq.heappop(self._world)[2]()
            else:
                chosen = self._random.randrange(len(self._runnable)) if self._any_order else 0
                handle = self._runnable.pop(chosen)
                if not handle.cancelled():
                    called = handle._callback  # type: ignore[attr-defined]
                    self._trace.update(getattr(called, "__qualname__", "").encode())
                    handle._run()
        return True

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Make this the running loop."""
        asyncio._set_running_loop(self)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)

    def _rest(self) -> bool:
        while self._timers and self._timers[0][2].cancelled():
            heapq.heappop(self._timers)
        due = [queue[0][0] for queue in (self._timers, self._world) if queue]
        if not due:
            return False
        self.rests += not any(job.is_under_way for job in self._jobs)
        self._clock.advance(max(min(due) - self.time(), 0))
        return True

    def kill(self) -> None:
        """The process dies: nothing of the server's continues. The disk is down meanwhile."""
        for job in self._jobs:
            job.finish()
        self._jobs.clear()
        with self.running():
            for task in self._tasks:
                while not task.done() and task.get_coro().cr_frame is not None:  # type: ignore[union-attr]
                    with contextlib.suppress(BaseException):
                        task.get_coro().close()
        self._tasks.clear()
        self._runnable.clear()
        self._timers.clear()

    # --- asyncio's part -----------------------------------------------------------------------------------

    def time(self) -> float:
        return self._clock.seconds

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override]
        handle = asyncio.Handle(callback, args, self, context)
        self._runnable.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._count), handle))
        return handle

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> _Task:
        task = _Task(coro, loop=self, name=name, context=context, number=next(self._count))
        self._tasks.append(task)
        return task

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """It is skipped when its time comes."""

    # --- threads ------------------------------------------------------------------------------------------

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        job = _Job(partial(func, *args), self.create_future(), in_thread=self._random.random() < 0.3)
        self._jobs.append(job)
        self._go_on(job)
        return job.done

    def pause(self) -> None:
        """Called by the disk: a thread's work pauses here until its next turn."""
        if self._running is not None and self._running.in_thread:
            self._running.pause()

    def _go_on(self, job: _Job) -> None:
        """Some calls of the disk take time."""
        delay = self._random.random() * 0.05 if self._random.random() < 0.3 else 0
        self.call_later(delay, self._advance, job)

    def _advance(self, job: _Job) -> None:
        self._running = job
        try:
            job.go_on()
        finally:
            self._running = None
        if job.is_under_way:
            self._go_on(job)
        else:
            self._jobs.remove(job)


class _Job:
    """The server's work in a thread."""

    def __init__(self, work: Callable[[], Any], done: asyncio.Future[Any], *, in_thread: bool) -> None:
        self.done = done
        self.in_thread = in_thread
        self.is_under_way = True
        self._work = work
        self._thread: threading.Thread | None = None
        self._turn = threading.Semaphore(0)
        self._stopped = threading.Semaphore(0)

    def go_on(self) -> None:
        """Run until the next pause, or to the end."""
        if not self.in_thread:
            self._do()
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._do, daemon=True)
            self._thread.start()
        else:
            self._turn.release()
        self._stopped.acquire()

    def pause(self) -> None:
        """Called in the thread."""
        self._stopped.release()
        self._turn.acquire()

    def finish(self) -> None:
        """No more pauses: the disk is down, and each of its calls raises."""
        while self._thread is not None and self.is_under_way:
            self.go_on()

    def _do(self) -> None:
        try:
            result = self._work()
        except BaseException as error:
            self._over(partial(self.done.set_exception, error))
        else:
            self._over(partial(self.done.set_result, result))

    def _over(self, tell: Callable[[], None]) -> None:
        self.is_under_way = False
        if not self.done.done():
            tell()
        if self.in_thread:
            self._stopped.release()
