"""`on_conflict: "merge"`: a change brought into what others have made of the file since it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.editor import AUTO, REVIEWING, editing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from support.client import Editor
    from support.wire import Message


LINES = [f"line {number}\n" for number in range(1, 11)]
BASE = "".join(LINES)
THEIRS = BASE.replace("line 9\n", "line 9 by them\nand one more\n")
OURS = BASE.replace("line 2\n", "line 2 by us\n")
BOTH = THEIRS.replace("line 2\n", "line 2 by us\n")


async def by_edit(editor: Editor, **more: Any) -> Message:
    return await editor.edit("a.txt", "line 2\n", "line 2 by us\n", on_conflict="merge", **more)


async def by_write(editor: Editor, **more: Any) -> Message:
    return await editor.write("a.txt", OURS, on_conflict="merge", **more)


@pytest.mark.parametrize("change", [by_edit, by_write])
async def test_changes_elsewhere_are_kept(root: Path, change: Callable[..., Awaitable[Message]]) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(THEIRS)
        answer = await change(editor)
        again = await editor.edit("a.txt", "line 5\n", "line five\n")
    assert answer["status"] == "success"
    assert answer["data"]["merged"].count("+line 9 by them") == 1
    assert "line 9" not in answer["data"]["diff_preview"]
    assert "merged with what others had changed" in answer["text"]
    assert again["status"] == "success"
    assert (root / "a.txt").read_text() == BOTH.replace("line 5", "line five")


async def test_without_conflict_it_is_an_ordinary_change(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        answer = await by_write(editor)
    assert "merged" not in answer["data"]
    assert (root / "a.txt").read_text() == OURS


@pytest.mark.parametrize("change", [by_edit, by_write])
async def test_the_same_lines_are_a_conflict(root: Path, change: Callable[..., Awaitable[Message]]) -> None:
    (root / "a.txt").write_text(BASE)
    theirs = BASE.replace("line 2\n", "line 2 by them\n")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(theirs)
        answer = await change(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert "in the same lines (2)" in answer["text"]
    assert "+line 2 by them" in answer["context"]["conflict"]["diff_since_read"]
    assert (root / "a.txt").read_text() == theirs


async def test_what_others_have_done_just_so_is_no_change(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(OURS)
        answer = await by_edit(editor)
    assert answer["status"] == "success"
    assert answer["data"]["unchanged"]


async def test_line_ends_and_encoding_are_those_of_the_file_as_it_is(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    theirs = THEIRS.replace("\n", "\r\n").replace("them", "thém").encode("utf-16")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_bytes(theirs)
        answer = await by_edit(editor)
    assert answer["status"] == "success"
    expected = BOTH.replace("\n", "\r\n").replace("them", "thém").encode("utf-16")
    assert (root / "a.txt").read_bytes() == expected


async def test_bytes_that_are_no_text_stay(root: Path) -> None:
    (root / "a.txt").write_bytes(b"\xff one\ntwo\nthree \xfe three\nfour\n")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_bytes(b"\xff ONE\ntwo\nthree \xfe three\nfour\n")
        answer = await editor.edit("a.txt", "three\nfour\n", "3\nfour\n", on_conflict="merge")
    assert answer["status"] == "success"
    assert (root / "a.txt").read_bytes() == b"\xff ONE\ntwo\nthree \xfe 3\nfour\n"


async def test_it_is_reviewed_as_what_will_land_and_what_moves_meanwhile_is_a_conflict(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(THEIRS)
        asking = editor.start("agentfs/write", {"path": "a.txt", "content": OURS, "on_conflict": "merge"})
        proposal = await editor.proposed()
        (file,) = proposal["files"]
        assert (file["base_text"], file["proposed_text"]) == (THEIRS, BOTH)
        (root / "a.txt").write_text(THEIRS + "line 11\n")
        await editor.settle(proposal)
        answer = await asking
    assert answer["error"]["code"] == "CONFLICT"
    assert (root / "a.txt").read_text() == THEIRS + "line 11\n"


async def test_an_open_document_with_unsaved_changes_takes_it(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.txt")
        editor.open("a.txt")
        editor.change("a.txt", THEIRS)
        asking = editor.start("agentfs/write", {"path": "a.txt", "content": OURS, "on_conflict": "merge"})
        await editor.settle(await editor.proposed())
        answer = await asking
        assert answer["data"]["landing"] == "editor"
        assert editor.documents[editor.uri("a.txt")].text == BOTH
    assert (root / "a.txt").read_text() == BASE


async def test_expected_names_the_text_it_builds_on(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        read = await editor.read("a.txt")
        (root / "a.txt").write_text(THEIRS)
        other = await by_edit(editor, expected_hash="sha256:0")
        known = await by_edit(editor, expected_hash=read["data"]["hash"])
    assert other["error"]["code"] == "CONFLICT"
    assert known["status"] == "success"
    assert (root / "a.txt").read_text() == BOTH


async def test_without_the_text_that_was_read_it_is_a_conflict(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    settings = {"approval": {"mode": "auto_edit"}, "limits": {"base_text_mib": 0}}
    async with editing(root, options=settings) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(THEIRS)
        answer = await by_edit(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert (root / "a.txt").read_text() == THEIRS


async def test_a_file_that_is_gone_is_a_conflict(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").unlink()
        answer = await by_write(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert not (root / "a.txt").exists()


async def test_of_two_sessions_both_changes_stay(root: Path) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt", session="one")
        await editor.read("a.txt", session="two")
        await editor.write("a.txt", THEIRS, session="two")
        answer = await by_write(editor, session="one")
    assert answer["status"] == "success"
    assert (root / "a.txt").read_text() == BOTH
