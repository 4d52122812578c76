"""Watching an open document for an edit to arrive.

The text sync can lag behind what a client says by seconds, and more typing may follow at once: so every
version that comes in is compared, not only the last.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from agentfs_lsp.domain.change import apply_splices, is_partly_made
from agentfs_lsp.domain.eols import splices_towards
from agentfs_lsp.domain.lines import normalise
from agentfs_lsp.service.editor_ports import DocumentEdit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentfs_lsp.domain.change import Splice
    from agentfs_lsp.service.change import FileChange
    from agentfs_lsp.service.editor_ports import Document, Documents


class Observation:
    """Looks at a change's document from the moment it is entered.

    `arrived`: some version held exactly the accepted text.
    """

    def __init__(self, documents: Documents, change: FileChange) -> None:
        self._documents = documents
        self._absolute = change.base.location.absolute
        self.change = change
        self._accepted = normalise(change.shown)
        self._event = asyncio.Event()
        self._end: Callable[[], None] | None = None
        self._part: str | None = None
        self.arrived = False

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
        replaced some: then nothing of the edit is in it."""
        document = self._documents.at(self._absolute)
        if document is None:
            return True
        places = [(hunk.start, hunk.end) for hunk in self.change.hunks]
        return document.in_sync and _untouched(self.change.base.text.shown, document.text, places)

    @property
    def holds_all(self) -> bool:
        """Whether the document as it is now holds all that the change put in, with typing elsewhere."""
        document = self._documents.at(self._absolute)
        if document is None or not document.in_sync:
            return False
        return _untouched(self.change.shown, document.text, _put_in(self.change.hunks))

    async def arrival(self) -> None:
        """Wait for the accepted text."""
        while not self.arrived:
            await self.more()

    async def departure(self) -> None:
        """Wait until nothing of the change is in the document."""
        while not self.left_alone:
            await self.more()

    async def any_of_it(self) -> str | None:
        """Wait for the accepted text, or for one with a part of the change, which is given."""
        while not self.arrived and self._part is None:
            await self.more()
        return None if self.arrived else self._part

    def accept_part(self, text: str | None) -> None:
        """The user took no more of the change than makes the document read `text`; None: all of it."""
        if text is not None:
            self.change = self.change.amended(text)

    @property
    def edit(self) -> DocumentEdit:
        """What the client is to apply."""
        return edit_of(self.change)

    def reversal(self) -> DocumentEdit | None:
        """See `reversal`."""
        return reversal(self.edit, self._documents.at(self._absolute))

    def expect_more(self) -> None:
        """From here on `more` waits for what comes next."""
        self._event.clear()

    async def more(self) -> None:
        """Wait for the next open, change, save or close."""
        await self._event.wait()
        self._event.clear()

    def _seen(self) -> None:
        document = self._documents.at(self._absolute)
        if document is not None and document.in_sync:
            text = document.text
            self.arrived = self.arrived or normalise(text) == self._accepted
            if not self.arrived and self._part is None:
                base = self.change.base.text.shown
                self._part = text if is_partly_made(text, base, self.change.hunks) else None
        self._event.set()


def edit_of(change: FileChange) -> DocumentEdit:
    """A change's pieces, for the document if the file is open, else for the file."""
    buffer = change.base.buffer
    uri = buffer.uri if buffer else change.base.location.uri
    return DocumentEdit(uri, buffer.version if buffer else None, change.base.text.shown, change.hunks)


def reversal(edit: DocumentEdit, document: Document | None) -> DocumentEdit | None:
    """What undoes an edit in its document, where the edit is all that was done in it."""
    accepted = apply_splices(edit.base, edit.splices)
    if document is None or not document.in_sync or normalise(document.text) != normalise(accepted):
        return None
    back = splices_towards(document.text, edit.base)
    return DocumentEdit(document.uri, document.version, document.text, back)


_Places = list[tuple[int, int]]


def _put_in(hunks: Sequence[Splice]) -> _Places:
    """Where the hunks' texts are once all are made."""
    places: _Places = []
    shift = 0
    for hunk in hunks:
        start = hunk.start + shift
        places.append((start, start + len(hunk.text)))
        shift += len(hunk.text) - (hunk.end - hunk.start)
    return places


def _untouched(old: str, new: str, places: _Places) -> bool:
    """Whether `new` differs from `old` at none of the places, which are in order."""
    at = 0
    for splice in splices_towards(old, new):
        while at < len(places) and places[at][1] < splice.start:
            at += 1
        if at < len(places) and places[at][0] <= splice.end:
            return False
    return True
