"""Changes to one file run one at a time (docs/protocol.md#8-lock); different files run in parallel."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FileQueue:
    """A waiting line for each file that is being changed; idle files have none.

    A change of several files enters all their lines at once and runs when it is first in each. Whoever came
    earlier is ahead in every shared line, so there are no deadlocks and no overtaking.

    `finding`: held while a change looks for its files, before it enters: that of a large batch takes a while,
    and later changes must not enter ahead of it."""

    def __init__(self) -> None:
        self.finding = asyncio.Lock()
        self._lines: dict[str, deque[_Ticket]] = {}

    @asynccontextmanager
    async def turn(self, *absolutes: str) -> AsyncIterator[None]:
        """Wait for the turn of all these files, and hold it."""
        ticket = _Ticket()
        files = dict.fromkeys(absolutes)
        for absolute in files:
            line = self._lines.setdefault(absolute, deque())
            ticket.behind += bool(line)
            line.append(ticket)
        try:
            if ticket.behind:
                await ticket.called.wait()
            yield
        finally:
            for absolute in files:
                self._leave(absolute, ticket)

    def _leave(self, absolute: str, ticket: _Ticket) -> None:
        line = self._lines[absolute]
        was_first = line[0] is ticket
        line.remove(ticket)
        if not line:
            del self._lines[absolute]
        elif was_first:
            line[0].step_up()


class _Ticket:
    """A place in the lines. `behind`: in how many of them someone is ahead."""

    def __init__(self) -> None:
        self.behind = 0
        self.called = asyncio.Event()

    def step_up(self) -> None:
        self.behind -= 1
        if not self.behind:
            self.called.set()
