"""What each session has read, within limits."""

import pytest

from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.state.sessions import Sessions

ROOMY = 1 << 20
MANY = 100


def revision(number: int) -> Expected:
    return Expected(number, number, f"sha256:{number}")


def test_a_session_sees_what_it_read_itself_alone() -> None:
    sessions = Sessions(10, ROOMY, MANY)
    sessions.record("one", "/r/a", revision(1), "text")
    record = sessions.get("one", "/r/a")
    assert record is not None
    assert (record.revision, record.text) == (revision(1), "text")
    assert sessions.get("two", "/r/a") is None
    assert sessions.get("one", "/r/b") is None


def test_a_new_record_replaces_the_old_one() -> None:
    sessions = Sessions(1, ROOMY, MANY)
    sessions.record("one", "/r/a", revision(1), "old")
    sessions.record("one", "/r/a", revision(2), None)
    record = sessions.get("one", "/r/a")
    assert record is not None
    assert (record.revision, record.text) == (revision(2), None)


def test_the_least_recently_used_record_goes_first() -> None:
    sessions = Sessions(3, ROOMY, MANY)
    for name in "abc":
        sessions.record("one", name, revision(1), name)
    sessions.get("one", "a")
    sessions.record("two", "d", revision(1), "d")
    assert sessions.get("one", "b") is None
    assert all(sessions.get("one", name) for name in "ac")
    assert sessions.get("two", "d")


def test_texts_go_before_records() -> None:
    text = "x" * 1000
    sessions = Sessions(100, 3 * text.__sizeof__(), MANY)
    for name in "abcd":
        sessions.record("one", name, revision(1), text)
    records = {name: sessions.get("one", name) for name in "abcd"}
    assert [name for name, record in records.items() if record and record.text is None] == ["a"]
    assert all(record and record.revision == revision(1) for record in records.values())


def test_a_text_that_was_used_stays_longer() -> None:
    text = "x" * 1000
    sessions = Sessions(100, 2 * text.__sizeof__(), MANY)
    sessions.record("one", "a", revision(1), text)
    sessions.record("one", "b", revision(1), text)
    sessions.get("one", "a")
    sessions.record("one", "c", revision(1), text)
    held = [name for name in "abc" if (record := sessions.get("one", name)) and record.text]
    assert held == ["a", "c"]


@pytest.mark.parametrize(("room", "text"), [(100, "x" * 1000), (2500, "😀" * 1000)])
def test_a_text_larger_than_all_room_in_bytes_is_not_held_and_its_record_stays(room: int, text: str) -> None:
    sessions = Sessions(100, room, MANY)
    sessions.record("one", "a", revision(1), text)
    record = sessions.get("one", "a")
    assert record is not None
    assert record.text is None


def test_room_given_back_is_used_again() -> None:
    text = "x" * 1000
    sessions = Sessions(100, 2 * text.__sizeof__(), MANY)
    for number in range(50):
        sessions.record("one", "a", revision(number), text)
        sessions.forget("one", "a")
    sessions.record("one", "a", revision(1), text)
    sessions.record("one", "b", revision(1), text)
    assert all((record := sessions.get("one", name)) and record.text for name in "ab")


def test_the_least_recently_used_session_goes_with_all_it_read() -> None:
    sessions = Sessions(100, ROOMY, 2)
    sessions.record("one", "a", revision(1), "")
    sessions.record("one", "b", revision(1), "")
    sessions.record("two", "a", revision(1), "")
    sessions.get("one", "a")
    sessions.record("three", "a", revision(1), "")
    assert list(sessions.names()) == ["one", "three"]
    assert sessions.get("two", "a") is None
    sessions.resize(100, ROOMY, 1)
    assert [name for name in "ab" if sessions.get("one", name)] == []
    assert sessions.get("three", "a")


def test_smaller_limits_count_at_once() -> None:
    sessions = Sessions(10, ROOMY, MANY)
    for name in "abc":
        sessions.record("one", name, revision(1), name)
    sessions.resize(2, 0, MANY)
    assert sessions.get("one", "a") is None
    record = sessions.get("one", "c")
    assert record is not None
    assert record.text is None


def test_what_lies_below_a_folder_that_is_gone_is_forgotten_in_every_session() -> None:
    sessions = Sessions(10, ROOMY, MANY)
    for session, path in (("one", "/r/a"), ("two", "/r/deep/b"), ("one", "/rest/c")):
        sessions.record(session, path, revision(1), "")
    sessions.forget_files(lambda absolute: absolute.startswith("/r/"))
    assert sessions.get("one", "/r/a") is None
    assert sessions.get("two", "/r/deep/b") is None
    assert sessions.get("one", "/rest/c")
    assert list(sessions.names()) == ["one"]


def test_forgetting_what_nobody_read_is_no_error() -> None:
    Sessions(10, ROOMY, MANY).forget("one", "/r/a")


def test_a_sessions_own_mode_counts_before_the_one_for_all_and_that_before_the_settings() -> None:
    sessions = Sessions(10, ROOMY, MANY)
    assert sessions.mode_of("one", "manual") == "manual"
    sessions.set_mode("auto_edit", "one")
    assert [sessions.mode_of(name, "manual") for name in ("one", "two")] == ["auto_edit", "manual"]
    sessions.set_mode("manual")
    assert [sessions.mode_of(name, "auto_edit") for name in ("one", "two")] == ["manual", "manual"]
    sessions.forget_mode()
    assert sessions.mode_of("one", "auto_edit") == "auto_edit"


def test_sessions_are_named_that_read_or_have_a_mode() -> None:
    sessions = Sessions(10, ROOMY, MANY)
    sessions.record("one", "/r/a", revision(1), "")
    sessions.set_mode("auto_edit", "two")
    assert list(sessions.names()) == ["one", "two"]
    sessions.forget("one", "/r/a")
    assert list(sessions.names()) == ["two"]
