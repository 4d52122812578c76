"""agentfs/history as a use case (docs/protocol.md#11-history-and-undo)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from agentfs_lsp.domain.errors import ChangeUnknown
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service import history
from agentfs_lsp.service.history import Browse, Browsed, browse
from agentfs_lsp.service.proposal.record import HistoryRecord
from agentfs_lsp.service.state.workspace import Workspace
from support.fakes.workspace import FakeWorkspace, edit_of, write_of


@pytest.fixture
async def three(work: FakeWorkspace) -> FakeWorkspace:
    """Three changes landed: of a.txt and src/b.txt by session "s", of a.txt by "other"."""
    work.set(approval__mode="auto_edit")
    await work.write("a.txt", "one\n")
    await work.write("src/b.txt", "b\n")
    await work.read("a.txt", session="other")
    await work.edit("a.txt", "one", "two", session="other")
    return work


Found = Browsed[HistoryRecord]


async def asked(work: FakeWorkspace, session: str | None = "s", **more: Any) -> Found:
    return await browse(work.ws, Browse(session, **more), lambda change, *_: change)


def paths(found: Found) -> list[list[str]]:
    return [[file.relative for file in change.files] for change in found.changes]


async def test_history_is_paged(three: FakeWorkspace) -> None:
    first = await asked(three, limit=2)
    assert (len(first.changes), first.more) == (2, True)
    rest = await asked(three, limit=2, before=first.changes[-1].id)
    assert (paths(rest), rest.more) == ([["a.txt"]], False)
    with pytest.raises(ChangeUnknown):
        await asked(three, before="none")


async def test_it_is_narrowed_to_a_path_a_session_and_a_change(three: FakeWorkspace) -> None:
    assert paths(await asked(three, path="src")) == [["src/b.txt"]]
    assert paths(await asked(three, path="a.txt")) == [["a.txt"], ["a.txt"]]
    assert len((await asked(three, path=".")).changes) == 3
    assert paths(await asked(three, of_session="other")) == [["a.txt"]]
    one = three.history.records[1].id
    assert paths(await asked(three, change_id=one)) == [["src/b.txt"]]
    with pytest.raises(ChangeUnknown):
        await asked(three, change_id="none")


async def test_texts_come_while_there_is_room(three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await asked(three, texts=True)
    (file,) = whole.changes[0].files
    assert (file.before, file.proposed, file.after) == ("one\n", "two\n", "two\n")
    assert not whole.texts_left_out
    monkeypatch.setattr(history, "MAX_TEXT", 13)
    some = await asked(three, texts=True)
    assert [change.files[0].after for change in some.changes] == ["two\n", None, None]
    assert some.texts_left_out


async def test_a_dropped_change_is_omitted(three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = three.history.records[1].id
    find_one = history.find_one

    def find_behind_a_drop(*args: Any, **more: Any) -> Any:
        three.history.drop(dropped)
        return find_one(*args, **more)

    monkeypatch.setattr(history, "find_one", find_behind_a_drop)
    assert paths(await asked(three, texts=True)) == [["a.txt"], ["a.txt"]]


async def test_files_that_may_not_be_read_are_left_out_but_for_the_user(three: FakeWorkspace) -> None:
    await three.batch(edit_of("a.txt", "two", "3", session="other"), write_of("c.txt", "c\n"))
    three.set(approval__mode="auto_edit", rules=(Rule(("a.txt",), read="deny"),))
    found = await asked(three)
    assert paths(found) == [["c.txt"], ["src/b.txt"]]
    assert found.changes[0].files_in_all == 2
    assert len((await asked(three, session=None)).changes) == 4
    assert paths(await asked(three, limit=1)) == [["c.txt"]]


async def test_unreadable_changes_do_not_hide_older_ones(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit")
    await work.write("a.txt", "a\n")
    for number in range(5):
        await work.write(f"hidden/{number}", "x\n")
    work.set(rules=(Rule(("hidden/",), read="deny"),))
    assert paths(await asked(work, limit=2)) == [["a.txt"]]


async def test_a_page_is_judged_and_made_off_the_loop(
    three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, object]] = []

    def noted(work: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
        def noting(*arguments: Any) -> Any:
            done.append((name(*arguments), asyncio.current_task()))  # threads have none
            return work(*arguments)

        return noting

    monkeypatch.setattr(three.store, "resolve", noted(three.store.resolve, lambda _, relative: relative))
    monkeypatch.setattr(Workspace, "judge", noted(Workspace.judge, lambda *_: "judged"))
    await browse(three.ws, Browse("s"), noted(lambda change, *_: change, lambda *_: "shown"))
    assert done == [(what, None) for what in ("a.txt", "src/b.txt", *["judged"] * 2, *["shown"] * 3)]


async def test_where_reading_asks_a_session_sees_the_state_it_knows(work: FakeWorkspace) -> None:
    work.store.put(".env", "KEY=1\n")
    work.reviewer.reads.append(True)
    await work.read(".env")
    await work.edited(".env", "KEY=1", "KEY=2")
    (change,) = (await asked(work, texts=True)).changes
    (file,) = change.files
    assert (file.before, file.after, file.proposed) == (None, "KEY=2\n", None)
    assert file.before_hash is None
    assert (await asked(work, session="stranger")).changes == []


async def test_a_denied_file_is_omitted(three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Workspace.judge

    def judge_and_deny(*arguments: Any) -> Any:
        verdict = judge(*arguments)
        monkeypatch.undo()
        three.set(rules=(Rule(("a.txt",), read="deny"),))
        return verdict

    monkeypatch.setattr(Workspace, "judge", judge_and_deny)
    assert paths(await asked(three)) == [["src/b.txt"]]


async def test_a_closed_folder_is_omitted(three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    find, roots = three.history.find, three.ws.roots

    def find_and_close(*query: Any) -> list[HistoryRecord]:
        found = find(*query)
        three.ws.roots = ()
        return found

    monkeypatch.setattr(three.history, "find", find_and_close)
    for session, texts in (("s", True), ("s", False), (None, True), (None, False)):
        three.ws.roots = roots
        assert paths(await asked(three, session, texts=texts)) == []
    three.ws.roots = roots
    with pytest.raises(ChangeUnknown):
        await three.undo(three.history.records[0].id)
