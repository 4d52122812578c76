"""Watch for an accepted change to arrive, in the open document and on disk.

Text sync may lag seconds behind what the client says, and more typing may follow immediately: so every
version is compared, not just the latest. After a close the document says nothing, and after a save it is not
the only witness, so the disk is checked too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Literal, Self

from agentfs_lsp.domain.errors import DomainError, Held
from agentfs_lsp.domain.splices import Splice, is_partly_made
from agentfs_lsp.domain.text.lines import lone_crs, normalize
from agentfs_lsp.service.files.documents import Document, Documents
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.files.store import Location, innermost
from agentfs_lsp.service.landing.holding import (
    brings_a_line,
    differences_at,
    formed_like,
    has_line,
    has_new_line,
    holds_all,
    holds_some,
    is_part,
    may_hold_all,
    new_lines,
    removed_places,
)
from agentfs_lsp.service.landing.last_line_end import landed_as
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.review import DocumentEdit
from agentfs_lsp.service.state.workspace import INLINE_BYTES, Workspace, off_loop


class Observation:
    """Watches one change's document while the context is open.

    `arrived`: some version held exactly the accepted text. `refused`: the client says it applied nothing.
    `outstanding`: the client has not answered in time, or not reported what it says it applied.
    `edited`, `version`: the document, and its version, that the last edit was sent for; another document
    follows if it is opened anew. `answer`: to that edit, see DocumentEdit.
    `every_version`: compare each version on arrival even if the document is large, which takes milliseconds
    on the event loop each time. Otherwise only those whose size has changed as the change, or one of its
    hunks, would change it: most keys do not cost a look at the text."""

    def __init__(self, documents: Documents, change: FileChange, *, every_version: bool = True) -> None:
        self._every_version = every_version or len(change.base.text.text) <= INLINE_BYTES
        self._deltas = _deltas(change.base.text.shown, change.hunks) if not self._every_version else ()
        base = change.base.text.shown
        self._base = normalize(base)
        self._may_be_misplaced = lone_crs(base) > 0
        self._size = len(base)
        self._documents = documents
        self._absolute = change.absolute
        self._event = asyncio.Event()
        self._ends = ExitStack()
        self._part: str | None = None
        self._seen_some = False
        self._latest: Document | None = None
        self._closed: Document | None = None
        self._was_on_disk = change.base.blob is not None
        self._saved_some = False
        self._copies: dict[str, Callable[[str], bool]] = {}
        self._since_undone: set[int] = set()
        self._changes_nothing = change.changes_nothing
        self.accept(change)
        self.arrived = False
        self.refused = False
        self.outstanding = False
        self.edited = self.document
        self.version: int | None = None
        self.answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def __enter__(self) -> Self:
        self._ends.callback(self._documents.watch(self._absolute, self._seen))
        self._ends.callback(self._documents.watch_texts(self._seen_text))
        self._seen()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()  # the callbacks reference this observation and its texts

    @property
    def document(self) -> Document | None:
        """The one that the change edits."""
        return self._documents.at(self._absolute, self.change.uri)

    def sending(self, edit: DocumentEdit) -> DocumentEdit:
        """The edit, which is about to be sent, with its `answer`."""
        self.edited, self.version = self.document, edit.version
        self.answer = asyncio.get_running_loop().create_future()
        return replace(edit, answer=self.answer)

    @property
    def says_applied(self) -> bool:
        """Whether the client says that it applied the last edit."""
        return self.answer.done() and self.answer.result()

    # --- what is there now --------------------------------------------------------------------------------

    async def is_in_document(self) -> bool:
        """Whether the current document holds, or may hold, part of the change."""
        document = self.document
        if document is None or not document.in_sync:
            return document is not None
        return await off_loop(len(document.text), self._is_in, document.text)

    @property
    def is_reported(self) -> bool:
        """Whether the client has reported any new version of the document, or closed it."""
        document = self.document
        return document is None or document is not self.edited or document.version != self.version

    async def holds_all(self) -> bool:
        """Whether the current document holds all that the change inserted, with edits elsewhere."""
        document = self.document
        if document is None or not document.in_sync or self._changes_nothing:
            return False
        return await off_loop(len(document.text), holds_all, self.change, document.text)

    async def held(self, ws: Workspace) -> tuple[Held, ...]:
        """Where part of the change is, or may be; empty if disk and document certainly hold none of it. If
        the disk can't be read, only the document could have brought there what was not landed."""
        path = self.change.path
        may_come = self.outstanding and self.document is not None
        found = [Held(path, "editor")] if may_come or await self.is_in_document() else []
        try:
            now = await ws.look_at_disk(self.change.base.location)
            is_on_disk = await off_loop(max(now.size, self.change.base.size), self._is_on_disk, now)
        except DomainError:
            is_on_disk = self._seen_some or not self.refused
        return (*found, Held(path, "disk")) if is_on_disk else tuple(found)

    async def held_elsewhere(self, ws: Workspace, session: str) -> tuple[Held, ...]:
        """Where part of the change is, or may be, if the file got another name, or its document leads to
        another file by now: in what the editor has there with the same text, if the session may know of that
        file, else "elsewhere"."""
        if self._closed is None and not self._saved_some:
            return ()
        found: dict[Held, None] = {}
        elsewhere = Held(self.change.path, "elsewhere")
        for absolute, holds in self._copies.items():
            location = innermost(absolute, ws.roots)
            is_told = location is not None and ws.judge("read", location, session).decision != "deny"
            for where in await self._where_in_copy(ws, absolute, location, holds):
                found[Held(ws.name_of(location), where) if location and is_told else elsewhere] = None
        if not found and (self.document is None or self._saved_some) and await self._is_gone(ws):
            closed, may_hold = self._closed, self._saved_some
            if closed is not None and not may_hold:
                may_hold = not closed.in_sync or await off_loop(len(closed.text), self._is_in, closed.text)
            if may_hold:
                found[elsewhere] = None
        return tuple(found)

    async def _where_in_copy(
        self, ws: Workspace, absolute: str, location: Location | None, holds: Callable[[str], bool]
    ) -> list[Literal["disk", "editor"]]:
        found: list[Literal["disk", "editor"]] = []
        document = self._documents.at(absolute)
        if document is not None:
            text = document.text
            if not document.in_sync or await off_loop(len(text), holds, text):
                found.append("editor")
        with suppress(DomainError):
            disk = (await ws.look_at_disk(location)).disk if location else None
            if disk is not None and await off_loop(len(disk.shown), holds, disk.shown):
                found.append("disk")
        return found

    async def _is_gone(self, ws: Workspace) -> bool:
        """Whether there is no file any more where there was one."""
        with suppress(DomainError):
            return self._was_on_disk and (await ws.look_at_disk(self.change.base.location)).blob is None
        return False

    def is_saved_in(self, text: str) -> bool:
        """Whether a saved text holds the change, or an edited or formatted version of it."""
        plain = normalize(text)
        if hash(plain) in self._since_undone:
            return self._shows_part(plain)
        return self.shows_some(plain) or holds_all(self.change, text) or holds_some(self.change, text)

    def _is_on_disk(self, now: Snapshot) -> bool:
        base = self.change.base
        if now.blob is None or now.disk is None:
            return self.change.operation == "delete" and base.exists
        if base.blob is not None and now.blob.data == base.blob.data:
            return False
        return self._is_in(now.disk.shown)

    def _is_in(self, text: str) -> bool:
        """Whether a text holds, or may hold, part of the change. A difference from the base at a changed
        place need not come from the change: a client that says it applied nothing is believed, unless part
        was seen. A change that changes nothing leaves no trace: the unchanged text only says that a session
        that may not read it guessed right."""
        plain = normalize(text)
        if self._changes_nothing:
            return False
        if hash(plain) in self._since_undone:
            return self._shows_part(plain)
        base = self.change.base.text.shown
        if self._shows_line(plain):
            return True
        text = formed_like(base, text)
        hunks = self.change.hunks
        touching = differences_at(base, text, removed_places(base, hunks))
        # Lines typed where the change only removes lines, all still there, do not come from it.
        if not any(splice.start < splice.end or hunks[at].text for at, splice in touching):
            return not self.refused and (has_new_line(self.change, text) or may_hold_all(self.change, text))
        return not self.refused or self._seen_some or is_part(text, base, self._accepted)

    def shows_some(self, text: str) -> bool:
        """Whether a text with LF line ends certainly holds part of the change."""
        if text == self._accepted or any(has_line(text, line) for line in self._lines):
            return True
        # An editor that does not end lines at a lone carriage return puts them behind the end of another.
        return self._may_be_misplaced and any(line in text and line not in self._base for line in self._lines)

    def _shows_line(self, text: str) -> bool:
        """The same, however many lines it has."""
        return self.shows_some(text) or brings_a_line(self.change, text)

    def _shows_part(self, text: str) -> bool:
        """The same, or the text has nothing else than part of the change."""
        return self._shows_line(text) or is_part(text, self._base, self._accepted)

    def _shows_some_of_it(self, text: str) -> bool:
        return self._shows_part(normalize(text))

    # --- waiting for it -----------------------------------------------------------------------------------

    async def arrival(self) -> None:
        """Wait for the accepted text."""
        while not self.arrived:
            await self.more()

    def see_applied(self) -> None:
        """The client says it applied the change: the only evidence if the change changes nothing, or nothing
        but a line end that the editor may have kept."""
        if not self.answer.done():  # a review client's is none
            self.answer.set_result(True)
        self._seen()

    async def any_of_it(self) -> FileChange:
        """Wait for the accepted text, perhaps edited elsewhere, or part of it; return the change made."""
        while not (self.arrived or await self.holds_all()):
            if self._part is not None and not self.arrived:
                return self.change.amended(self._part)
            await self.more()
        return self.change

    async def part_on_disk(self, ws: Workspace) -> FileChange | None:
        """As `any_of_it`, for what a document that was closed left on disk."""
        if self.document is not None:
            return None
        try:
            now = await ws.look_at_disk(self.change.base.location)
        except DomainError:
            return None
        text, base = now.disk.shown if now.disk else "", self.change.base.text.shown
        # A save may have restored a line end that the change removes.
        if text == base or not is_written(now, self.change):
            return None
        is_part = is_partly_made(formed_like(self.change.shown, text), base, self.change.hunks)
        return self.change.amended(text) if is_part else None

    def accept(self, change: FileChange) -> None:
        """The user took this much of the change, or the editor made this of it."""
        self.change = change
        self._accepted = normalize(change.shown)
        self._sizes = {len(self._accepted), len(self._accepted) + self._accepted.count("\n")}
        self._lines = new_lines(change)

    def expect_more(self) -> None:
        """Make `more` wait for the next event."""
        self._event.clear()

    @property
    def has_more(self) -> bool:
        """Whether `more` would return at once."""
        return self._event.is_set()

    async def more(self) -> None:
        """Wait for the next open, change, save or close."""
        await self._event.wait()
        self._event.clear()

    def _seen_text(self, absolute: str, document: Document) -> None:
        """Remember where else the editor has the very text of the change's document: it opens a file that was
        renamed with it, gives it to one that it has made or opened to save it under another name, and saves
        it where a link leads that was switched."""
        known = self._latest
        if known is None or document is self.document or not (document.in_sync and known.in_sync):
            return
        is_same = document.size == known.size and document.text == known.text
        may_be_accepted = not self.refused and document.size in self._sizes
        if is_same or (may_be_accepted and normalize(document.text) == self._accepted):
            # Many files have the same base: what is typed in another one need not come from the change.
            is_base = is_same and normalize(document.text) == self._base
            self._copies[absolute] = self._shows_some_of_it if is_base else self._is_in
            self._event.set()

    def _seen(self) -> None:
        document = self.document
        if document is not self._latest and self._latest is not None:
            self._closed = self._latest
        if document is not None:
            self._latest = document
            self._was_on_disk = self._was_on_disk or document.as_saved
        if document is not None and document.in_sync and self._may_hold_some(document):
            text = document.text
            plain = normalize(text)
            self._see_undone(plain)
            if not self.arrived and (self.says_applied or not self._changes_nothing):
                landed = landed_as(self.change, document, applied=self.says_applied)
                if landed is not None:
                    self.arrived = True
                    self.accept(landed)
            if not self.arrived and self._part is None:
                base = self.change.base.text.shown
                self._part = text if is_partly_made(text, base, self.change.hunks) else None
            self._seen_some = self._seen_some or self.arrived or self._part is not None
            self._seen_some = self._seen_some or self.shows_some(plain)
            if document.as_saved:
                self._saved_some = self._seen_some and hash(plain) not in self._since_undone
        self._event.set()

    def _see_undone(self, plain: str) -> None:
        """Remember the versions since the user undid the change: what is typed over its place from then on is
        not an edited version of it, as it would seem without the base in between. Large texts are compared
        with the change only when asked for, off the event loop: it takes half a second of 10 MB."""
        if not self._seen_some or not (self._since_undone or plain == self._base):
            return
        if (self._shows_part if len(plain) <= INLINE_BYTES else self.shows_some)(plain):
            self._since_undone.clear()
        else:
            self._since_undone.add(hash(plain))

    def _may_hold_some(self, document: Document) -> bool:
        if self._every_version:
            return True
        before, self._size = self._size, document.size
        return self._size - before in self._deltas


UNTICKED_S = 5.0
"""Seconds after the last file of a previewed change arrived in which the next must; else the user unticked
the rest."""


async def previewed(
    awaited: Iterable[Coroutine[None, None, FileChange | None]], limit_s: float
) -> list[FileChange | None]:
    """What arrives of the files of a preview, in order; None for a file that does not. The first must arrive
    within `limit_s`."""
    waiting = [asyncio.ensure_future(one) for one in awaited]
    loop = asyncio.get_running_loop()
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s) as patience:
                for arriving in asyncio.as_completed(waiting):
                    await arriving
                    patience.reschedule(loop.time() + min(UNTICKED_S, limit_s))
        return [one.result() if one.done() else None for one in waiting]
    finally:
        for one in waiting:
            one.cancel()


MAX_LOOKS = 8
"""Maximum number of checks while the user keeps typing, so that the answer is not delayed for ever."""


class Watch(ExitStack):
    """The observations of one proposal; they end with the context."""

    def __init__(self, ws: Workspace, session: str) -> None:
        super().__init__()
        self._ws = ws
        self._session = session
        self._observations: list[Observation] = []

    def add(self, change: FileChange, *, every_version: bool = True) -> Observation:
        """Start observing a change; for `every_version` see Observation."""
        observation = Observation(self._ws.documents, change, every_version=every_version)
        self.enter_context(observation)
        self._observations.append(observation)
        return observation

    @property
    def outstanding(self) -> list[Observation]:
        """Those of changes that the client may still apply or report."""
        return [one for one in self._observations if one.outstanding]

    async def held(self) -> Mapping[str, tuple[Held, ...]]:
        """Where part of the observed changes is, or may be, by real absolute path. Consistent across files:
        one that moved while others were checked is checked again. Cancellation does not cut this short,
        because answering that nothing changed must not be a guess."""
        while True:
            with suppress(asyncio.CancelledError):  # raised at most once
                return await self._held()

    async def _held(self) -> Mapping[str, tuple[Held, ...]]:
        found: dict[Observation, tuple[Held, ...]] = {}
        own = {observation.change.path for observation in self._observations}
        looking = self._observations
        for _ in range(MAX_LOOKS):
            for observation in looking:
                observation.expect_more()
                elsewhere = await observation.held_elsewhere(self._ws, self._session)
                others = (one for one in elsewhere if one.where == "elsewhere" or one.path not in own)
                found[observation] = (*await observation.held(self._ws), *others)
            looking = [observation for observation in self._observations if observation.has_more]
            if not looking:
                break
        by_file: dict[str, dict[Held, None]] = {}
        for observation, held in found.items():
            by_file.setdefault(observation.change.absolute, {}).update(dict.fromkeys(held))
        return {absolute: tuple(held) for absolute, held in by_file.items()}


def _deltas(base: str, hunks: Sequence[Splice]) -> Collection[int]:
    """By how much a text grows in which all hunks are applied, or one, in its own line ends or LF."""
    grown = []
    for of in (str, normalize):
        each = [len(of(hunk.text)) - len(of(base[hunk.start : hunk.end])) for hunk in hunks]
        grown += [sum(each), *each]
    return frozenset(grown)


def is_written(now: Snapshot, change: FileChange) -> bool:
    """Whether the file was written since the change was computed."""
    base = change.base.blob
    if base is None or now.blob is None:
        return now.blob is not base
    return now.blob.stat.mtime_ms != base.stat.mtime_ms or now.blob.data != base.data
