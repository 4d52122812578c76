"""Accepted changes of closed files (docs/protocol.md#93-how-it-lands) land on the reviewed content, or not at
all."""

import asyncio

import pytest

from agentfs_lsp.domain.errors import Conflict, DomainError, LandingUnknown, OutsideRoots, SystemFailed
from support.fakes.disk import HOME
from support.fakes.review import ScriptedApplier, applies_and, refuses
from support.fakes.store import Crash, disk_full
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace, write_of

OLD, NEW = b"old\n", b"new\n"


@pytest.fixture
async def read(work: FakeWorkspace) -> FakeWorkspace:
    """Two files with a line each; session "s" has read both, and the next change is accepted."""
    for name in ("a.py", "b.py"):
        await work.put_and_read(name, OLD)
    work.reviewer.accepts()
    return work


async def failed(work: FakeWorkspace, error: type[DomainError]) -> DomainError:
    with pytest.raises(error) as raised:
        await work.write("a.py", "new\n")
    assert work.reviewer.applier.told[-1] == "failed"
    assert work.history.records == []
    return raised.value


@pytest.mark.parametrize("step", ["stage", "commit", "swap", "sync"])
async def test_a_full_disk_changes_nothing(read: FakeWorkspace, step: str) -> None:
    read.store.at(step, disk_full())  # type: ignore[arg-type]
    error = await failed(read, SystemFailed)
    assert error.file == f"{HOME}/a.py"
    assert read.store.tree() == {"a.py": OLD, "b.py": OLD}
    assert read.ended == ["failed"]


async def test_what_cannot_be_rolled_back_either_is_unknown(read: FakeWorkspace) -> None:
    read.store.at("sync", disk_full())
    read.store.at("roll_back", disk_full())
    unknown = await failed(read, LandingUnknown)
    assert isinstance(unknown, LandingUnknown)
    assert [(one.path, one.where) for one in unknown.holding] == [("a.py", "disk")]
    assert read.ws.sessions.get("s", f"{HOME}/a.py") is None


@pytest.mark.parametrize("step", ["stage", "commit", "swap"])
async def test_somebodys_write_in_between_stays(read: FakeWorkspace, step: str) -> None:
    read.store.at(step, lambda: read.store.put("a.py", "theirs\n"))  # type: ignore[arg-type]
    conflict = await failed(read, Conflict)
    assert isinstance(conflict, Conflict)
    assert (conflict.reason, conflict.source) == ("reviewing", "disk")
    assert conflict.diff is not None
    assert "+theirs" in conflict.diff
    assert read.store.bytes_of("a.py") == b"theirs\n"


async def test_a_conflict_of_which_nothing_is_left_to_see_is_one_all_the_same(read: FakeWorkspace) -> None:
    read.store.at("swap", Conflict("a.py", "disk", "reviewing"))
    assert (await failed(read, Conflict)).file == f"{HOME}/a.py"


async def test_a_file_that_went_or_came_in_between_is_told(read: FakeWorkspace) -> None:
    read.store.at("swap", lambda: read.store.remove("a.py"))
    gone = await failed(read, Conflict)
    assert isinstance(gone, Conflict)
    assert gone.reason == "gone"
    read.reviewer.accepts()
    read.store.at("swap", lambda: read.store.put("c.py", "theirs\n"))
    with pytest.raises(Conflict, match="exists"):
        await read.write("c.py", "mine\n")


@pytest.mark.parametrize(("target", "error"), [("b.py", Conflict), ("/etc/passwd", OutsideRoots)])
async def test_a_link_that_came_in_between_leads_to_a_file_that_nobody_reviewed(
    read: FakeWorkspace, target: str, error: type[DomainError]
) -> None:
    read.store.at("swap", lambda: read.store.link("a.py", target))
    await failed(read, error)
    assert read.store.bytes_of("b.py") == OLD


async def test_folders_of_a_file_that_did_not_land_go(read: FakeWorkspace) -> None:
    read.store.at("swap", disk_full())
    with pytest.raises(SystemFailed):
        await read.write("made/deep/c.py", "x\n")
    assert read.store.tree() == {"a.py": OLD, "b.py": OLD}


async def test_what_a_cancelled_landing_left_on_disk_is_told(read: FakeWorkspace) -> None:
    task = asyncio.ensure_future(read.write("a.py", "new\n"))
    read.store.at("stage", task.cancel)
    with pytest.raises(LandingUnknown) as unknown:
        await task
    assert [(one.path, one.where) for one in unknown.value.holding] == [("a.py", "disk")]
    assert read.store.bytes_of("a.py") == NEW


async def test_an_edit_right_behind_one_of_a_large_file_waits_for_its_text(work: FakeWorkspace) -> None:
    await work.put_and_read("large", "a line of text\n" * 10_000)
    await work.edited("large", "a line of text\n", "b\n", replace_all=True)
    record = work.ws.sessions.get("s", f"{HOME}/large")
    assert record is not None
    assert record.text is None
    await settle()
    record = work.ws.sessions.get("s", f"{HOME}/large")
    assert record is not None
    assert record.text == "b\n" * 10_000


# --- a file that is opened while its landing waits for others ---------------------------------------------


async def test_a_file_that_was_opened_before_it_is_written_is_changed_in_the_editor(
    read: FakeWorkspace,
) -> None:
    read.store.at("lock", lambda: read.editor.open("a.py"))
    landing = (await read.write("a.py", "new\n")).landing
    assert landing is not None
    assert landing.where == "editor"
    assert (read.store.bytes_of("a.py"), read.editor.text_of("a.py")) == (OLD, "new\n")


async def test_a_file_that_was_opened_and_closed_again_is_written(read: FakeWorkspace) -> None:
    read.store.at("lock", lambda: (read.editor.open("a.py"), read.editor.close("a.py")))
    landing = (await read.write("a.py", "new\n")).landing
    assert landing is not None
    assert landing.where == "disk"
    assert read.store.bytes_of("a.py") == NEW


async def test_what_the_user_typed_before_the_file_is_written_is_a_conflict(read: FakeWorkspace) -> None:
    read.store.at("lock", lambda: read.editor.open("a.py", "old\nmine\n"))
    conflict = await failed(read, Conflict)
    assert isinstance(conflict, Conflict)
    assert (conflict.reason, conflict.source) == ("reviewing", "editor")
    assert (read.store.bytes_of("a.py"), read.editor.text_of("a.py")) == (OLD, "old\nmine\n")


async def test_a_file_in_which_the_user_types_meanwhile_is_not_deleted(read: FakeWorkspace) -> None:
    await read.write("c.py", "new\n")
    read.editor.open("c.py")
    read.reviewer.accepts()
    read.store.at("lock", lambda: read.editor.type("c.py", "new\n", "new\nmine\n"))
    with pytest.raises(Conflict):
        await read.undo()
    assert read.store.bytes_of("c.py") == NEW


@pytest.mark.parametrize("atomic", [True, False])
async def test_the_closed_file_of_a_batch_that_is_opened_meanwhile_is_a_conflict(
    read: FakeWorkspace, atomic: bool
) -> None:
    read.editor.open("a.py")
    read.store.at("lock", lambda: read.editor.open("b.py"))
    both = (write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    if atomic:
        with pytest.raises(Conflict) as conflict:
            await read.batch(*both)
        assert (conflict.value.path, conflict.value.reason) == ("b.py", "opened")
    else:
        assert (await read.batch(*both, atomic=False)).errors == ["", "Conflict"]
    assert read.store.tree() == {"a.py": OLD, "b.py": OLD}
    assert (read.editor.text_of("a.py"), read.editor.text_of("b.py")) == (
        "old\n" if atomic else "new\n",
        "old\n",
    )


async def test_a_file_that_is_opened_meanwhile_is_not_set_back_on_disk(read: FakeWorkspace) -> None:
    """a.py was saved with its part of the batch and closed, and b.py failed."""

    def save_and_close() -> None:
        read.editor.save("a.py")
        read.editor.close("a.py")

    def open_again() -> None:
        read.editor.open("a.py")

    read.editor.open("a.py")
    read.editor.open("b.py")
    read.store.at("lock", open_again)
    refusing = {"b.py": refuses()}
    read.reviewer.script.clear()
    read.reviewer.accepts(ScriptedApplier(read.editor, applies_and(save_and_close), refusing))
    with pytest.raises(LandingUnknown) as unknown:
        await read.batch(write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    assert [(one.path, one.where) for one in unknown.value.holding] == [("a.py", "editor"), ("a.py", "disk")]
    assert (read.store.bytes_of("a.py"), read.editor.text_of("a.py")) == (NEW, "new\n")


# --- several files ----------------------------------------------------------------------------------------


async def test_several_files_land_all_or_none(read: FakeWorkspace) -> None:
    read.store.at("swap", disk_full("b.py"), "b.py")
    with pytest.raises(SystemFailed):
        await read.batch(write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    assert read.store.tree() == {"a.py": OLD, "b.py": OLD}
    read.reviewer.accepts()
    await read.batch(write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    assert read.store.tree() == {"a.py": NEW, "b.py": NEW}


@pytest.mark.parametrize(
    ("step", "nth", "after"),
    [
        ("stage", 2, OLD),
        ("commit", 1, OLD),
        ("swap", 1, OLD),
        ("swap", 2, OLD),
        ("sync", 1, NEW),
        ("journal", 1, NEW),
    ],
)
async def test_a_crash_leaves_old_or_new(read: FakeWorkspace, step: str, nth: int, after: bytes) -> None:
    read.store.at(step, Crash(), nth=nth)  # type: ignore[arg-type]
    with pytest.raises(Crash):
        await read.batch(write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    with pytest.raises(Crash):
        await read.read("a.py")
    read.store.restart()
    half = read.store.needs_recovery()
    assert half is (step in ("swap", "sync", "journal"))
    recovered = read.store.sweep()
    assert [one.outcome for one in recovered] == (
        ["finished" if after == NEW else "rolled_back"] if half else []
    )
    assert read.store.tree() == {"a.py": after, "b.py": after}
    assert not read.store.needs_recovery()


async def test_files_that_another_server_left_half_landed_are_waited_for(read: FakeWorkspace) -> None:
    read.store.at("swap", Crash(), nth=2)
    with pytest.raises(Crash):
        await read.batch(write_of("a.py", "new\n"), write_of("b.py", "new\n"))
    read.store.restart()
    read.ws.recover = read.ws.begin_recovery
    reading = asyncio.ensure_future(read.read("a.py"))
    await settle()
    assert not reading.done()
    read.store.sweep()
    read.ws.end_recovery()
    assert (await reading).content == "old\n"
