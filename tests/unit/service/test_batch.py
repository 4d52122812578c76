"""agentfs/batch as a use case (docs/protocol.md#10-agentfsbatch)."""

import asyncio
from typing import Any

import pytest

from agentfs_lsp.domain.errors import (
    Conflict,
    DomainError,
    FolderMissing,
    LandingUnknown,
    LeftUndone,
    MalformedPath,
    NotLanded,
    PolicyDenied,
)
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.batch import Batch, Step, batch
from agentfs_lsp.service.change_request import Target, locate
from agentfs_lsp.service.proposal.change import preview_together
from support.fakes.disk import HOME
from support.fakes.review import ScriptedApplier, applies, applies_after, pretends, refuses
from support.fakes.store import disk_full
from support.fakes.workspace import FakeWorkspace, edit_of, write_of


@pytest.fixture
async def read(work: FakeWorkspace) -> FakeWorkspace:
    """a.py and b.py have three lines each; session "s" has read both."""
    for name in ("a.py", "b.py"):
        await work.put_and_read(name, "one\ntwo\nthree\n")
    return work


async def failed(work: FakeWorkspace, *commands: object, **more: object) -> tuple[DomainError, list[str]]:
    """The batch's error, and each step's."""
    steps = [Step(command) for command in commands]  # type: ignore[arg-type]
    with pytest.raises(DomainError) as raised:
        await batch(work.ws, Batch(steps, "s", **more), work.ws.sessions.moment)  # type: ignore[arg-type]
    assert raised.value in [step.error for step in steps if not isinstance(step.error, LeftUndone)]
    return raised.value, [type(step.error).__name__ for step in steps]


# --- computing --------------------------------------------------------------------------------------------


async def test_operations_on_one_file_build_on_each_other(read: FakeWorkspace) -> None:
    read.reviewer.accepts()
    done = await read.batch(
        edit_of("a.py", "one", "1"), write_of("new.py", "x = 1\n"), edit_of("a.py", "1\ntwo", "1\n2")
    )
    assert read.store.bytes_of("a.py") == b"1\n2\nthree\n"
    assert [change.path for change in done.changes] == ["a.py", "new.py"]
    assert done.changes[0].tools == ("edit",)
    assert [step.made.replacements if step.made else None for step in done.steps] == [1, 0, 1]
    assert len(read.reviewer.reviewed) == 1


async def test_others_get_their_turns_while_many_files_are_found(
    read: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But no later change of one of them overtakes the batch."""
    turns, found_at, begun = 0, [], asyncio.Event()

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def finding(*given: Any) -> Target:
        found_at.append(turns)
        begun.set()
        return locate(*given)

    monkeypatch.setattr("agentfs_lsp.service.batch.locate", finding)
    read.reviewer.accepts()
    read.reviewer.accepts()
    running = asyncio.ensure_future(others())
    new = [write_of(f"{number}.py", "x = 1\n") for number in range(20)]
    batching = asyncio.ensure_future(read.batch(*new, edit_of("a.py", "one", "1")))
    await begun.wait()
    await read.edit("a.py", "1", "2")
    await batching
    running.cancel()
    assert len(set(found_at)) == len(found_at) == 21
    assert read.store.bytes_of("a.py") == b"2\ntwo\nthree\n"


async def test_a_file_that_was_just_made_may_be_edited_and_replaced(work: FakeWorkspace) -> None:
    work.reviewer.accepts()
    await work.batch(write_of("a.py", "x\n"), edit_of("a.py", "x", "y"), write_of("a.py", "y\nz\n"))
    assert work.store.bytes_of("a.py") == b"y\nz\n"


async def test_operations_on_an_open_file_build_on_each_other(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.accepts()
    await read.batch(edit_of("a.py", "one", "1"), edit_of("a.py", "three", "3"))
    assert read.editor.text_of("a.py") == "1\ntwo\n3\n"


async def test_a_file_made_by_an_earlier_operation_is_there_already(work: FakeWorkspace) -> None:
    error, steps = await failed(
        work, write_of("a.py", "x\n"), write_of("a.py", "y\n", overwrite=False), write_of("c.py", "z\n")
    )
    assert isinstance(error, Conflict)
    assert error.reason == "exists"
    assert steps == ["LeftUndone", "Conflict", "LeftUndone"]


async def test_what_is_expected_is_meant_of_the_file_before_all_operations(read: FakeWorkspace) -> None:
    known = hash_bytes(b"one\ntwo\nthree\n")
    read.reviewer.accepts()
    await read.batch(edit_of("a.py", "one", "1"), edit_of("a.py", "two", "2", expected_hash=known))
    error, _ = await failed(
        read, edit_of("a.py", "1", "one"), edit_of("a.py", "2", "two", expected_hash=known)
    )
    assert isinstance(error, Conflict)
    assert error.reason == "expected"


async def test_no_file_stands_below_another(work: FakeWorkspace) -> None:
    error, _ = await failed(work, write_of("a", "x\n"), write_of("a/b", "y\n"))
    assert isinstance(error, MalformedPath)


@pytest.mark.parametrize("atomic", [True, False])
async def test_a_folder_one_operation_makes_is_there_for_the_next(work: FakeWorkspace, atomic: bool) -> None:
    work.reviewer.accepts()
    done = await work.batch(
        write_of("new/a.py", "x\n"), write_of("new/b.py", "y\n", create_dirs=False), atomic=atomic
    )
    assert work.store.tree() == {"new": b"/", "new/a.py": b"x\n", "new/b.py": b"y\n"}
    assert done.errors == ["", ""]
    error, _ = await failed(work, write_of("c.py", "x\n"), write_of("no/d.py", "y\n", create_dirs=False))
    assert isinstance(error, FolderMissing)


async def test_nothing_to_change_is_nothing_to_review(read: FakeWorkspace) -> None:
    done = await read.batch(edit_of("a.py", "one", "1"), edit_of("a.py", "1", "one"))
    assert (done.changes, done.errors, read.ended) == ([], ["", ""], ["landed"])


async def test_a_dry_run_only_reports(read: FakeWorkspace) -> None:
    done = await read.batch(edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"), dry_run=True)
    assert [change.line_counts for change in done.changes] == [(1, 1), (1, 1)]
    together = preview_together(done.changes, read.ws.settings)
    assert "a/a.py" in together.text
    assert "a/b.py" in together.text
    read.set(diff__max_lines=7)
    cut = preview_together(done.changes, read.ws.settings)
    assert cut.truncated
    assert "a/b.py" not in cut.text
    assert read.ended == []


# --- what goes wrong --------------------------------------------------------------------------------------


async def test_one_operation_that_fails_leaves_all_undone(read: FakeWorkspace) -> None:
    _, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "nowhere", "1"))
    assert steps == ["LeftUndone", "NoMatch"]
    assert read.store.bytes_of("a.py") == b"one\ntwo\nthree\n"


async def test_without_atomic_the_other_steps_land(read: FakeWorkspace) -> None:
    read.reviewer.accepts()
    done = await read.batch(
        edit_of("a.py", "one", "1"),
        edit_of("b.py", "nowhere", "1"),
        edit_of("../outside", "x", "y"),
        atomic=False,
    )
    assert done.errors == ["", "NoMatch", "OutsideRoots"]
    assert read.store.bytes_of("a.py") == b"1\ntwo\nthree\n"


async def test_where_each_fails_by_itself_nobody_is_asked(read: FakeWorkspace) -> None:
    done = await read.batch(edit_of("a.py", "nowhere", "1"), edit_of("b.py", "no", "1"), atomic=False)
    assert (done.errors, read.ended) == (["NoMatch", "NoMatch"], ["failed"])


async def test_a_file_that_may_not_be_read_is_in_no_batch(read: FakeWorkspace) -> None:
    read.set(rules=(Rule(("b.py",), read="deny"),))
    _, steps = await failed(read, edit_of("a.py", "one", "1"), write_of("b.py", "x\n"))
    assert steps == ["LeftUndone", "PolicyDenied"]


async def test_a_file_written_and_edited_is_judged_as_both(read: FakeWorkspace) -> None:
    read.set(rules=(Rule(("a.py",), write="deny"),))
    error, _ = await failed(read, edit_of("a.py", "one", "1"), write_of("a.py", "x\n"))
    assert isinstance(error, PolicyDenied)


@pytest.mark.parametrize(("paths", "of_a"), [(["b.py"], "LeftUndone"), ([], "Rejected")])
async def test_a_no_to_one_or_all_is_one_to_all_that_land_together(
    read: FakeWorkspace, paths: list[str], of_a: str
) -> None:
    read.reviewer.rejects("no", paths=paths)
    _, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert steps == [of_a, "Rejected"]


async def test_a_no_to_one_file_lets_the_others_land(read: FakeWorkspace) -> None:
    read.reviewer.accepts(rejecting=["b.py"], feedback="not this one")
    done = await read.batch(edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"), atomic=False)
    assert done.errors == ["", "Rejected"]
    assert read.store.bytes_of("a.py") == b"1\ntwo\nthree\n"
    assert read.store.bytes_of("b.py") == b"one\ntwo\nthree\n"
    assert [file.relative for file in read.history.records[0].files] == ["a.py"]


async def test_an_error_about_one_file_is_told_with_that(read: FakeWorkspace) -> None:
    read.store.at("swap", disk_full("b.py"), "b.py")
    read.reviewer.accepts()
    _, steps = await failed(
        read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"), edit_of("b.py", "two", "2")
    )
    assert steps == ["LeftUndone", "SystemFailed", "LeftUndone"]


async def test_an_unknown_landing_is_reported_for_each_step(read: FakeWorkspace) -> None:
    read.store.at("sync", disk_full("b.py"), "b.py")
    read.store.at("roll_back", disk_full("a.py"), "a.py")
    read.reviewer.accepts()
    error, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert isinstance(error, LandingUnknown)
    assert [one.path for one in error.holding] == ["a.py"]
    assert steps == ["LandingUnknown", "LandingUnknown"]


# --- each by itself ---------------------------------------------------------------------------------------


async def each(work: FakeWorkspace) -> tuple[list[str], list[str]]:
    """Edit both files independently: the steps' errors, and how the batch ended."""
    done = await work.batch(edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"), atomic=False)
    return done.errors, list(work.ended)


async def test_each_file_lands_whatever_becomes_of_the_others(read: FakeWorkspace) -> None:
    read.store.at("swap", disk_full("a.py"), "a.py")
    read.reviewer.accepts()
    assert await each(read) == (["SystemFailed", ""], ["landed"])


async def test_a_file_that_moved_stays_and_the_other_lands(read: FakeWorkspace) -> None:
    read.editor.open("a.py")
    read.reviewer.accepts(first=lambda: read.editor.type("a.py", "one", "typed"))
    assert await each(read) == (["Conflict", ""], ["landed"])


async def test_open_and_closed_files_land_each_by_itself(read: FakeWorkspace) -> None:
    read.editor.open("b.py")
    read.reviewer.accepts()
    assert await each(read) == (["", ""], ["editor"])
    read.reviewer.accepts(ScriptedApplier(read.editor, refuses()))
    done = await read.batch(edit_of("a.py", "two", "2"), edit_of("b.py", "two", "2"), atomic=False)
    assert done.errors == ["", "NotLanded"]


async def test_the_client_is_told_that_no_file_landed(read: FakeWorkspace) -> None:
    read.editor.open("b.py")
    read.store.at("swap", disk_full("a.py"))
    applier = ScriptedApplier(read.editor, refuses())
    read.reviewer.accepts(applier)
    assert await each(read) == (["SystemFailed", "NotLanded"], ["failed"])
    assert applier.told == ["apply", "failed"]


async def test_what_has_not_landed_when_it_is_stopped_is_left(read: FakeWorkspace) -> None:
    def stops() -> None:
        (proposal,) = read.ws.proposals
        proposal.stop()

    read.store.at("swap", stops, "a.py")
    read.reviewer.accepts()
    assert await each(read) == (["", "LeftUndone"], ["landed"])


# --- previews ---------------------------------------------------------------------------------------------


async def previewed(read: FakeWorkspace) -> None:
    for name in ("a.py", "b.py"):
        read.editor.open(name)


async def test_what_was_not_ticked_was_rejected(read: FakeWorkspace) -> None:
    await previewed(read)
    read.reviewer.applies_by_itself(applies, {"b.py": pretends})
    assert await each(read) == (["", "Rejected"], ["editor"])
    assert read.clock.seconds == 5


async def test_a_ticked_file_may_arrive_long_after_the_first(read: FakeWorkspace) -> None:
    await read.put_and_read("c.py", "one\n")
    names = ("a.py", "b.py", "c.py")
    for name in names:
        read.editor.open(name)
    slow = {"b.py": applies_after(4), "c.py": applies_after(8)}
    read.reviewer.applies_by_itself(applies, slow)
    done = await read.batch(*(edit_of(name, "one", "1") for name in names), atomic=False)
    assert done.errors == ["", "", ""]


@pytest.mark.parametrize("atomic", [False, True])
async def test_what_a_preview_brings_late_is_the_users_own_change(read: FakeWorkspace, atomic: bool) -> None:
    await previewed(read)
    read.reviewer.applies_by_itself(applies, {"b.py": applies_after(8)})
    edits = [edit_of(name, "one", "1") for name in ("a.py", "b.py")]
    if atomic:
        await failed(read, *edits)
    else:
        assert (await read.batch(*edits, atomic=False)).errors == ["", "Rejected"]
    await asyncio.sleep(40)
    kept = [(one.decision, [file.relative for file in one.files]) for one in read.history.records]
    assert kept == [*([] if atomic else [("accepted", ["a.py"])]), ("withdrawn", ["b.py"])]
    assert len({one.id for one in read.history.records}) == len(kept)
    if not atomic:
        read.reviewer.applies_by_itself()
        assert (await read.undo()).change.id == read.history.records[0].id


async def test_what_was_not_ticked_is_a_no_to_all_that_land_together(read: FakeWorkspace) -> None:
    await previewed(read)
    read.reviewer.applies_by_itself(applies, {"b.py": pretends})
    _, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert steps == ["LeftUndone", "Rejected"]
    assert read.editor.text_of("a.py") == "one\ntwo\nthree\n"


async def test_where_nothing_was_applied_nothing_landed(read: FakeWorkspace) -> None:
    await previewed(read)
    read.reviewer.applies_by_itself(pretends)
    error, _ = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"), atomic=False)
    assert isinstance(error, NotLanded)
    assert error.reason == "unchanged"


async def test_a_previewed_document_that_was_saved_and_closed_is_found_on_disk(read: FakeWorkspace) -> None:
    await previewed(read)

    async def goes(editor: object, edit: object) -> object:
        read.store.put("b.py", "1\ntwo\nthree\n")
        read.editor.close("b.py")
        return None

    read.reviewer.applies_by_itself(applies, {"b.py": goes})  # type: ignore[dict-item]
    assert await each(read) == (["", ""], ["editor"])


async def test_documents_closed_without_a_save_leave_nothing_to_land(read: FakeWorkspace) -> None:
    await previewed(read)

    def close_both() -> None:
        for name in ("a.py", "b.py"):
            read.editor.close(name)

    async def closes(editor: object, uri: str) -> bool:
        if read.documents.at(f"{HOME}/a.py"):
            close_both()
        return True

    read.reviewer.accepts(ScriptedApplier(read.editor, save=closes))
    error, _ = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert isinstance(error, NotLanded)
    assert error.reason == "closed"


async def test_an_editor_that_is_silent_keeps_no_closed_file_from_landing(read: FakeWorkspace) -> None:
    read.editor.open("b.py")
    read.reviewer.accepts(ScriptedApplier(read.editor, pretends))
    assert await each(read) == (["", "LandingUnknown"], ["landed"])
    assert read.store.bytes_of("a.py") == b"1\ntwo\nthree\n"


async def test_a_folder_that_was_to_come_with_a_rejected_file_is_missing(work: FakeWorkspace) -> None:
    work.reviewer.accepts(rejecting=["made/a.py"])
    done = await work.batch(
        write_of("made/a.py", "a\n"),
        write_of("made/b.py", "b\n", create_dirs=False),
        write_of("c.py", "c\n"),
        atomic=False,
    )
    assert done.errors == ["Rejected", "FolderMissing", ""]
    assert work.store.tree() == {"c.py": b"c\n"}


@pytest.mark.parametrize(
    ("earlier", "path"), [("later/a.py", "later/deeper/b.py"), ("later-too/a.py", "later/b.py")]
)
async def test_a_folder_no_earlier_step_makes_is_missing(
    work: FakeWorkspace, earlier: str, path: str
) -> None:
    _, steps = await failed(
        work,
        write_of(earlier, "a\n"),
        write_of(path, "b\n", create_dirs=False),
        write_of("later/deeper/c", "c\n"),
    )
    assert steps == ["LeftUndone", "FolderMissing", "LeftUndone"]


async def test_a_file_that_moved_since_the_read_is_a_conflict_of_its_operation(read: FakeWorkspace) -> None:
    read.store.put("b.py", "theirs\n")
    _, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert steps == ["LeftUndone", "Conflict"]


async def test_a_preview_answered_with_a_no_because_a_file_moved_is_a_conflict(read: FakeWorkspace) -> None:
    read.reviewer.channel = "preview"
    read.reviewer.rejects(first=lambda: read.store.put("b.py", "theirs\n"))
    _, steps = await failed(read, edit_of("a.py", "one", "1"), edit_of("b.py", "one", "1"))
    assert steps == ["LeftUndone", "Conflict"]
