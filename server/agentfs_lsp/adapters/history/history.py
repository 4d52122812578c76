"""The port `History`: changes that landed, in the user's state folder, one file per workspace folder.

Recording never waits: a thread writes soon afterwards, and pending changes are written before a query or
the shutdown. Nothing here makes a landing fail: a damaged file is set aside and a new one started, a
change that cannot be written is dropped, and the user is informed of both.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import TypeVar

from agentfs_lsp.adapters.fs.os_errors import system_error
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.database import HistoryDatabase, UnknownVersion
from agentfs_lsp.adapters.history.rows import Damaged
from agentfs_lsp.domain.errors import DomainError, SystemFailed
from agentfs_lsp.domain.settings.groups import MIB, HistorySettings
from agentfs_lsp.service.proposal.record import HistoryQuery, HistoryRecord, HistoryTrouble, Save

T = TypeVar("T")

_log = logging.getLogger(__name__)

QUIET_S, LATEST_S = 0.1, 1.0
"""Write once no change has come for QUIET_S seconds, after LATEST_S at most: compression competes with
landings that follow at once."""

WAITING_BYTES = 128 * MIB
"""While this many bytes wait, new changes are stored without their texts, to bound memory."""

_DAY_MS = 24 * 3600 * 1000
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_SUFFIXES = ("", "-wal", "-shm")


class SqliteHistory:
    """Thread-safe. `settings` None: no limits, for commands that know none."""

    def __init__(self, state: StateFolder, settings: HistorySettings | None = None) -> None:
        self._state = state
        self._settings = settings
        self._told: Callable[[HistoryTrouble, str], None] = lambda *_: None
        self._waiting: deque[tuple[int, Callable[[], HistoryRecord]]] = deque()
        self._waiting_bytes = 0
        self._saves: deque[tuple[str, str, str, Save]] = deque()  # change, root, path
        self._databases: dict[str, HistoryDatabase] = {}
        self._in_turn = threading.Lock()  # its holder may use the databases
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._writer: threading.Thread | None = None
        self._in_trouble: set[str] = set()

    def configure(self, settings: HistorySettings) -> None:
        """Apply new limits with the next change."""
        self._settings = settings

    def on_trouble(self, told: Callable[[HistoryTrouble, str], None]) -> None:
        self._told = told

    # --- keeping ------------------------------------------------------------------------------------------

    def keep(self, size: int, make: Callable[[], HistoryRecord]) -> None:
        if self._waiting_bytes + size > WAITING_BYTES:
            make = _without_texts(make())
            size = 0
        self._waiting_bytes += size
        self._waiting.append((size, make))
        self._write_soon()

    def note_save(self, change_id: str, root: str, relative: str, save: Save) -> None:
        size = len(save.text or "")
        if self._waiting_bytes + size > WAITING_BYTES:
            save, size = save._replace(text=None), 0
        self._waiting_bytes += size
        self._saves.append((change_id, root, relative, save))
        self._write_soon()

    def _write_soon(self) -> None:
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_behind, name="agentfs-history", daemon=True)
            self._writer.start()
        self._wake.set()

    def _write_behind(self) -> None:
        while not self._closing.is_set():
            self._wake.wait()
            latest = time.monotonic() + LATEST_S
            while (
                self._wake.is_set()
                and not self._closing.is_set()
                and time.monotonic() < latest
                and self._waiting_bytes < WAITING_BYTES // 4
            ):
                self._wake.clear()
                self._closing.wait(QUIET_S)
            with self._in_turn:
                self._write()

    def close(self) -> None:
        self._closing.set()
        self._wake.set()
        if self._writer is not None:
            self._writer.join()
        with self._in_turn:
            self._write()
            for root in list(self._databases):
                self._close(root)

    def _write(self) -> None:
        """Write everything that waits, in one transaction per folder."""
        saves = self._taken_saves()  # before the changes: each comes after its own
        changes = []
        while self._waiting:
            size, make = self._waiting.popleft()
            self._waiting_bytes -= size
            try:
                changes.append(make())
            except Exception as error:  # noqa: BLE001 - a defect in one change must not be the next one's
                _log.error("a change could not be kept: %s", type(error).__name__)
        roots = dict.fromkeys(file.root for change in changes for file in change.files)
        if roots:
            changes = self._in_order(changes, {**roots, **self._databases})
        for root in roots:
            of_it = [change for change in changes if any(file.root == root for file in change.files)]
            try:
                self._with(root, partial(self._add, of_it))
            except DomainError as error:
                self._report("unwritten", getattr(error, "path", root), root)
            else:
                self._in_trouble.discard(root)
        for change_id, root, relative, save in saves:
            with suppress(DomainError):  # less is known of the change then
                self._with(root, partial(self._note, change_id, relative, save))

    def _taken_saves(self) -> list[tuple[str, str, str, Save]]:
        taken = []
        while self._saves:
            taken.append(self._saves.popleft())
            self._waiting_bytes -= len(taken[-1][-1].text or "")
        return taken

    def _note(self, change_id: str, relative: str, save: Save, database: HistoryDatabase) -> None:
        database.note_save(change_id, relative, save, self._max_bytes(), self._oldest_ms())

    def _in_order(self, changes: Iterable[HistoryRecord], roots: Iterable[str]) -> list[HistoryRecord]:
        """The changes, each sorted behind the one before, and all behind those in these folders: if the clock
        was ahead once, what landed then would be listed as the newest, and be the last to be deleted."""
        newest_ms = -1
        for root in roots:
            with suppress(DomainError):  # writing to it reports that
                newest_ms = max(newest_ms, self._with(root, HistoryDatabase.newest_ms))
        sorted_behind = []
        for change in changes:
            sorted_behind.append(change.after(newest_ms))
            newest_ms = sorted_behind[-1].order[0]
        return sorted_behind

    def _add(self, changes: Iterable[HistoryRecord], database: HistoryDatabase) -> None:
        database.add(changes, self._max_bytes(), self._oldest_ms())

    def _max_bytes(self) -> int | None:
        return self._settings.max_mib * MIB if self._settings else None

    # --- finding ------------------------------------------------------------------------------------------

    def find(self, roots: Sequence[str], wanted: HistoryQuery) -> list[HistoryRecord]:
        found: dict[str, HistoryRecord] = {}
        with self._in_turn:
            self._write()
            for root in roots:
                if wanted.path_in(root) is None or not self.knows(root):
                    continue
                for change in self._with(root, lambda one: one.find(wanted, self._oldest_ms())):
                    before = found[change.id].files if change.id in found else ()
                    found[change.id] = change._replace(files=(*before, *change.files))
        newest = sorted(found.values(), key=lambda change: change.order, reverse=True)
        return newest[: wanted.limit]

    def _oldest_ms(self) -> int:
        return int(time.time() * 1000) - self._settings.max_days * _DAY_MS if self._settings else 0

    # --- files --------------------------------------------------------------------------------------------

    def _path(self, root: str) -> str:
        name = sha256(os.fsencode(root)).hexdigest()[:32]
        return os.path.join(self._state.path, "history", f"{name}.sqlite3")

    def knows(self, root: str) -> bool:
        """Whether there is a history for the folder with this real path."""
        return root in self._databases or os.path.exists(self._path(root))

    def _with(self, root: str, work: Callable[[HistoryDatabase], T]) -> T:
        """Do the work on a folder's database; if that is damaged, once more on a new one. Raises
        SystemFailed."""
        try:
            try:
                return work(self._opened(root))
            except (sqlite3.DatabaseError, Damaged, UnicodeDecodeError) as error:
                if not _is_damage(error):
                    raise
                _log.warning("the history is damaged: %s", getattr(error, "sqlite_errorname", "not whole"))
                self._set_aside(root)
                return work(self._opened(root))
        except UnknownVersion:
            raise SystemFailed(self._path(root), "later_version") from None
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", type(error).__name__)
            raise SystemFailed(self._path(root), "system", name) from error
        except OSError as error:
            raise system_error(error, self._path(root)) from error

    def _opened(self, root: str) -> HistoryDatabase:
        known = self._databases.get(root)
        if known is not None and not known.in_place:  # set aside by another server, or deleted by the user
            self._close(root)
            known = None
        if known is None:
            self._state.ensure("history")
            known = self._databases[root] = HistoryDatabase(self._path(root), root)
        return known

    def _close(self, root: str) -> None:
        known = self._databases.pop(root, None)
        if known is not None:
            with suppress(sqlite3.Error):
                known.close()

    def _set_aside(self, root: str) -> None:
        """Move the damaged file away; keeps only the latest one."""
        self._close(root)
        path = self._path(root)
        for suffix in _SUFFIXES:
            with suppress(FileNotFoundError):
                os.replace(path + suffix, f"{path}.damaged{suffix}")
        self._report("damaged", f"{path}.damaged", root)

    def _report(self, trouble: HistoryTrouble, where: str, root: str) -> None:
        """Report once, until it is resolved."""
        if trouble == "unwritten" and root in self._in_trouble:
            return
        self._in_trouble.add(root)
        self._told(trouble, where)


def _is_damage(error: Exception) -> bool:
    if not isinstance(error, sqlite3.Error):
        return True
    if isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode"):
        return True  # a text that is not UTF-8
    return (getattr(error, "sqlite_errorcode", 0) & 0xFF) in _DAMAGED


def _without_texts(change: HistoryRecord) -> Callable[[], HistoryRecord]:
    files = tuple(
        file._replace(
            before=None,
            proposed=None,
            accepted=None,
            after=None,
            texts_kept=False,
            save=file.save and file.save._replace(text=None),
        )
        for file in change.files
    )
    return lambda: change._replace(files=files)
