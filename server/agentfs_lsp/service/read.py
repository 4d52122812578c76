"""agentfs/read: a file's text, as the editor sees it (docs/protocol.md#5-agentfsread)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from threading import Event
from typing import Literal, NamedTuple

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.errors import (
    BadRange,
    BinaryFile,
    FileMissing,
    PolicyDenied,
    ReadRejected,
    TooLarge,
    TooManyPending,
    error_access,
)
from agentfs_lsp.domain.paths import PathMode
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.domain.text.likely_encoding import likely_encoding
from agentfs_lsp.domain.text.lines import count_lines, line_start, offset_of_line
from agentfs_lsp.domain.text.textfile import Eol, eol_of, mark_of
from agentfs_lsp.service.files.snapshot import Buffer, Snapshot, Source
from agentfs_lsp.service.files.store import Location
from agentfs_lsp.service.state.workspace import INLINE_BYTES, Workspace, in_thread, is_small
from agentfs_lsp.service.timing import UNTIMED, Timing

_BYTES_OF_A_CHARACTER = 4
"""The maximum in any encoding."""


class Read(NamedTuple):
    """The lines to read: `limit` lines from the 1-based `start_line` (0: all; None: as many as the settings
    `limits.read_lines` and `limits.read_chars` allow)."""

    path: str
    session: str
    agent: str = ""
    start_line: int = 1
    limit: int | None = None
    paths: PathMode | None = None
    """Which spellings of `path` are allowed; None: as the settings say."""
    timing: Timing = UNTIMED

    @property
    def is_range(self) -> bool:
        """Whether only part of the file is requested."""
        return self.start_line > 1 or bool(self.limit)


class Passage(NamedTuple):
    """The result. Sizes in bytes and code points, times in ms. If the file was too large to load,
    `total_lines` and `hash` are None, and `eol` is that of the range. `lossy`: U+FFFD stands for undecodable
    bytes."""

    access: Access
    content: str
    start_line: int
    lines: int
    truncated: bool
    source: Literal["editor", "disk"]
    dirty: bool
    bom: bool
    lossy: bool
    encoding: str
    final_newline: bool
    eol: Eol
    hash: str | None
    total_lines: int | None
    size_bytes: int | None
    mtime_ms: int | None
    likely_encoding: str | None = None
    """the probable encoding of a lossy file"""


Begin = Callable[[], Awaitable[Passage]]
"""A slow read, not started yet: cancelling it first has no effect to undo."""


def read(ws: Workspace, command: Read) -> Passage | Begin:
    """Read small files at once; for the rest, return a coroutine function to await. Raises FileMissing,
    BadRange, TooLarge, BinaryFile and what policy, the user, resolving, and reading raise."""
    with command.timing.phase("resolve"):
        location = ws.locate(command.path, command.paths, operation="read")
    access = Access(ws.name_of(location), location.absolute)
    with error_access(access):
        asks = _must_ask(ws, access.path, location, command.session)
        if ws.is_interrupted(location):
            begin: Begin = partial(_once_recovered, ws, command, location)
        elif asks:
            begin = partial(_ask_and_read, ws, command, access.path, location)
        else:
            passage = _read_or_begin(ws, command, access.path, location)
            if isinstance(passage, Passage):
                return passage
            begin = passage
    return partial(_with_access, access, begin)


# --- may it be read? (docs/protocol.md#13-settings-and-policy) ---------------------------------------------


def _must_ask(ws: Workspace, path: str, location: Location, session: str) -> bool:
    """Whether the user is asked before the file is read. Raises PolicyDenied."""
    verdict = ws.judge("read", location, session)
    if verdict.decision == "deny":
        raise PolicyDenied(path, "read", verdict.rule or "")
    return verdict.decision == "ask"


async def _ask(ws: Workspace, path: str, location: Location, session: str, agent: str) -> None:
    """Ask the user. Raises TooManyPending, ReadRejected, NobodyToAsk, ReviewTimedOut, PolicyDenied, and what
    resolving raises."""
    absolute, limit = location.absolute, ws.settings.limits.pending_per_session
    async with ws.queue.turn(f"read {session} {absolute}"):  # a no counts for the next one
        # The folder, the file, and the settings may have changed while this waited.
        if ws.resolve(location, "read").absolute != absolute:
            raise FileMissing(path)
        if not _must_ask(ws, path, location, session):
            return
        ws.refusals.check(session, absolute, path)
        if ws.reads_asked[session] >= limit:
            raise TooManyPending(limit, reads=True)
        ws.reads_asked[session] += 1
        asked = asyncio.Event()
        try:
            if not await ws.reviewer.allow_read(path, agent, asked.set):
                raise ReadRejected(path, ws.refusals.add(session, absolute))
        except asyncio.CancelledError:
            if asked.is_set():  # or cancelling would get round the wait
                ws.refusals.add(session, absolute, cancelled=True)
            raise
        finally:
            ws.reads_asked -= Counter((session,))  # drops what is zero
    _must_ask(ws, path, location, session)  # the settings may have changed meanwhile


# --- reading ----------------------------------------------------------------------------------------------


async def _with_access(access: Access, begin: Begin) -> Passage:
    with error_access(access):
        return await begin()


async def _once_recovered(ws: Workspace, command: Read, location: Location) -> Passage:
    await ws.wait_for_recovery(location)
    passage = read(ws, command)  # start over: everything may have changed meanwhile
    return passage if isinstance(passage, Passage) else await passage()


async def _ask_and_read(ws: Workspace, command: Read, path: str, location: Location) -> Passage:
    with command.timing.phase("review"):
        await _ask(ws, path, location, command.session, command.agent)
    served = _read_or_begin(ws, command, path, location)
    return served if isinstance(served, Passage) else await served()


def _read_or_begin(ws: Workspace, command: Read, path: str, location: Location) -> Passage | Begin:
    buffer = ws.buffer_of(location)
    if is_small(buffer):
        at_most = min(INLINE_BYTES, ws.settings_in(location.root).limits.max_file_bytes)
        try:
            with command.timing.phase("read"):
                read_whole = _read_whole(ws, command, path, location, buffer, at_most)
            return _record_read(ws, command, *read_whole)
        except TooLarge:
            pass
    return partial(_read_slowly, ws, command, path, location, buffer)


async def _read_slowly(
    ws: Workspace, command: Read, path: str, location: Location, buffer: Buffer | None
) -> Passage:
    with command.timing.phase("read"):
        return await _read_in_thread(ws, command, path, location, buffer)


async def _read_in_thread(
    ws: Workspace, command: Read, path: str, location: Location, buffer: Buffer | None
) -> Passage:
    limit = ws.settings_in(location.root).limits.max_file_bytes
    try:
        async with ws.loads:
            read_whole = await in_thread(_read_whole, ws, command, path, location, buffer, limit)
    except TooLarge as too_large:
        if not command.is_range:
            raise
        if buffer is None:
            stop = Event()
            async with ws.scans:
                return await in_thread(_read_range, ws, command, path, location, stop.is_set, stop=stop.set)
        # The editor's text is already in memory, so the file fits as well, unless it has grown.
        fitting = _BYTES_OF_A_CHARACTER * (len(buffer.text) + 1)
        try:
            async with ws.loads:
                read_whole = await in_thread(_read_whole, ws, command, path, location, buffer, fitting)
        except TooLarge:
            raise too_large from None
    return _record_read(ws, command, *read_whole)


def _read_whole(
    ws: Workspace, command: Read, path: str, location: Location, buffer: Buffer | None, max_bytes: int
) -> tuple[Passage | None, Snapshot]:
    """The passage, or None if the file doesn't exist."""
    source = ws.source_of(location)
    snapshot = source.look(buffer, max_bytes)
    return _passage(command, path, snapshot, source) if snapshot.exists else None, snapshot


def _record_read(ws: Workspace, command: Read, passage: Passage | None, snapshot: Snapshot) -> Passage:
    absolute = snapshot.location.absolute
    if passage is None:
        ws.sessions.forget(command.session, absolute)
        raise FileMissing(ws.name_of(snapshot.location))
    text, in_editor = snapshot.text.shown, snapshot.dirty
    ws.sessions.record(command.session, absolute, snapshot.revision, text, in_editor=in_editor)
    return passage


def _passage(command: Read, path: str, snapshot: Snapshot, source: Source) -> Passage:
    shown, total = snapshot.text.shown, snapshot.text.total_lines
    if snapshot.buffer is not None and "\0" in shown:
        raise BinaryFile(path)
    if command.start_line > max(total, 1):
        raise BadRange(command.start_line, total)
    start = offset_of_line(shown, command.start_line)
    end = _end_of_range(shown, start, command, source.settings)
    content = shown if (start, end) == (0, len(shown)) else shown[start:end]
    stat = snapshot.blob.stat if snapshot.blob else None
    likely = None
    if snapshot.blob and _is_lossy(snapshot):
        likely = source.likely_encoding(snapshot.blob.data, snapshot.text, snapshot.hash)
    return Passage(
        _full_access(path, snapshot.location),
        content,
        command.start_line,
        total if content is shown else count_lines(content),
        end < len(shown),
        "editor" if snapshot.buffer else "disk",
        snapshot.dirty,
        bool(snapshot.text.bom),
        snapshot.opened_in_wrong_encoding if snapshot.buffer else _is_lossy(snapshot),
        snapshot.text.encoding,
        snapshot.text.line_ends.final,
        snapshot.text.line_ends.kind,
        snapshot.hash,
        total,
        stat.size if stat else None,
        stat.mtime_ms if stat else None,
        likely,
    )


def _full_access(path: str, location: Location) -> Access:
    return Access(path, location.absolute, readable=True, seen=True)


def _is_lossy(snapshot: Snapshot) -> bool:
    """Whether U+FFFD stands for undecodable bytes on disk."""
    return snapshot.buffer is None and snapshot.text.lossy


def _end_of_range(shown: str, start: int, command: Read, settings: Settings) -> int:
    """Where the requested lines end. Without an explicit `limit`, characters are limited too."""
    lines = settings.limits.read_lines if command.limit is None else command.limit
    end = offset_of_line(shown, command.start_line + lines) if lines else len(shown)
    return end if command.limit is not None else _limit_characters(shown, start, end, settings)


def _limit_characters(shown: str, start: int, end: int, settings: Settings) -> int:
    """`end`, or the last line end within the character limit; a longer line is cut."""
    most = start + settings.limits.read_chars
    if end <= most:
        return end
    whole = line_start(shown, most)
    if whole > start:
        return whole
    cuts_line_end = shown[most - 1 : most + 1] == "\r\n"
    return most - 1 if cuts_line_end and most - 1 > start else most


def _read_range(
    ws: Workspace, command: Read, path: str, location: Location, stopped: Callable[[], bool]
) -> Passage:
    """Read a range of a file too large to load; finding it may take minutes, unless `stopped`."""
    source = ws.source_of(location)
    settings, limits = source.settings, source.settings.limits
    lines, most = command.limit, limits.max_file_bytes
    if lines is None:
        lines, most = limits.read_lines, min(most, _BYTES_OF_A_CHARACTER * limits.read_chars)
    found = ws.files.read_lines(location, command.start_line, lines, most, stopped)
    text = source.as_text(mark_of(found.head) + found.data)
    if text.encoding.startswith(("utf-16", "utf-32")) and not text.bom:
        raise BinaryFile(path)  # line ends of several bytes, but no mark to say so
    shown = text.shown
    end = len(shown) if command.limit is not None else _limit_characters(shown, 0, len(shown), settings)
    content = shown[:end]
    return Passage(
        _full_access(path, location),
        content,
        command.start_line,
        found.lines if end == len(shown) else count_lines(content),
        found.more or end < len(shown),
        "disk",
        dirty=False,
        bom=bool(text.bom),
        lossy=text.lossy,
        encoding=text.encoding,
        final_newline=found.tail.decode(text.encoding, "replace").endswith(("\n", "\r")),
        eol=eol_of(content),
        hash=None,
        total_lines=None,
        size_bytes=found.stat.size,
        mtime_ms=found.stat.mtime_ms,
        likely_encoding=likely_encoding(found.data, text) if text.lossy else None,
    )
