"""Watching an open document for an edit to arrive.

The text sync can lag behind what a client says by seconds, and more typing may follow at once: so every
version that comes in is compared, not only the last.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from agentfs_lsp.domain.eols import splices_towards
from agentfs_lsp.domain.lines import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.ports import Documents


class Observation:
    """Looks at a change's document from the moment it is entered.

    `arrived`: some version held exactly the accepted text. `moved`: the text is no longer the base's.
    """

    def __init__(self, documents: Documents, change: FileChange) -> None:
        self._documents = documents
        self._absolute = change.base.location.absolute
        self._change = change
        self._base = normalise(change.base.text.shown)
        self._accepted = normalise(change.shown)
        self._event = asyncio.Event()
        self._end: Callable[[], None] | None = None
        self.arrived = False
        self.moved = False

    def __enter__(self) -> Self:
        self._end = self._documents.watch(self._absolute, self._seen)
        self._seen()
        return self

    def __exit__(self, *_: object) -> None:
        if self._end is not None:
            self._end()

    @property
    def left_alone(self) -> bool:
        """Whether the document as it is now still holds the base's lines wherever the change would have
        replaced some: then the edit is not in it."""
        document = self._documents.at(self._absolute)
        if document is None:
            return True
        base = self._change.base.text.text
        return not any(
            theirs.start <= ours.end and ours.start <= theirs.end
            for theirs in splices_towards(base, document.text)
            for ours in self._change.hunks
        )

    async def arrival(self) -> None:
        """Wait for the accepted text."""
        while not self.arrived:
            await self.more()

    async def any_move(self) -> None:
        """Wait for any text but the base's."""
        while not self.moved:
            await self.more()

    def expect_more(self) -> None:
        """From here on `more` waits for what comes next."""
        self._event.clear()

    async def more(self) -> None:
        """Wait for the next open, change, save or close."""
        await self._event.wait()
        self._event.clear()

    def _seen(self) -> None:
        document = self._documents.at(self._absolute)
        if document is not None:
            text = normalise(document.text)
            self.arrived = self.arrived or text == self._accepted
            self.moved = text != self._base
        self._event.set()
