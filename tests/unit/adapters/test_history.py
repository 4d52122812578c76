"""History within its limits."""

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.database import HistoryDatabase
from agentfs_lsp.adapters.history.history import WAITING_BYTES, SqliteHistory
from agentfs_lsp.domain.settings.groups import MIB, HistorySettings
from agentfs_lsp.service.proposal.record import Decider, HistoryQuery, HistoryRecord, RecordedFile, Save

ROOT = "/some/where"
NOW_MS = time.time_ns() // 1_000_000
DAY_MS = 24 * 3600 * 1000


def change(
    number: int, before: str | None = "old\n", after: str | None = "new\n", **more: Any
) -> HistoryRecord:
    file = RecordedFile(
        ROOT, f"{number}.txt", "update", "sha256:b", "sha256:a", 1, 1, "utf-8", b"", before, after, after
    )
    known: dict[str, Any] = {
        "id": f"id-{number}",
        "time_ms": NOW_MS + number,
        "connection": "here",
        "session": "default",
        "agent": "",
        "tool": "edit",
        "explanation": "",
        "decision": "accepted",
        "by": "user",
        "landing": "disk",
        "modified_by_user": False,
        "files_in_all": 1,
        "files": (file,),
    }
    return HistoryRecord(**(known | more))


def altered(tmp_path: Path, folder: Path, statement: str) -> StateFolder:
    """A state folder with one stored change, whose database was then altered."""
    state = StateFolder(str(tmp_path / "state"))
    history = SqliteHistory(state)
    history.keep(0, lambda: change(1))
    history.close()
    (path,) = folder.glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)
    return state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "history"


@pytest.fixture
def history(tmp_path: Path) -> Iterator[SqliteHistory]:
    store = SqliteHistory(StateFolder(str(tmp_path / "state")), HistorySettings(max_mib=1, max_days=10))
    yield store
    store.close()


def ids(store: SqliteHistory, limit: int = 100_000, **wanted: Any) -> list[str]:
    return [one.id for one in store.find([ROOT], HistoryQuery(limit, **wanted))]


def test_the_store_stays_under_its_limit_and_keeps_the_newest(history: SqliteHistory, folder: Path) -> None:
    noise = random.Random(1)
    most = 0
    for number in range(600):
        text = noise.randbytes(8000).hex()
        kept = change(number, None, text)
        history.keep(0, lambda kept=kept: kept)
        if number % 20 == 19:
            assert ids(history, limit=5) == [f"id-{number - back}" for back in range(5)]
            most = max(most, sum(path.stat().st_size for path in folder.iterdir()))
    assert MIB // 2 < most <= MIB
    left = ids(history)
    assert left == [f"id-{number}" for number in range(599, 599 - len(left), -1)]


def test_a_text_that_many_changes_hold_is_kept_once(history: SqliteHistory, folder: Path) -> None:
    text = random.Random(1).randbytes(100_000).hex()
    for number in range(200):
        kept = change(number, text, text)
        history.keep(0, lambda kept=kept: kept)
    assert len(ids(history)) == 200
    assert sum(path.stat().st_size for path in folder.iterdir()) < MIB


def test_texts_of_changes_that_are_gone_are_gone(history: SqliteHistory, folder: Path) -> None:
    old = change(2, "shared", "second", time_ms=NOW_MS - 11 * DAY_MS)
    old = old._replace(files=(old.files[0]._replace(accepted="third", save=Save("saved", 1, "fourth")),))
    history.keep(0, lambda: old)
    history.keep(0, lambda: change(1, "shared", "first"))
    assert ids(history) == ["id-1"]
    history.close()
    (path,) = folder.glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute("SELECT count(*), sum(uses) FROM texts").fetchone() == (2, 3)


def test_what_is_too_old_is_dropped(history: SqliteHistory) -> None:
    history.keep(0, lambda: change(1, time_ms=NOW_MS - 11 * DAY_MS))
    history.keep(0, lambda: change(2, time_ms=NOW_MS - 9 * DAY_MS))
    assert ids(history) == ["id-2"]


def test_what_landed_while_the_clock_was_ahead_is_dropped_before_what_landed_later(tmp_path: Path) -> None:
    state, settings = StateFolder(str(tmp_path / "state")), HistorySettings(max_mib=1)
    noise = random.Random(1)
    for ahead_ms in (DAY_MS, 0):
        store = SqliteHistory(state, settings)  # in a process of its own
        for number in range(100):
            kept = change(number, None, noise.randbytes(8000).hex(), id=f"{ahead_ms}-{number}")
            kept = kept._replace(time_ms=kept.time_ms + ahead_ms)
            store.keep(0, lambda kept=kept: kept)
        left = ids(store)
        assert left[0] == f"{ahead_ms}-99"
        store.close()
    assert left == [f"0-{number}" for number in range(99, 99 - len(left), -1)]
    assert store.find([ROOT], HistoryQuery(1))[0].time_ms == NOW_MS + 99


def test_a_text_that_leaves_no_room_for_others_is_not_kept_but_its_change_is(history: SqliteHistory) -> None:
    history.keep(0, lambda: change(1))
    history.keep(0, lambda: change(2, None, random.Random(1).randbytes(MIB).hex()))
    newest, older = history.find([ROOT], HistoryQuery(2, texts=True))
    assert (newest.files[0].texts_kept, newest.files[0].after) == (False, None)
    assert (older.files[0].texts_kept, older.files[0].after) == (True, "new\n")


def test_memory_has_an_end(history: SqliteHistory) -> None:
    with history._in_turn:  # nothing is written yet
        history.keep(WAITING_BYTES, lambda: change(1))
        history.keep(1, lambda: change(2))
    newest, older = history.find([ROOT], HistoryQuery(2, texts=True))
    assert not newest.files[0].texts_kept
    assert older.files[0].texts_kept


def test_a_file_from_before_accepted_texts_were_kept_takes_them(tmp_path: Path, folder: Path) -> None:
    state = altered(tmp_path, folder, "DROP TABLE accepted")
    second = SqliteHistory(state)
    kept = change(2)._replace(files=(change(2).files[0]._replace(accepted="amended"),))
    second.keep(0, lambda: kept)
    newest, older = second.find([ROOT], HistoryQuery(2, texts=True))
    second.close()
    assert (newest.files[0].accepted, older.files[0].accepted) == ("amended", None)


def test_a_file_from_before_decisions_and_saves_were_kept_takes_them(tmp_path: Path, folder: Path) -> None:
    altered(tmp_path, folder, "DROP TABLE decisions")
    (path,) = folder.glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE saves")
    second = SqliteHistory(StateFolder(str(tmp_path / "state")))
    decider = Decider("review", "Zed", "", "fine", NOW_MS)
    second.keep(0, lambda: change(2, decider=decider))
    second.note_save("id-1", ROOT, "1.txt", Save("saved", NOW_MS, "later"))
    newest, older = second.find([ROOT], HistoryQuery(2, texts=True))
    second.close()
    assert (newest.decider, older.decider) == (decider, None)
    assert older.files[0].save == Save("saved", NOW_MS, "later")


def test_a_save_noted_while_others_are_written_is_written_after_its_change(
    history: SqliteHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = HistoryDatabase.add
    closed = Save("closed", NOW_MS)

    def busy(*arguments: Any) -> None:
        monkeypatch.undo()
        history.keep(0, lambda: change(2))
        history.note_save("id-2", ROOT, "2.txt", closed)
        add(*arguments)

    monkeypatch.setattr(HistoryDatabase, "add", busy)
    history.keep(0, lambda: change(1))
    assert ids(history)[-1] == "id-1"
    newest, _ = history.find([ROOT], HistoryQuery(2))
    assert (newest.id, newest.files[0].save) == ("id-2", closed)


def test_a_later_versions_file_is_left_alone(tmp_path: Path, folder: Path) -> None:
    state = altered(tmp_path, folder, "PRAGMA user_version = 99")
    told = []
    second = SqliteHistory(state)
    second.on_trouble(lambda trouble, where: told.append(trouble))
    second.keep(0, lambda: change(2))
    second.close()
    assert told == ["unwritten"]
    (path,) = folder.glob("*.sqlite3")
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute("SELECT id FROM changes").fetchall() == [("id-1",)]


def test_what_another_server_has_set_aside_is_written_to_no_more(tmp_path: Path, folder: Path) -> None:
    state = StateFolder(str(tmp_path / "state"))
    old, new = SqliteHistory(state), SqliteHistory(state)
    old.keep(0, lambda: change(1))
    assert ids(old) == ["id-1"]
    (path,) = folder.glob("*.sqlite3")
    for suffix in ("", "-wal", "-shm"):
        (folder / (path.name + suffix)).rename(folder / (path.name + ".damaged" + suffix))
    with (folder / (path.name + ".damaged")).open("r+b") as damaged:
        damaged.write(b"\0" * 100)
    new.keep(0, lambda: change(2))
    assert ids(new) == ["id-2"]
    old.keep(0, lambda: change(3))
    old.close()
    assert ids(new) == ["id-3", "id-2"]
    new.close()
