"""agentfs/undo as a use case (docs/protocol.md#11-history-and-undo)."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.errors import (
    ChangeUnknown,
    Conflict,
    LandingUnknown,
    LastUndecided,
    NothingToUndo,
    NotRead,
    NotUndoable,
    Rejected,
    TooManyPending,
)
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.settings.rules import Rule
from agentfs_lsp.service.proposal.record import HistoryRecord
from support.fakes.disk import HOME
from support.fakes.review import ScriptedApplier, refuses, saves, saves_and
from support.fakes.store import disk_full
from support.fakes.time import settle
from support.fakes.workspace import FakeWorkspace, edit_of, write_of

LINES = "".join(f"line {number}\n" for number in range(1, 11))
URI = f"file://{HOME}/a.txt"


@pytest.fixture
async def lines(work: FakeWorkspace) -> FakeWorkspace:
    """a.txt has ten lines, which session "s" has read, and every change is allowed."""
    work.set(approval__mode="auto_edit")
    await work.put_and_read("a.txt", LINES)
    return work


def text(work: FakeWorkspace, path: str = "a.txt") -> str:
    data = work.store.bytes_of(path)
    assert data is not None
    return data.decode()


def last_id(work: FakeWorkspace) -> str:
    return work.history.records[-1].id


# --- which change -----------------------------------------------------------------------------------------


async def test_the_sessions_last_change_is_undone_and_that_is_a_change_too(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    await lines.write("b.txt", "theirs\n", session="other")
    undone = await lines.undo(agent="Ada", explanation="Better before.")
    assert text(lines) == LINES
    assert undone.change.tool == "edit"
    assert [one.where for one in undone.landings] == ["disk"]
    assert (undone.access.path, lines.history.records[-1].tool) == ("a.txt", "undo")
    assert lines.history.records[-1].explanation == "Better before."
    await lines.undo()
    assert "five" in text(lines)


async def test_what_the_user_undid_is_not_the_sessions_last_change(lines: FakeWorkspace) -> None:
    """Or the agent would take the user's undo back."""
    await lines.edit("a.txt", "line 2", "two")
    await lines.undo(last_id(lines), by_user=True)
    undone = await lines.undo()
    assert (undone.landings, text(lines)) == ((), LINES)


async def test_a_change_is_undone_by_its_id_whoever_made_it(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    first = last_id(lines)
    await lines.edit("a.txt", "line 9", "nine")
    await lines.undo(first, session="other")
    assert text(lines) == LINES.replace("line 9", "nine")


async def test_there_is_nothing_to_undo_where_nothing_was_done(lines: FakeWorkspace) -> None:
    with pytest.raises(NothingToUndo):
        await lines.undo()
    with pytest.raises(ChangeUnknown):
        await lines.undo("none")
    assert lines.ended == ["failed", "failed"]


async def test_the_last_change_is_not_known_while_one_waits(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    lines.set(approval__mode="manual")
    lines.reviewer.never_answers()
    waiting = asyncio.ensure_future(lines.edit("a.txt", "line 2", "two"))
    await settle()
    with pytest.raises(LastUndecided) as refused:
        await lines.undo()
    assert refused.value.paths == ("a.txt",)
    lines.set(limits__pending_per_session=1)
    with pytest.raises(TooManyPending):
        await lines.undo()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_it_is_reviewed_like_any_change(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    lines.set(approval__mode="manual")
    lines.reviewer.rejects()
    with pytest.raises(Rejected):
        await lines.undo()
    assert "five" in text(lines)


async def test_what_is_as_before_already_is_no_change(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    change = last_id(lines)
    await lines.undo(change)
    assert (await lines.undo(change)).landings == ()


# --- in a file that has moved on --------------------------------------------------------------------------


async def test_what_came_later_elsewhere_is_kept_and_overlaps_are_a_conflict(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 2\n", "two\n")
    await lines.edit("a.txt", "line 5\n", "five\n")
    lines.store.put("a.txt", text(lines).replace("line 9", "nine").replace("five", "V"))
    second, fifth = (record.id for record in lines.history.records)
    await lines.undo(second)
    assert text(lines) == LINES.replace("line 9", "nine").replace("line 5", "V")
    with pytest.raises(Conflict) as refused:
        await lines.undo(fifth)
    assert (refused.value.reason, refused.value.lines) == ("overlap", (5,))


def sorted_imports(text: str) -> str:
    lines = text.splitlines(keepends=True)
    imports = sorted(line for line in lines if line.startswith(("from", "import")))
    return "".join([*imports, *(line for line in lines if line not in imports)])


def joined_imports(text: str) -> str:
    """What is imported from `x` in one line, where the first one was."""
    names = ", ".join(sorted(re.findall(r"from x import (\w+)\n", text)))
    at, rest = text.index("from x"), re.sub(r"from x import \w+\n", "", text)
    return f"{rest[:at]}from x import {names}\n{rest[at:]}"


BODY = "\n\ndef f() -> int:\n    return q\n"


@pytest.mark.parametrize("put_at", [0, 1, 2, 3])
@pytest.mark.parametrize("tidy", [sorted_imports, joined_imports])
async def test_what_a_save_moved_between_the_change_and_other_lines_is_undone_with_it(
    work: FakeWorkspace, tidy: Callable[[str], str], put_at: int
) -> None:
    work.set(approval__mode="auto_edit")
    lines = ["import io\n", "from x import q\n", "import zlib\n"]
    await work.put_and_read("a.py", "".join(lines) + BODY)
    work.editor.open("a.py")
    typed = ("return q", "return q + 1")

    def save() -> None:
        text = work.editor.text_of("a.py") or ""
        work.editor.documents.change(f"file://{HOME}/a.py", tidy(text).replace(*typed))

    work.reviewer.applier = ScriptedApplier(work.editor, save=saves_and(lambda: None, first=save))
    more = ["import os\n", "from x import b\n", "import ast\n"]
    await work.write("a.py", "".join([*lines[:put_at], *more, *lines[put_at:]]) + BODY)
    work.reviewer.applier = ScriptedApplier(work.editor, save=saves)
    await work.undo()
    assert work.store.bytes_of("a.py") == ("".join(lines) + BODY.replace(*typed)).encode()


async def test_lines_of_the_change_that_were_moved_since_are_a_conflict(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5\n", "line 5\nalpha one\nbeta two\n")
    lines.store.put("a.txt", LINES.replace("line 8\n", "line 8\nalpha one\nbeta two\n"))
    with pytest.raises(Conflict) as refused:
        await lines.undo()
    assert (refused.value.reason, refused.value.lines) == ("overlap", (9, 10))


async def test_one_line_among_many_that_stands_elsewhere_is_no_conflict(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5\n", "line 5\nalpha one\nbeta two\ngamma three\n")
    lines.store.put("a.txt", LINES.replace("line 8\n", "line 8\nbeta two\n"))
    assert (await lines.undo()).landings == ()


async def test_it_lands_in_the_editor_beside_unsaved_changes(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    lines.editor.open("a.txt")
    lines.editor.type("a.txt", "line 9", "nine")
    undone = await lines.undo()
    assert lines.editor.text_of("a.txt") == LINES.replace("line 9", "nine")
    assert ([one.where for one in undone.landings], lines.ended[-1]) == (["editor"], "editor")


async def test_a_file_that_is_gone_or_wrongly_shown_is_not_changed(lines: FakeWorkspace) -> None:
    await lines.put_and_read("a.txt", "é\ntwo\n")
    await lines.edit("a.txt", "two", "2")
    lines.documents.open(URI, f"{HOME}/a.txt", "\ufffd\n2\n")
    with pytest.raises(Conflict, match="wrong_encoding"):
        await lines.undo()
    lines.documents.close(URI)
    lines.store.remove("a.txt")
    with pytest.raises(Conflict, match="gone"):
        await lines.undo()


@pytest.mark.parametrize(
    ("amended", "typed", "back"),
    [
        ({"a.txt": LINES.replace("line 5", "V")}, ("line 9", "nine"), LINES.replace("line 9", "nine")),
        ({}, ("five", "FIVE"), LINES),  # its own lines, formatted
    ],
)
async def test_what_came_in_saving_stays_where_it_is_none_of_the_change(
    lines: FakeWorkspace, amended: dict[str, str], typed: tuple[str, str], back: str
) -> None:
    lines.set(approval__mode="manual")
    lines.editor.open("a.txt")
    formats = saves_and(lambda: None, first=lambda: lines.editor.type("a.txt", *typed))
    lines.reviewer.accepts(ScriptedApplier(lines.editor, save=formats), amended=amended)
    await lines.edit("a.txt", "line 5", "five")
    lines.reviewer.accepts(ScriptedApplier(lines.editor, save=saves))
    await lines.undo()
    assert text(lines) == back


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        ("one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n", "5"),
        ("one\rtwo\rthree\rfour\rfive\r", "5"),
        ("one\r\ntwo\nthree\rfour\nfive\r\n", "5"),
        ("one\r\ntwo\nthree\nfour\nfive\n", "typed\r\nfive"),
        ("one\ntwo\r\nthree\r\nfour\r\nfive\r\n", "4\nfive"),
    ],
)
async def test_what_came_in_saving_leaves_the_file_its_line_ends(
    lines: FakeWorkspace, before: str, typed: str
) -> None:
    lines.store.put("a.txt", before)
    lines.editor.open("a.txt")
    formats = saves_and(lambda: None, first=lambda: lines.editor.type("a.txt", "five", typed))
    lines.reviewer.applier = ScriptedApplier(lines.editor, save=formats)
    await lines.read("a.txt")
    await lines.edit("a.txt", "one", "1")
    lines.reviewer.applier = ScriptedApplier(lines.editor, save=saves)
    await lines.undo()
    assert text(lines) == before.replace("five", typed)


async def test_an_editor_that_adds_the_last_line_end_adds_it_again(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    lines.documents.open(URI, f"{HOME}/a.txt", text(lines).removesuffix("\n"))
    lines.documents.save(URI)
    await lines.undo()
    assert lines.editor.text_of("a.txt") == LINES.removesuffix("\n")


async def test_an_undo_says_that_the_editor_keeps_the_last_line_end(lines: FakeWorkspace) -> None:
    await lines.put_and_read("a.txt", LINES.removesuffix("\n").encode())
    await lines.write("a.txt", LINES)
    lines.documents.open(URI, f"{HOME}/a.txt", LINES.removesuffix("\n"))
    lines.documents.save(URI)
    undone = await lines.undo()
    assert ([one.kind for one in undone.corrections], text(lines)) == (["last_line_end"], LINES)


# --- files that come and go -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", ["b\n", ""])
async def test_a_created_file_goes_with_its_folders_and_comes_again(
    lines: FakeWorkspace, content: str
) -> None:
    await lines.write("new/deep/b.txt", content, allow_empty=True)
    await lines.undo()
    assert lines.store.tree() == {"a.txt": LINES.encode()}
    assert lines.ws.sessions.get("s", f"{HOME}/new/deep/b.txt") is None
    await lines.undo()
    assert text(lines, "new/deep/b.txt") == content


async def test_a_landed_undo_that_is_cancelled_at_its_very_end_is_told_as_landed(
    lines: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lines.write("new/b.txt", "b\n")
    undoing = asyncio.ensure_future(lines.undo())
    drop = lines.store.drop_plan

    def dropping(*folders: Any) -> None:
        assert lines.ws.proposals.past_return(undoing)  # or the request could be cancelled
        drop(*folders)

    monkeypatch.setattr(lines.store, "drop_plan", dropping)
    await undoing
    assert (set(lines.store.tree()), lines.store.planned) == ({"a.txt"}, set())


async def test_a_folder_that_is_used_by_now_stays(lines: FakeWorkspace) -> None:
    await lines.write("new/b.txt", "b\n")
    lines.store.put("new/theirs.txt", "c\n")
    await lines.undo()
    assert set(lines.store.tree()) == {"a.txt", "new", "new/theirs.txt"}


@pytest.mark.parametrize(("later", "line"), [("b\nmore\n", 2), ("", 1)])
async def test_a_created_file_changed_since_stays(lines: FakeWorkspace, later: str, line: int) -> None:
    await lines.write("b.txt", "b\n")
    lines.store.put("b.txt", later)
    with pytest.raises(Conflict) as refused:
        await lines.undo()
    assert (refused.value.reason, refused.value.lines) == ("overlap", (line,))
    lines.store.put("b.txt", "b\n")
    lines.editor.open("b.txt", "b\ntyped\n")
    with pytest.raises(Conflict, match="changed"):
        await lines.undo()


async def test_a_created_file_that_is_gone_already_is_undone(lines: FakeWorkspace) -> None:
    await lines.write("b.txt", "b\n")
    lines.store.remove("b.txt")
    assert (await lines.undo()).landings == ()


async def test_what_replaced_a_deleted_file_stays(lines: FakeWorkspace) -> None:
    await lines.write("b.txt", "b\n")
    await lines.undo()
    lines.store.put("b.txt", "theirs\n")
    with pytest.raises(Conflict, match="exists"):
        await lines.undo()
    lines.store.put("b.txt", "b\n")
    assert (await lines.undo()).landings == ()


# --- several files ----------------------------------------------------------------------------------------


async def test_a_batch_is_undone_as_a_whole_or_not_at_all(lines: FakeWorkspace) -> None:
    await lines.batch(edit_of("a.txt", "line 5", "five"), write_of("b.txt", "b\n"))
    lines.store.put("b.txt", "b\nmore\n")
    with pytest.raises(Conflict):
        await lines.undo()
    assert "five" in text(lines)
    lines.store.put("b.txt", "b\n")
    undone = await lines.undo()
    assert [one.change.operation for one in undone.landings] == ["update", "delete"]
    assert undone.access == Access(readable=True, seen=True)
    assert lines.store.tree() == {"a.txt": LINES.encode()}


async def test_files_that_are_not_as_before_are_told_with_those_that_are(lines: FakeWorkspace) -> None:
    await lines.batch(edit_of("a.txt", "line 5", "five"), write_of("b.txt", "b\n"))
    lines.editor.open("a.txt")

    async def closes(editor: object, uri: str) -> bool:
        lines.editor.close("a.txt")
        return True

    lines.reviewer.applier = ScriptedApplier(lines.editor, save=closes)
    with pytest.raises(LandingUnknown) as unknown:
        await lines.undo()
    assert [(one.path, one.where) for one in unknown.value.holding] == [("b.txt", "disk")]


async def test_what_is_unknown_of_one_file_is_told_with_the_others(lines: FakeWorkspace) -> None:
    await lines.batch(edit_of("a.txt", "line 5", "five"), write_of("b.txt", "b\n"))
    lines.editor.open("a.txt")
    hides = saves_and(lambda: lines.store.chmod("a.txt", 0))
    lines.reviewer.applier = ScriptedApplier(lines.editor, save=hides)
    with pytest.raises(LandingUnknown) as unknown:
        await lines.undo()
    assert ("b.txt", "disk") in [(one.path, one.where) for one in unknown.value.holding]


@pytest.mark.parametrize("fails", ["disk", "editor"])
async def test_where_one_file_fails_all_stay(lines: FakeWorkspace, fails: str) -> None:
    await lines.batch(edit_of("a.txt", "line 5", "five"), write_of("b.txt", "b\n"))
    if fails == "disk":
        lines.store.at("swap", disk_full("b.txt"), "b.txt")
    else:
        lines.editor.open("a.txt")
        lines.reviewer.applier = ScriptedApplier(lines.editor, refuses())
    with pytest.raises(Exception, match=r"No space|refused"):
        await lines.undo()
    assert "five" in text(lines)
    assert text(lines, "b.txt") == "b\n"


# --- what is kept, and who may see it ---------------------------------------------------------------------


async def test_without_its_texts_a_change_cannot_be_undone(lines: FakeWorkspace) -> None:
    await lines.edit("a.txt", "line 5", "five")
    lines.history.drop_texts(last_id(lines))
    with pytest.raises(NotUndoable, match="texts"):
        await lines.undo()


async def test_its_paths_are_resolved_once(lines: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    await lines.edit("a.txt", "line 5", "five")
    resolve, resolved = lines.store.resolve, []

    def noted(root: Any, relative: str) -> Any:
        resolved.append(relative)
        return resolve(root, relative)

    monkeypatch.setattr(lines.store, "resolve", noted)
    await lines.undo()
    assert resolved == ["a.txt"]


@pytest.mark.parametrize("meanwhile", [False, True])
async def test_without_all_of_its_folders_a_change_cannot_be_undone(
    work: FakeWorkspace, monkeypatch: pytest.MonkeyPatch, meanwhile: bool
) -> None:
    work.set(approval__mode="auto_edit")
    work.open_roots("work", "other")
    await work.batch(write_of("work/a.txt", "a\n"), write_of("other/b.txt", "b\n"))
    find = work.history.find

    def find_and_close(*query: Any) -> list[HistoryRecord]:
        found = find(*query)
        work.open_roots("work")
        return found

    if meanwhile:
        monkeypatch.setattr(work.history, "find", find_and_close)
    else:
        work.open_roots("work")
    with pytest.raises(NotUndoable, match="elsewhere"):
        await work.undo(last_id(work), by_user=meanwhile)


async def test_bytes_that_are_no_text_are_not_made_up(lines: FakeWorkspace) -> None:
    data = b"a \xff one\nb\n"
    lines.store.put("a.txt", data)
    await lines.write("a.txt", "new\n", expected_hash=hash_bytes(data))
    with pytest.raises(NotUndoable, match="bytes"):
        await lines.undo()


@pytest.mark.parametrize(
    "before", ["a \ufffd one\nb\n".encode(), "\ufeffé one\r\ntwo\nthree\r\nfour".encode("utf-16-le")]
)
async def test_every_byte_comes_back(lines: FakeWorkspace, before: bytes) -> None:
    await lines.put_and_read("a.txt", before)
    await lines.write("a.txt", "new\ntwo\nfour\nfive\n")
    await lines.undo()
    assert lines.store.bytes_of("a.txt") == before


@pytest.mark.parametrize("by", ["opened", "closed"])
async def test_the_encoding_comes_back_in_a_file_opened_or_closed_since(work: FakeWorkspace, by: str) -> None:
    work.set(encoding__default="gbk")
    before = "中\n3\n".encode("gbk")
    await work.put_and_read("a.txt", before)
    await work.edited("a.txt", "中", "2")
    work.set(encoding__default="utf-8")
    if by == "closed":
        work.editor.open("a.txt")

    def during() -> None:
        if by == "opened":
            work.editor.open("a.txt")
        else:
            work.editor.close("a.txt")

    work.reviewer.accepts(first=during)
    landing = (await work.undo()).landings[0]
    assert landing.change.proposed_bytes == before
    if by == "closed":
        assert work.store.bytes_of("a.txt") == before


@pytest.mark.parametrize("opened", [False, True])
async def test_an_encoding_the_change_left_no_trace_of_comes_back(lines: FakeWorkspace, opened: bool) -> None:
    before = "中文一\n2\n3\n4\n".encode("gbk")
    lines.set(encoding__default="gbk")
    await lines.put_and_read("a.txt", before)
    await lines.edit("a.txt", "中文一", "plain")
    lines.set(encoding__default="utf-8")
    lines.store.put("a.txt", b"plain\n2\n3\nlater\n")
    if opened:
        lines.editor.open("a.txt")
        await lines.undo()
        (proposed,) = lines.reviewer.concluded_with[-1].changes
        assert proposed.proposed_file.encoding == "gbk"
    else:
        await lines.undo()
        assert lines.store.bytes_of("a.txt") == before.replace(b"4", b"later")


@pytest.mark.parametrize("by_user", [False, True])
async def test_a_conflict_in_a_guarded_file_is_for_the_user(lines: FakeWorkspace, by_user: bool) -> None:
    await lines.edit("a.txt", "line 5", "five")

    def guard() -> None:
        lines.set(rules=(Rule(("a.txt",), read="ask"),))
        lines.store.put("a.txt", "theirs\n")

    lines.set(approval__mode="manual")
    lines.reviewer.accepts(first=guard)
    with pytest.raises(Conflict) as refused:
        await lines.undo(by_user=by_user)
    told = (refused.value.diff is not None, refused.value.actual is not None)
    assert told == (by_user, by_user)


async def test_a_guarded_file_that_changed_since_is_not_shown(work: FakeWorkspace) -> None:
    work.store.put(".env", "KEY=1\n")
    work.store.put("a.txt", "a\n")
    work.reviewer.reads.append(True)
    await work.read(".env")
    await work.read("a.txt")
    work.reviewer.accepts()
    await work.batch(edit_of(".env", "KEY=1", "KEY=2"), edit_of("a.txt", "a", "b"))
    work.store.put(".env", "KEY=3\n")
    with pytest.raises(Conflict) as refused:
        await work.undo()
    assert (refused.value.reason, refused.value.diff, refused.value.actual) == ("changed", None, None)
    work.ws.sessions.forget("s", f"{HOME}/.env")
    with pytest.raises((NotRead, ChangeUnknown, NotUndoable)):
        await work.undo()
