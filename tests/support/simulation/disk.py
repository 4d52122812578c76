"""The simulated disk: it fails and stops at random, and tells the oracle what the server writes."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import SystemFailed, SystemRefused
from support.fakes.store import HOME, Crash, File, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from agentfs_lsp.service.files.store import Location
    from support.fakes.store import Step
    from support.fakes.time import ManualClock

FAILURES: tuple[tuple[Step, int], ...] = (
    ("read", errno.EIO),
    ("stage", errno.ENOSPC),
    ("commit", errno.EACCES),
    ("swap", errno.ENOSPC),
    ("swap", errno.EIO),
    ("sync", errno.EIO),
    ("take_back", errno.EIO),
    ("journal", errno.ENOSPC),
)
"""Where the next call fails, and by what. A short write is ENOSPC by the time the port tells of it."""


class SimulatedStore(MemoryStore):
    """`wrote` is called with path, text before and text after for whatever the server changes."""

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
        self._is_cut = False
        self._volatile: dict[str, File | None] = {}

    def fail_next(self, random: Random) -> str:
        """The next call of one kind fails; of which, is told."""
        self._fails = random.choice(FAILURES)
        return f"{self._fails[0]}: {os.strerror(self._fails[1])}"

    @property
    def is_down(self) -> bool:
        return self._is_down

    def crash(self) -> None:
        """Every call from now on is made by nobody."""
        self._is_down = True

    def cut_power(self, random: Random) -> None:
        """What no sync has made durable is there or is not."""
        for absolute, old in list(self._volatile.items()):
            if random.random() < 0.5:
                self._set(absolute, old)
        self._volatile.clear()

    def forget(self, absolute: str) -> None:
        """Somebody else has written the file since."""
        self._volatile.pop(absolute, None)

    def _reach(self, step: Step, location: Location) -> None:
        self._pause()
        if self._is_down:
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
            del self._volatile[absolute]  # as it was
        path = absolute.removeprefix(f"{HOME}/")
        self._wrote(path, old.data.decode() if old else None, file.data.decode() if file else None)
