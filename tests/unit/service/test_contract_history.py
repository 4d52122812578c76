"""The contract of `History`: the same cases for SQLite and in memory."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.service.proposal.record import (
    Decider,
    History,
    HistoryQuery,
    HistoryRecord,
    RecordedFile,
    Save,
)
from support.fakes.history import MemoryHistory

ROOT, OTHER = "/home/work", "/home/other"


@pytest.fixture(params=["memory", "sqlite"])
def history(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[History]:
    made: History = (
        MemoryHistory() if request.param == "memory" else SqliteHistory(StateFolder(str(tmp_path / "state")))
    )
    yield made
    made.close()


def file(relative: str = "a.py", root: str = ROOT) -> RecordedFile:
    return RecordedFile(
        root, relative, "update", "sha256:1", "sha256:2", 1, 2, "utf-8", b"", "before", "proposed", "after"
    )


def record(number: int, *files: RecordedFile, session: str = "s", connection: str = "c") -> HistoryRecord:
    return HistoryRecord(
        f"id{number}",
        number,
        connection,
        session,
        "agent",
        "edit",
        "because",
        "accepted",
        "user",
        "disk",
        modified_by_user=False,
        files_in_all=max(len(files), 1),
        files=files or (file(),),
    )


def keep(history: History, *records: HistoryRecord) -> None:
    for one in records:
        history.keep(10, lambda one=one: one)  # type: ignore[misc]


def found(history: History, wanted: HistoryQuery, *roots: str) -> list[str]:
    return [one.id for one in history.find(roots or (ROOT,), wanted)]


@pytest.mark.parametrize("text", ["", "plain\n", "\r\n\u2028é🙂", "lone \udcff surrogate"])
def test_what_is_kept_is_found_as_it_was(history: History, text: str) -> None:
    kept = record(1, file()._replace(folders_made=2, before=text, after="b" + text, accepted="c" + text))
    kept = kept._replace(agent=text, explanation=text, decider=Decider("review", text, text, text, 7))
    keep(history, kept)
    assert history.find([ROOT], HistoryQuery(1, texts=True)) == [kept]


def test_what_is_saved_later_is_added_once(history: History) -> None:
    keep(
        history,
        record(1, file("a.py"), file("b.py")),
        record(2, file("c.py")._replace(save=Save("closed", 3))),
    )
    history.note_save("id1", ROOT, "b.py", Save("saved", 5, "later\udcff"))
    history.note_save("id1", ROOT, "b.py", Save("saved", 6, "even later"))
    history.note_save("gone", ROOT, "b.py", Save("saved", 5, "nowhere"))
    newer, older = history.find([ROOT], HistoryQuery(2, texts=True))
    assert [one.save for one in older.files] == [None, Save("saved", 5, "later\udcff")]
    assert [one.save for one in newer.files] == [Save("closed", 3)]
    without = history.find([ROOT], HistoryQuery(2, change_id="id1"))
    assert without[0].files[1].save == Save("saved", 5)


def test_an_id_may_be_given_by_its_begin(history: History) -> None:
    keep(history, *map(record, (1, 12, 123, 2)))
    assert found(history, HistoryQuery(9, id_begin="id12")) == ["id123", "id12"]
    assert found(history, HistoryQuery(9, id_begin="id%")) == []


def test_texts_come_where_they_are_asked_for(history: History) -> None:
    keep(history, record(1))
    (change,) = history.find([ROOT], HistoryQuery(1))
    (one,) = change.files
    assert (one.before, one.proposed, one.after, one.accepted) == (None, None, None, None)
    assert one.texts_kept


def test_the_newest_come_first_and_no_more_than_wanted(history: History) -> None:
    keep(history, record(1), record(2), record(3))
    assert found(history, HistoryQuery(2)) == ["id3", "id2"]
    assert found(history, HistoryQuery(5, before=(3, "id3"))) == ["id2", "id1"]
    assert found(history, HistoryQuery(5, before=(2, "id1"))) == ["id1"]


def test_the_newest_come_first_also_after_the_clock_was_ahead(history: History) -> None:
    """And each has the time that the clock told."""
    keep(history, record(9), record(2, file(), file(root=OTHER)))
    assert found(history, HistoryQuery(5)) == ["id2", "id9"]
    keep(history, record(3, file(root=OTHER)), record(9000), record(4))
    all_of_it = history.find([ROOT, OTHER], HistoryQuery(9))
    assert [one.time_ms for one in all_of_it] == [4, 9000, 3, 2, 9]
    assert [len(one.files) for one in all_of_it] == [1, 1, 1, 2, 1]
    for newer, older in pairwise(all_of_it):
        assert found(history, HistoryQuery(1, before=newer.order), ROOT, OTHER) == [older.id]


def test_a_query_combines_all_its_fields(history: History) -> None:
    keep(history, record(1, session="one"), record(2, session="two"), record(3, session="one"))
    assert found(history, HistoryQuery(5, session="one")) == ["id3", "id1"]
    assert found(history, HistoryQuery(5, change_id="id1", session="two")) == []
    assert found(history, HistoryQuery(5, change_id="id2")) == ["id2"]
    assert found(history, HistoryQuery(5, change_id="id9")) == []


def test_a_path_is_a_file_or_all_below_a_folder(history: History) -> None:
    keep(history, record(1, file("src/a.py")), record(2, file("src-2/a.py")), record(3, file("src")))
    assert found(history, HistoryQuery(5, path=f"{ROOT}/src")) == ["id3", "id1"]
    assert found(history, HistoryQuery(5, path=f"{ROOT}/src/a.py")) == ["id1"]
    assert found(history, HistoryQuery(5, path=f"{ROOT}/")) == ["id3", "id2", "id1"]
    assert found(history, HistoryQuery(5, path=OTHER)) == []


def test_a_change_is_told_with_its_files_of_the_folders_asked_for(history: History) -> None:
    keep(history, record(1, file("a.py"), file("b.py", OTHER)), record(2, file("c.py", OTHER)))
    (only,) = history.find([ROOT], HistoryQuery(5))
    assert (only.files_in_all, [one.relative for one in only.files]) == (2, ["a.py"])
    both = history.find([ROOT, OTHER], HistoryQuery(5))
    assert [[one.relative for one in change.files] for change in both] == [["c.py"], ["a.py", "b.py"]]
    assert found(history, HistoryQuery(5), "/home/third") == []


def test_what_a_change_is_based_on_is_asked_for_once(history: History) -> None:
    made: list[int] = []

    def make() -> HistoryRecord:
        made.append(1)
        return record(1)

    history.on_trouble(lambda trouble, path: None)
    history.keep(10, make)
    assert found(history, HistoryQuery(1)) == found(history, HistoryQuery(1)) == ["id1"]
    assert made == [1]
    history.configure(HistorySettings())
