"""Changes to one file, one after the other (docs/protocol.md#8-lock). Different files go side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class FileQueue:
    """A line for each file that somebody is changing or waits to change; nothing is kept of the others.

    Whoever changes several files stands in all their lines from the moment they come, and goes when they are
    first in each. So whoever came earlier is ahead in every line they share: nobody waits in a circle, and
    nobody is overtaken.
    """

    def __init__(self) -> None:
        self._lines: dict[str, deque[_Ticket]] = {}

    @asynccontextmanager
    async def turn(self, *absolutes: str) -> AsyncIterator[None]:
        """Wait for the turn of all these files at once, and hold it."""
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
    """A place in the lines. `behind`: in how many of them somebody is ahead."""

    def __init__(self) -> None:
        self.behind = 0
        self.called = asyncio.Event()

    def step_up(self) -> None:
        self.behind -= 1
        if not self.behind:
            self.called.set()
