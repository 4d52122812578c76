"""The simulated disk: fails and pauses at random, and reports the server's writes to the oracle."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import SystemFailed, SystemRefused
from support.fakes.disk import HOME, File
from support.fakes.store import Crash, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from agentfs_lsp.service.files.store import Location, Recovered
    from support.fakes.store import Step
    from support.fakes.time import ManualClock

FAILURES: tuple[tuple[Step, int], ...] = (
    ("read", errno.EIO),
    ("stage", errno.ENOSPC),
    ("commit", errno.EACCES),
    ("swap", errno.ENOSPC),
    ("swap", errno.EIO),
    ("sync", errno.EIO),
    ("roll_back", errno.EIO),
    ("journal", errno.ENOSPC),
)
"""Where the next call may fail, and how. By the time the port reports it, a short write is ENOSPC."""


class SimulatedStore(MemoryStore):
    """Calls `wrote` with path, old and new text for each of the server's changes."""

    def __init__(
        self,
        clock: ManualClock,
        pause: Callable[[], None],
        wrote: Callable[[str, str | None, str | None], None],
    ) -> None:
        super().__init__(clock)
        self._pause = pause
        self._wrote = wrote
        self._fails: tuple[Step, int] | None = None
        self._dies: Callable[[], None] | None = None
        self._volatile: dict[str, File | None] = {}

    def fail_next(self, random: Random) -> str:
        """Make the next call of one kind fail; returns a description."""
        self._fails = random.choice(FAILURES)
        return f"{self._fails[0]}: {os.strerror(self._fails[1])}"

    def die_between_files(self, lost: Callable[[], None] | None) -> None:
        """At the next landing of several files, call `lost` when the first has changed, and be dead."""
        self._dies = lost

    @property
    def is_down(self) -> bool:
        return self._is_down

    def crash(self) -> None:
        """From now on, all calls are dead."""
        self._is_down = True

    def cut_power(self, random: Random) -> None:
        """Keep or lose at random what was not synced."""
        for absolute, old in list(self._volatile.items()):
            if random.random() < 0.5:
                self._set(absolute, old)
        self._volatile.clear()

    def sweep(self) -> list[Recovered]:
        self._pause()
        return super().sweep()

    def forget(self, absolute: str) -> None:
        """Another program has written the file since."""
        self._volatile.pop(absolute, None)

    def _reach(self, step: Step, location: Location) -> None:
        self._pause()
        if self._is_down:
            raise Crash
        if self._dies is not None and step == "swap" and self.half_landed():
            self._dies()
            self._dies = None
            self.crash()
            raise Crash
        if self._fails is not None and self._fails[0] == step:
            number, self._fails = self._fails[1], None
            kind = SystemRefused if number == errno.EACCES else SystemFailed
            raise kind(location.relative, "system", os.strerror(number))
        if step == "sync":
            self._volatile.pop(location.absolute, None)
        super()._reach(step, location)

    def _set(self, absolute: str, file: File | None) -> None:
        before = self._nodes.get(absolute)
        old = before if isinstance(before, File) else None
        super()._set(absolute, file)
        if self._volatile.setdefault(absolute, old) is file:
            del self._volatile[absolute]  # unchanged
        path = absolute.removeprefix(f"{HOME}/")
        self._wrote(path, old.data.decode() if old else None, file.data.decode() if file else None)
