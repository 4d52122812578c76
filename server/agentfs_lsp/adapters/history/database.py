"""The history of one workspace folder: one SQLite file that only the user can read.

Texts are compressed and stored once, however many changes contain them. Each process has one connection,
used by one thread at a time. `history.py` schedules access and handles damaged files and full disks.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import cast

from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.adapters.history.rows import (
    CHANGE_COLUMNS,
    DECIDER_COLUMNS,
    FILE_COLUMNS,
    SAVE_COLUMNS,
    Damaged,
    change_of,
    is_time,
    row_of,
    row_of_file,
    storable,
)
from agentfs_lsp.service.proposal.record import HistoryQuery, HistoryRecord, RecordedFile, Save

VERSION = 1
"""The schema's, in `user_version`."""

BUSY_S = 5.0
"""How long to wait for another server's write."""

_LEVEL = 1  # compression level; it runs while changes land
_FULL, _ROOM = 0.9, 0.75  # parts of the limit: when to delete the oldest, and down to what
_LARGEST = 4  # a text may take this part of the limit
_WAL_BYTES = 16 << 20
"""Checkpoint the write-ahead log, which counts towards the limit, from this size."""

_SCHEMA = """
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN IMMEDIATE;
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, data BLOB NOT NULL, uses INTEGER NOT NULL
);
CREATE TABLE changes (
    id TEXT PRIMARY KEY, time_ms INTEGER NOT NULL, connection TEXT NOT NULL, session TEXT NOT NULL,
    agent TEXT NOT NULL, tool TEXT NOT NULL, explanation TEXT NOT NULL, decision TEXT NOT NULL,
    by TEXT NOT NULL, landing TEXT NOT NULL, modified_by_user INTEGER NOT NULL, files_in_all INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX changes_by_time ON changes (time_ms, id);
CREATE TABLE files (
    change_id TEXT NOT NULL REFERENCES changes ON DELETE CASCADE, position INTEGER NOT NULL,
    path TEXT NOT NULL, operation TEXT NOT NULL, before_hash TEXT, after_hash TEXT,
    lines_added INTEGER NOT NULL, lines_removed INTEGER NOT NULL, encoding TEXT NOT NULL, bom BLOB NOT NULL,
    texts_kept INTEGER NOT NULL, before INTEGER, proposed INTEGER, after INTEGER,
    PRIMARY KEY (change_id, position)
) WITHOUT ROWID;
CREATE INDEX files_by_path ON files (path);
CREATE TRIGGER used AFTER INSERT ON files BEGIN
    UPDATE texts SET uses = uses + 1 WHERE id = new.before;
    UPDATE texts SET uses = uses + 1 WHERE id = new.proposed;
    UPDATE texts SET uses = uses + 1 WHERE id = new.after;
END;
CREATE TRIGGER unused AFTER DELETE ON files BEGIN
    UPDATE texts SET uses = uses - 1 WHERE id = old.before;
    UPDATE texts SET uses = uses - 1 WHERE id = old.proposed;
    UPDATE texts SET uses = uses - 1 WHERE id = old.after;
    DELETE FROM texts WHERE id IN (old.before, old.proposed, old.after) AND uses = 0;
END;
PRAGMA user_version = 1;
COMMIT;
"""


# Additional tables without a version of their own: older files get them, and earlier versions of agentfs can
# still use such a file.
_BESIDE = """
CREATE TABLE IF NOT EXISTS folders (
    change_id TEXT NOT NULL REFERENCES changes ON DELETE CASCADE, position INTEGER NOT NULL,
    made INTEGER NOT NULL, PRIMARY KEY (change_id, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS accepted (
    change_id TEXT NOT NULL REFERENCES changes ON DELETE CASCADE, position INTEGER NOT NULL,
    text INTEGER NOT NULL, PRIMARY KEY (change_id, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clocks (
    change_id TEXT PRIMARY KEY REFERENCES changes ON DELETE CASCADE, clock_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (
    change_id TEXT PRIMARY KEY REFERENCES changes ON DELETE CASCADE, rung TEXT NOT NULL,
    client TEXT NOT NULL, rule TEXT NOT NULL, feedback TEXT NOT NULL, decided_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS saves (
    change_id TEXT NOT NULL REFERENCES changes ON DELETE CASCADE, position INTEGER NOT NULL,
    state TEXT NOT NULL, saved_ms INTEGER NOT NULL, saved INTEGER, PRIMARY KEY (change_id, position)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS accepted_used AFTER INSERT ON accepted BEGIN
    UPDATE texts SET uses = uses + 1 WHERE id = new.text;
END;
CREATE TRIGGER IF NOT EXISTS accepted_unused AFTER DELETE ON accepted BEGIN
    UPDATE texts SET uses = uses - 1 WHERE id = old.text;
    DELETE FROM texts WHERE id = old.text AND uses = 0;
END;
CREATE TRIGGER IF NOT EXISTS saves_used AFTER INSERT ON saves BEGIN
    UPDATE texts SET uses = uses + 1 WHERE id = new.saved;
END;
CREATE TRIGGER IF NOT EXISTS saves_unused AFTER DELETE ON saves BEGIN
    UPDATE texts SET uses = uses - 1 WHERE id = old.saved;
    DELETE FROM texts WHERE id = old.saved AND uses = 0;
END;
"""

_COLUMNS = {"texts": ("id", "hash", "data", "uses"), "changes": CHANGE_COLUMNS, "files": FILE_COLUMNS}
_COLUMNS_BESIDE = {
    "folders": (*FILE_COLUMNS[:2], "made"),
    "accepted": (*FILE_COLUMNS[:2], "text"),
    "clocks": ("change_id", "clock_ms"),
    "decisions": ("change_id", *DECIDER_COLUMNS),
    "saves": (*FILE_COLUMNS[:2], *SAVE_COLUMNS),
}


class UnknownVersion(Exception):
    """A later version of agentfs created the file, so it is not changed."""


class HistoryDatabase:
    """Opens the file on construction. That raises UnknownVersion; all methods raise Damaged and errors of the
    system and SQLite."""

    def __init__(self, path: str, root: str) -> None:
        """`root`: the real path of the workspace folder."""
        self.path = path
        self._root = root
        self._inode = _make_private(path)
        self._sql = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
        except BaseException:
            self._sql.close()
            raise

    def _prepare(self) -> None:
        version = self._number("PRAGMA user_version")
        if version > VERSION:
            raise UnknownVersion
        if not version:
            try:
                self._sql.executescript(_SCHEMA)
            except sqlite3.OperationalError:  # another server was faster
                self._sql.rollback()
                if self._number("PRAGMA user_version") != VERSION:
                    raise
        self._check_columns(_COLUMNS)
        self._sql.executescript(_BESIDE)
        self._check_columns(_COLUMNS_BESIDE)
        self._sql.execute("PRAGMA journal_mode = WAL")
        self._sql.execute("PRAGMA synchronous = NORMAL")
        self._sql.execute("PRAGMA journal_size_limit = 0")
        self._sql.execute("PRAGMA wal_autocheckpoint = 0")  # `_shrink` does it, with fewer syncs
        self._sql.execute("PRAGMA foreign_keys = ON")

    def _check_columns(self, tables: Mapping[str, Sequence[str]]) -> None:
        for table, columns in tables.items():
            found = self._sql.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
            if [name for (name,) in found] != list(columns):
                raise Damaged

    @property
    def in_place(self) -> bool:
        """Whether the file is still the one at its path."""
        try:
            return os.stat(self.path).st_ino == self._inode
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """The last connection to close also removes the log."""
        self._sql.close()

    # --- keeping ------------------------------------------------------------------------------------------

    def add(self, changes: Iterable[HistoryRecord], max_bytes: int | None, oldest_ms: int) -> None:
        """Store the changes' files in this folder, and delete what is older than `oldest_ms` or exceeds
        `max_bytes` (None: unlimited), in one transaction."""

        def add() -> None:
            for change in changes:
                self._add(change, max_bytes)

        self._write(add, max_bytes, oldest_ms)

    def note_save(
        self, change_id: str, relative: str, save: Save, max_bytes: int | None, oldest_ms: int
    ) -> None:
        """Store what became of a document, the first time; does nothing if the change is gone. As `add`."""

        def note() -> None:
            found = self._sql.execute(
                "SELECT position FROM files LEFT JOIN saves USING (change_id, position)"
                " WHERE change_id = ? AND path = ? AND state IS NULL",
                (change_id, storable(relative)),
            ).fetchone()
            if found is not None:
                text = None if save.text is None else self._text(save.text, max_bytes)
                self._insert("saves", (change_id, *found, save.state, save.time_ms, text))

        self._write(note, max_bytes, oldest_ms)

    def _write(self, work: Callable[[], None], max_bytes: int | None, oldest_ms: int) -> None:
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            work()
            self._prune(max_bytes, oldest_ms)
            self._sql.execute("COMMIT")
        except BaseException:
            self._sql.rollback()
            raise
        self._shrink(max_bytes)

    def _add(self, change: HistoryRecord, max_bytes: int | None) -> None:
        self._insert("changes", row_of(change))
        if change.order_ms is not None:
            self._insert("clocks", (change.id, change.time_ms))
        if change.decider is not None:
            self._insert("decisions", (change.id, *map(storable, change.decider)))
        for position, file in enumerate(change.files):
            if file.root == self._root:
                texts = self._texts(file, max_bytes)
                self._insert("files", row_of_file(change.id, position, file, texts))
                if texts is not None and file.accepted is not None:
                    self._insert("accepted", (change.id, position, texts[file.accepted]))
                if file.folders_made:
                    self._insert("folders", (change.id, position, file.folders_made))
                if file.save is not None:
                    known = None if texts is None else texts[file.save.text]
                    self._insert("saves", (change.id, position, file.save.state, file.save.time_ms, known))

    def _insert(self, table: str, row: Sequence[object]) -> None:
        self._sql.execute(f"INSERT INTO {table} VALUES ({_marks(row)})", row)  # noqa: S608

    def _texts(self, file: RecordedFile, max_bytes: int | None) -> Mapping[str | None, int | None] | None:
        """The texts' row ids; None if the texts are not stored."""
        if not file.texts_kept:
            return None
        numbers: dict[str | None, int | None] = {None: None}
        for text in (file.before, file.proposed, file.accepted, file.after, file.save and file.save.text):
            if text is not None and text not in numbers:
                number = self._text(text, max_bytes)
                if number is None:
                    self._sql.executemany(
                        "DELETE FROM texts WHERE id = ? AND uses = 0", [(one,) for one in numbers.values()]
                    )
                    return None
                numbers[text] = number
        return numbers

    def _text(self, text: str, max_bytes: int | None) -> int | None:
        data = text.encode("utf-8", "surrogatepass")
        name = sha256(data).digest()
        known = self._sql.execute("SELECT id FROM texts WHERE hash = ?", (name,)).fetchone()
        if known is not None:
            return cast("int", known[0])
        packed = zlib.compress(data, _LEVEL)
        if max_bytes is not None and len(packed) > max_bytes // _LARGEST:
            return None
        added = self._sql.execute("INSERT INTO texts (hash, data, uses) VALUES (?, ?, 0)", (name, packed))
        return added.lastrowid

    def _prune(self, max_bytes: int | None, oldest_ms: int) -> None:
        self._sql.execute("DELETE FROM changes WHERE time_ms < ?", (oldest_ms,))
        if max_bytes is None or self._used() <= max_bytes * _FULL:
            return
        while self._used() > max_bytes * _ROOM:
            some = max(self._number("SELECT count(*) FROM changes") // 16, 1)
            oldest = "SELECT id FROM changes ORDER BY time_ms, id LIMIT ?"
            if not self._sql.execute(f"DELETE FROM changes WHERE id IN ({oldest})", (some,)).rowcount:  # noqa: S608
                break

    def _shrink(self, max_bytes: int | None) -> None:
        """Return free pages to the disk, and keep the log short."""
        if self._number("PRAGMA freelist_count"):
            self._sql.executescript("PRAGMA incremental_vacuum")  # `execute` would free a single page
        most = min(_WAL_BYTES, (max_bytes or _WAL_BYTES) // 16)
        if os.path.getsize(f"{self.path}-wal") > most:
            self._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _used(self) -> int:
        pages = self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count")
        return pages * self._number("PRAGMA page_size")

    # --- finding ------------------------------------------------------------------------------------------

    def newest_ms(self) -> int:
        """The newest change's `order_ms`; -1 if there is none."""
        newest = self._number("SELECT ifnull(max(time_ms), -1) FROM changes")
        if newest != -1 and not is_time(newest):
            raise Damaged
        return newest

    def find(self, wanted: HistoryQuery, oldest_ms: int) -> list[HistoryRecord]:
        """The matching changes with their files in this folder."""
        clauses, values = ["time_ms >= ?"], cast("list[object]", [oldest_ms])
        for column, value in (("session", wanted.session), ("id", wanted.change_id)):
            if value is not None:
                clauses.append(f"{column} = ?")
                values.append(value)
        if wanted.id_begin:
            clauses.append("substr(id, 1, ?) = ?")
            values += (len(wanted.id_begin), wanted.id_begin)
        if wanted.before is not None:
            clauses.append("(time_ms, id) < (?, ?)")
            values += wanted.before
        if path := wanted.path_in(self._root):
            below = path + "/"
            clauses.append(
                "id IN (SELECT change_id FROM files WHERE path = ? UNION ALL"
                " SELECT change_id FROM files WHERE path >= ? AND path < ?)"
            )
            values += (path, below, below[:-1] + chr(ord("/") + 1))
        rows = self._sql.execute(
            f"SELECT changes.*, clock_ms, {', '.join(DECIDER_COLUMNS)} FROM changes"  # noqa: S608
            " LEFT JOIN clocks ON clocks.change_id = id LEFT JOIN decisions ON decisions.change_id = id"
            f" WHERE {' AND '.join(clauses)} ORDER BY time_ms DESC, id DESC LIMIT ?",
            (*map(storable, values), wanted.limit),
        ).fetchall()
        files = self._files([row[0] for row in rows], texts=wanted.texts)
        return [change_of(row, self._root, files.get(row[0], ())) for row in rows]

    def _files(self, change_ids: Sequence[str], *, texts: bool) -> dict[str, list[Sequence[object]]]:
        """The rows of each change's files: texts (or None) instead of row ids, the number of folders created,
        the accepted text, and what was saved later."""
        found: dict[str, list[Sequence[object]]] = {}
        query = (
            "SELECT files.*, ifnull(made, 0), accepted.text, state, saved_ms, saved FROM files"
            " LEFT JOIN folders USING (change_id, position) LEFT JOIN accepted USING (change_id, position)"
            " LEFT JOIN saves USING (change_id, position)"
            " WHERE files.change_id IN ({}) ORDER BY files.change_id, files.position"
        )
        for row in self._sql.execute(query.format(_marks(change_ids)), change_ids).fetchall():
            *start, before, proposed, after, made, accepted, state, saved_ms, saved = row
            numbers = (before, proposed, after, accepted, saved)
            *own, decided, later = [self._unpacked(one) if texts else None for one in numbers]
            found.setdefault(row[0], []).append([*start, *own, made, decided, state, saved_ms, later])
        return found

    def _unpacked(self, number: int | None) -> str | None:
        if number is None:
            return None
        row = self._sql.execute("SELECT data, hash FROM texts WHERE id = ?", (number,)).fetchone()
        if row is None:
            raise Damaged
        try:
            data = zlib.decompress(row[0])
        except (zlib.error, TypeError):
            raise Damaged from None
        if sha256(data).digest() != row[1]:
            raise Damaged
        return data.decode("utf-8", "surrogatepass")

    def _number(self, query: str) -> int:
        return cast("int", self._sql.execute(query).fetchone()[0])


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _make_private(path: str) -> int:
    """Create the file if missing, before SQLite creates it by the umask; the log inherits its mode. Returns
    its inode. Must precede opening it: closing any descriptor releases this process's locks on the file."""
    with closing_fd(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)) as fd:
        found = os.fstat(fd)
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.fchmod(fd, 0o600)
        return found.st_ino
