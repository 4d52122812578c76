"""What becomes of documents that a change left unsaved (docs/protocol.md#11-history-and-undo)."""

import asyncio

import pytest

from agentfs_lsp.service import later_saves
from agentfs_lsp.service.proposal.record import HistoryRecord, Save
from support.fakes.review import ScriptedApplier, applies, saves_not
from support.fakes.workspace import FakeWorkspace, edit_of, write_of


@pytest.fixture
async def unsaved(work: FakeWorkspace) -> FakeWorkspace:
    """a.py is open, and an edit of it is left unsaved."""
    work.set(approval__mode="auto_edit", save="never")
    await work.put_and_read("a.py", "one\ntwo\n", opened=True)
    work.reviewer.applier = ScriptedApplier(work.editor, applies, save=saves_not)
    await work.edit("a.py", "two", "2")
    assert newest(work).landing == "editor"
    return work


def newest(work: FakeWorkspace) -> HistoryRecord:
    return work.history.records[-1]


async def save_of(work: FakeWorkspace, record: int = -1) -> Save | None:
    await asyncio.gather(*work.ws._behind)
    change = work.history.records[record]
    return change.save_of(change.files[0])


async def test_until_it_is_saved_nothing_is_known(unsaved: FakeWorkspace) -> None:
    assert await save_of(unsaved) is None
    unsaved.editor.type("a.py", "one", "ONE")
    assert await save_of(unsaved) is None


async def test_what_the_user_saved_is_noted_once(unsaved: FakeWorkspace) -> None:
    unsaved.editor.type("a.py", "one", "ONE")
    unsaved.editor.save("a.py")
    saved = await save_of(unsaved)
    assert saved is not None
    assert (saved.state, saved.text) == ("saved", "ONE\n2\n")
    unsaved.editor.type("a.py", "ONE", "1")
    unsaved.editor.save("a.py")
    assert await save_of(unsaved) == saved
    assert not unsaved.ws.saves_awaited


async def test_a_document_closed_without_saving_is_noted(unsaved: FakeWorkspace) -> None:
    unsaved.editor.close("a.py")
    closed = await save_of(unsaved)
    assert closed is not None
    assert (closed.state, closed.text) == ("closed", None)


async def test_what_another_program_wrote_is_not_taken_for_the_users(unsaved: FakeWorkspace) -> None:
    unsaved.store.put("a.py", "theirs\n")
    unsaved.editor.close("a.py")
    assert await save_of(unsaved) is None


async def test_the_next_change_of_the_file_ends_the_watch(unsaved: FakeWorkspace) -> None:
    await unsaved.edit("a.py", "2", "3")
    unsaved.editor.save("a.py")
    assert await save_of(unsaved, -2) is None
    saved = await save_of(unsaved)
    assert saved is not None
    assert saved.text == "one\n3\n"


async def test_the_watch_has_an_end(unsaved: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(later_saves, "MAX_WATCHED", 1)
    await unsaved.put_and_read("b.py", "b\n", opened=True)
    await unsaved.edit("b.py", "b", "B")
    assert [*unsaved.ws.saves_awaited] == [unsaved.path("b.py")]
    unsaved.clock.advance(later_saves.WATCHED_MS / 1000)
    unsaved.editor.save("a.py")
    unsaved.editor.type("b.py", "B", "b")
    assert await save_of(unsaved) is None
    assert not unsaved.ws.saves_awaited


async def test_each_file_of_a_batch_is_told_apart(unsaved: FakeWorkspace) -> None:
    await unsaved.batch(edit_of("a.py", "2", "3"), write_of("new.py", "new\n"))
    await asyncio.gather(*unsaved.ws._behind)
    change = newest(unsaved)
    assert change.landing == "editor"
    found = {file.relative: change.save_of(file) for file in change.files}
    assert found == {"a.py": None, "new.py": Save("saved", change.time_ms, "new\n")}


async def test_a_change_on_disk_is_saved_as_it_landed(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit")
    await work.write("a.py", "a\n")
    change = newest(work)
    assert await save_of(work) == Save("saved", change.time_ms, "a\n")
    assert change.decider is not None
    assert (change.decider.rung, change.decider.time_ms) == ("policy", change.time_ms)
