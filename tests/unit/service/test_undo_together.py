"""Several changes undone together, as one proposal (docs/protocol.md#11-history-and-undo)."""

import asyncio
from itertools import count
from typing import Any

import pytest

from agentfs_lsp.domain.errors import Conflict, Rejected, UndoBlocked
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.service.undo import Undo, Undone, undo
from support.fakes.review import ScriptedApplier, saves, saves_and
from support.fakes.store import disk_full
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace, edit_of, write_of

LINES = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
async def lines(work: FakeWorkspace) -> FakeWorkspace:
    """a.txt has ten lines, which sessions "s" and "t" have read, and every change is allowed."""
    work.set(approval__mode="auto_edit")
    await work.put_and_read("a.txt", LINES)
    await work.read("a.txt", session="t")
    return work


def text(work: FakeWorkspace, path: str = "a.txt") -> str:
    data = work.store.bytes_of(path)
    assert data is not None
    return data.decode()


def of(work: FakeWorkspace, session: str = "s") -> tuple[str, ...]:
    """The session's changes, oldest first."""
    return tuple(record.id for record in work.history.records if record.session == session)


async def together(work: FakeWorkspace, *change_ids: str, **more: Any) -> Undone:
    command = Undo("user", agent="Undo", by_user=True, together=change_ids or of(work), **more)
    return await undo(work.ws, command)


async def refused(work: FakeWorkspace, *change_ids: str) -> list[tuple[tuple[str, ...], str]]:
    """Why they can't be undone: the files, and the kind of error with its reason."""
    before, proposed = work.store.tree(), len(work.reviewer.concluded_with)
    with pytest.raises(UndoBlocked) as blocked:
        await together(work, *change_ids)
    assert (work.store.tree(), len(work.reviewer.concluded_with)) == (before, proposed)
    reasons = [
        (one.paths, f"{type(one.error).__name__} {getattr(one.error, 'reason', '')}".strip())
        for one in blocked.value.blocked
    ]
    assert all(one.error.__traceback__ is None for one in blocked.value.blocked)
    return reasons


# --- the net effect ---------------------------------------------------------------------------------------


async def test_the_last_is_undone_first_whatever_the_clock_said(
    lines: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines.ws.clock, "date_ms", count(10**12, -1).__next__)
    await lines.edit("a.txt", "line 2", "two")
    await lines.edit("a.txt", "two", "zwei")
    undone = await together(lines)
    assert (text(lines), [one.id for one in undone.changes]) == (LINES, [*reversed(of(lines))])


async def test_what_a_session_did_is_undone_as_one_change_of_each_file(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.write("new/b.txt", "b\n")
    await lines.edit("a.txt", "two", "zwei")
    await lines.edit("new/b.txt", "b", "c")
    await lines.write("c.txt", "theirs\n", session="t")
    undone = await together(lines, explanation="Everything.")
    assert lines.store.tree() == {"a.txt": LINES.encode(), "c.txt": b"theirs\n"}
    assert [one.change.operation for one in undone.landings] == ["delete", "update"]
    assert [one.id for one in undone.changes] == [*reversed(of(lines))]
    record = lines.history.records[-1]
    assert (record.tool, record.agent, record.explanation, len(record.files)) == (
        "undo",
        "Undo",
        "Everything.",
        2,
    )
    assert lines.ended.count("landed") == 6

    await lines.undo(record.id)
    assert (text(lines), text(lines, "new/b.txt")) == (LINES.replace("line 2", "zwei"), "c\n")


async def test_it_is_one_proposal_that_is_reviewed(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.write("b.txt", "b\n")
    before = lines.store.tree()
    lines.set(approval__mode="manual")
    lines.reviewer.rejects()
    with pytest.raises(Rejected):
        await together(lines)
    assert lines.store.tree() == before
    (proposal,) = lines.reviewer.concluded_with[-1:]
    assert (len(proposal.changes), proposal.atomic) == (2, True)


@pytest.mark.parametrize("order", [1, -1])
async def test_they_are_undone_newest_first_in_whatever_order_they_are_given(
    lines: FakeWorkspace, order: int
) -> None:
    for old, new in (("line 2", "two"), ("two", "zwei"), ("zwei", "deux")):
        await lines.edit("a.txt", old, new)
    await together(lines, *of(lines)[::order], of(lines)[0])
    assert text(lines) == LINES


async def test_what_others_changed_elsewhere_stays_whether_it_came_between_or_later(
    lines: FakeWorkspace,
) -> None:
    await lines.edit("a.txt", "line 2", "two")
    lines.store.put("a.txt", text(lines).replace("line 5", "five"))
    await lines.read("a.txt")
    await lines.edit("a.txt", "line 8", "eight")
    lines.store.put("a.txt", text(lines).replace("line 10", "ten"))
    await together(lines)
    assert text(lines) == LINES.replace("line 5", "five").replace("line 10", "ten")


async def test_what_is_undone_already_is_no_change(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.edit("a.txt", "two", "zwei")
    await lines.write("b.txt", "b\n")
    changes = of(lines)
    assert len((await together(lines, *changes)).landings) == 2
    assert (await together(lines, *changes)).landings == ()


async def test_a_part_that_is_undone_already_is_no_conflict(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.edit("a.txt", "two", "zwei")
    first, second = changes = of(lines)
    await lines.undo(second, session="user")
    await together(lines, *changes)
    assert text(lines) == LINES
    await lines.undo(lines.history.records[-1].id, session="user")
    await lines.undo(first, session="user")
    assert text(lines) == LINES
    await lines.write("a.txt", LINES.replace("line 9", "nine"), expected_hash=hash_bytes(LINES.encode()))
    await together(lines, *changes)
    assert text(lines) == LINES.replace("line 9", "nine")


async def test_what_was_changed_and_changed_back_is_nobodys(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.edit("a.txt", "two", "line 2")
    await lines.write("b.txt", "b\n")
    lines.store.put("a.txt", text(lines).replace("line 2", "two, by hand"))
    undone = await together(lines)
    assert [one.change.path for one in undone.landings] == ["b.txt"]
    assert text(lines) == LINES.replace("line 2", "two, by hand")


async def test_what_was_typed_while_a_change_was_saved_stays(lines: FakeWorkspace) -> None:
    lines.editor.open("a.txt")
    for (old, new), typed in (
        (("line 2", "two"), ("line 9", "nine")),
        (("line 5", "five"), ("line 7", "seven")),
    ):
        formats = saves_and(lambda: None, first=lambda typed=typed: lines.editor.type("a.txt", *typed))
        lines.reviewer.applier = ScriptedApplier(lines.editor, save=formats)
        await lines.read("a.txt")
        await lines.edit("a.txt", old, new)
    lines.reviewer.applier = ScriptedApplier(lines.editor, save=saves)
    await together(lines)
    assert text(lines) == LINES.replace("line 9", "nine").replace("line 7", "seven")


# --- files that come and go -------------------------------------------------------------------------------


async def test_a_file_that_was_created_and_deleted_again_is_left_alone(lines: FakeWorkspace) -> None:
    await lines.write("b.txt", "b\n")
    await lines.undo()
    lines.store.put("b.txt", "theirs\n")
    assert (await together(lines)).landings == ()
    assert text(lines, "b.txt") == "theirs\n"


async def test_a_deleted_file_that_was_created_anew_gets_its_old_text(lines: FakeWorkspace) -> None:
    await lines.write("new/b.txt", "one\n")
    created, *_ = of(lines)
    await lines.undo()
    deleted = of(lines)[1]
    await lines.write("new/b.txt", "two\n")
    written = of(lines)[2]
    undone = await together(lines, deleted, written)
    assert (text(lines, "new/b.txt"), undone.landings[0].change.operation) == ("one\n", "update")
    await together(lines, created)
    assert lines.store.tree() == {"a.txt": LINES.encode()}, "its folder is gone, too"


async def test_the_folder_that_the_first_of_two_creations_made_is_removed(lines: FakeWorkspace) -> None:
    await lines.write("new/b.txt", "one\n")
    lines.store.put("new/c.txt", "theirs\n")
    await lines.undo()
    await lines.write("new/b.txt", "two\n")
    lines.store.remove("new/c.txt")
    undone = await together(lines)
    assert lines.store.tree() == {"a.txt": LINES.encode()}
    assert undone.folders_left == ()


async def test_what_a_session_deleted_comes_back_as_it_was_before_the_session(lines: FakeWorkspace) -> None:
    await lines.write("b.txt", "one\n", session="t")
    (created,) = of(lines, "t")
    await lines.read("b.txt")
    await lines.edit("b.txt", "one", "two")
    edited = of(lines)[0]
    lines.store.put("b.txt", "one\n")
    await lines.undo(created)
    await together(lines, edited, of(lines)[1])
    assert text(lines, "b.txt") == "one\n"


async def test_a_created_file_that_others_changed_between_is_deleted_if_they_took_it_back(
    lines: FakeWorkspace,
) -> None:
    await lines.write("b.txt", LINES)
    lines.store.put("b.txt", LINES + "mine\n")
    await lines.read("b.txt")
    await lines.edit("b.txt", "line 2", "two")
    assert await refused(lines) == [(("b.txt",), "Conflict overlap")]
    lines.store.put("b.txt", text(lines, "b.txt").removesuffix("mine\n"))
    undone = await together(lines)
    assert [one.change.operation for one in undone.landings] == ["delete"]
    assert "b.txt" not in lines.store.tree()


# --- what cannot be undone --------------------------------------------------------------------------------


async def test_all_conflicts_are_named_before_anything_is_proposed(lines: FakeWorkspace) -> None:
    lines.store.put("c.txt", "c\n")
    await lines.read("c.txt")
    await lines.batch(edit_of("a.txt", "line 5\n", "five\n"), write_of("b.txt", "b\n"))
    await lines.edit("c.txt", "c", "d")
    lines.store.put("a.txt", text(lines).replace("five", "FIVE"))
    lines.store.put("b.txt", "b\nmore\n")
    lines.set(approval__mode="manual")
    reasons = await refused(lines)
    assert sorted(reasons) == [(("a.txt",), "Conflict overlap"), (("b.txt",), "Conflict overlap")]


async def test_a_conflict_names_lines_of_the_current_file(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 8\n", "eight\n")
    lines.store.put("a.txt", text(lines).replace("line 1\n", "one\n"))
    await lines.read("a.txt")
    await lines.edit("a.txt", "line 3\n", "")
    lines.store.put("a.txt", text(lines).replace("eight", "EIGHT"))
    with pytest.raises(UndoBlocked) as blocked:
        await together(lines)
    (one,) = blocked.value.blocked
    assert isinstance(one.error, Conflict)
    assert (one.error.lines, text(lines).splitlines()[6]) == ((7,), "EIGHT")
    assert one.error.actual is not None
    assert one.error.actual.hash == hash_bytes(text(lines).encode())


async def test_what_is_unknown_or_incomplete_is_named_with_its_files(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.batch(write_of("b.txt", "b\n"), write_of("c.txt", "c\n"))
    lines.history.drop_texts(of(lines)[1])
    reasons = await refused(lines, *of(lines), "none")
    assert reasons == [((), "ChangeUnknown"), (("b.txt", "c.txt"), "NotUndoable texts")]


async def test_more_text_than_fits_is_refused_before_the_rest_is_loaded(
    lines: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    length = len(text(lines))
    for number in (2, 4, 6):
        await lines.edit("a.txt", f"line {number}\n", f"{number}\n")
        length += len(text(lines))
    monkeypatch.setattr("agentfs_lsp.service.undo.MAX_TEXT", length - 1)
    assert await refused(lines, *of(lines), "unknown") == [((), "NotUndoable size")]
    monkeypatch.setattr("agentfs_lsp.service.undo.MAX_TEXT", length)
    await together(lines)


async def test_without_all_of_its_folders_nothing_is_undone(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit")
    work.open_roots("work", "other")
    await work.write("work/a.txt", "a\n")
    await work.batch(write_of("work/b.txt", "b\n"), write_of("other/c.txt", "c\n"))
    work.open_roots("work")
    assert await refused(work) == [(("b.txt",), "NotUndoable elsewhere")]


async def test_a_folder_that_closes_while_they_wait_for_their_turn_blocks_them(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit")
    work.open_roots("work", "other")
    await work.batch(write_of("work/a.txt", "a\n"), write_of("other/b.txt", "b\n"))
    (record,) = work.history.records
    async with work.ws.queue.turn(record.files[0].absolute):
        asked = asyncio.ensure_future(together(work))
        await settle()
        work.open_roots("work")
    with pytest.raises(UndoBlocked) as blocked:
        await asked
    (one,) = blocked.value.blocked
    assert (one.paths, getattr(one.error, "reason", "")) == (("a.txt", "b.txt"), "elsewhere")


async def test_bytes_that_are_no_text_are_not_made_up(lines: FakeWorkspace) -> None:
    data = b"a \xff one\nb\n"
    lines.store.put("b.txt", data)
    await lines.write("b.txt", "new\n", expected_hash=hash_bytes(data))
    await lines.edit("b.txt", "new", "newer")
    assert await refused(lines) == [(("b.txt",), "NotUndoable bytes")]


async def test_the_encoding_from_before_all_of_them_comes_back(work: FakeWorkspace) -> None:
    work.set(approval__mode="auto_edit", encoding__default="gbk")
    before = "中\n3\n".encode("gbk")
    await work.put_and_read("a.txt", before)
    await work.edit("a.txt", "中", "2")
    work.set(encoding__default="utf-8")
    await work.edit("a.txt", "3", "4")
    await together(work)
    assert work.store.bytes_of("a.txt") == before


async def test_where_one_file_fails_all_stay(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    await lines.write("b.txt", "b\n")
    lines.store.at("swap", disk_full("b.txt"), "b.txt")
    with pytest.raises(Exception, match=r"No space"):
        await together(lines)
    assert (text(lines), text(lines, "b.txt")) == (LINES.replace("line 5", "five"), "b\n")


async def test_unsaved_text_elsewhere_stays_and_the_undo_waits_in_the_editor(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.edit("a.txt", "line 5", "five")
    lines.editor.open("a.txt")
    lines.editor.type("a.txt", "line 9", "nine")
    undone = await together(lines)
    assert lines.editor.text_of("a.txt") == LINES.replace("line 9", "nine")
    assert undone.unsaved == ("a.txt",)


# --- without what stands in the way -----------------------------------------------------------------------


async def test_files_that_stand_in_the_way_stay_if_the_user_wants_the_others(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.write("new/b.txt", "b\n")
    await lines.write("c.txt", "c\n")
    lines.store.put("a.txt", text(lines).replace("two", "two, by hand"))
    lines.store.put("new/b.txt", b"b, by hand\n")
    before = lines.store.tree()
    assert [paths for paths, _ in await refused(lines)] == [("new/b.txt",), ("a.txt",)]

    undone = await together(lines, leave_blocked=True)
    assert lines.store.tree() == {path: data for path, data in before.items() if path != "c.txt"}
    assert [one.change.path for one in undone.landings] == ["c.txt"]
    assert [one.id for one in undone.changes] == [of(lines)[2]]


async def test_a_change_that_cannot_be_undone_stays_too_and_its_files_with_it(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    await lines.write("b.txt", "b\n")
    undone = await together(lines, *of(lines), "0000000000000000", leave_blocked=True)
    assert lines.store.tree() == {"a.txt": LINES.encode()}
    assert len(undone.changes) == 2


async def test_without_any_others_it_is_refused_as_always(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2", "two")
    lines.store.put("a.txt", text(lines).replace("two", "two, by hand"))
    with pytest.raises(UndoBlocked):
        await together(lines, leave_blocked=True)
    assert "two, by hand" in text(lines)
