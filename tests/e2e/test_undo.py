"""agentfs/undo: docs/protocol.md#11-history-and-undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.client import Editor
from support.editor import AUTO, REVIEWING, editing
from support.wire import Message

LINES = "".join(f"line {number}\n" for number in range(1, 11))


async def undo(editor: Editor, change_id: str | None = None, **params: Any) -> Message:
    return await editor.request("agentfs/undo", {"change_id": change_id, **params})


async def change_of(editor: Editor, change_id: str) -> Message:
    answer = await editor.request("agentfs/history", {"change_id": change_id, "texts": True})
    return answer["data"]["changes"][0]


async def test_the_sessions_last_change_is_taken_back_and_that_is_a_change_too(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        edited = await editor.edit("a.txt", "line 5", "line five")
        await editor.write("b.txt", "b\n", session="other")
        answer = await undo(editor, agent="Ada", explanation="Better before.")
        assert (root / "a.txt").read_text() == LINES
        assert answer["status"] == "success"
        assert (answer["data"]["undone"], answer["data"]["applied"]) == (edited["data"]["change_id"], True)
        assert answer["data"]["files"] == [{"path": "a.txt", "operation": "update", "landing": "disk"}]
        assert "-line five\n+line 5\n" in answer["data"]["diff_preview"]
        kept = await change_of(editor, answer["data"]["change_id"])
        assert {key: kept[key] for key in ("tool", "agent", "explanation")} == {
            "tool": "undo",
            "agent": "Ada",
            "explanation": "Better before.",
        }
        again = await undo(editor, answer["data"]["change_id"])
        assert (root / "a.txt").read_text() == LINES.replace("line 5", "line five")
        await undo(editor)
        assert again["data"]["change_id"] != answer["data"]["change_id"]
        assert (root / "a.txt").read_text() == LINES


async def test_later_changes_elsewhere_are_kept_and_overlaps_are_a_conflict(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        second = await editor.edit("a.txt", "line 2\n", "line two\n")
        fifth = await editor.edit("a.txt", "line 5\n", "line five\n")
        (root / "a.txt").write_text(
            (root / "a.txt").read_text().replace("line 9", "nine").replace("five", "V")
        )
        assert (await undo(editor, second["data"]["change_id"]))["status"] == "success"
        expected = LINES.replace("line 9", "nine").replace("line 5", "line V")
        assert (root / "a.txt").read_text() == expected
        clash = await undo(editor, fifth["data"]["change_id"])
        assert clash["error"]["code"] == "CONFLICT"
        assert "in the same lines (5)" in clash["text"]
        nothing = await undo(editor, second["data"]["change_id"])
        assert (nothing["status"], nothing["data"]["unchanged"]) == ("success", True)
    assert (root / "a.txt").read_text() == expected


async def test_in_an_open_document_with_unsaved_changes(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        await editor.edit("a.txt", "line 5", "V")
        editor.open("a.txt")
        editor.change("a.txt", LINES.replace("line 5", "V") + "typed\n")
        answer = await undo(editor)
        assert editor.documents[editor.uri("a.txt")].text == LINES + "typed\n"
    assert (answer["status"], answer["data"]["landing"]) == ("partial", "editor")
    assert "The user must save it. Until then it is not on disk." in answer["text"]
    assert "V" in (root / "a.txt").read_text()


async def test_after_a_restart_and_by_another_session(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        edited = await editor.edit("a.txt", "line 5", "V")
    async with editing(root, options=AUTO) as editor:
        none = await undo(editor)
        assert none["error"]["code"] == "NOT_FOUND"
        assert "agentfs/history" in none["text"]
        assert (await undo(editor, edited["data"]["change_id"], session="x"))["status"] == "success"
    assert (root / "a.txt").read_text() == LINES


async def test_what_is_not_kept_any_more_says_so(root: Path) -> None:
    noise = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(200_000))
    settings = {**AUTO, "history": {"max_mib": 1}}
    async with editing(root, options=settings) as editor:
        unknown = await undo(editor, "none")
        assert unknown["error"]["code"] == "NOT_FOUND"
        await editor.write("large.txt", noise)
        answer = await undo(editor)
    assert answer["error"]["code"] == "NOT_FOUND"
    assert "not recorded" in answer["text"]
    assert (root / "large.txt").exists()


async def test_a_protected_file_is_undone_only_by_who_knows_it(root: Path) -> None:
    (root / ".env").write_text("KEY=1\n")

    def agree(params: Message) -> Message:
        return next(one for one in params["actions"] if one["title"] in {"Approve", "Allow once"})

    async with editing(root, answers={"window/showMessageRequest": agree}) as editor:
        await editor.read(".env", session="knows")
        edited = await editor.edit(".env", "KEY=1", "KEY=2", session="knows")
        stranger = await undo(editor, edited["data"]["change_id"])
        assert stranger["error"]["code"] == "NOT_FOUND"
        answer = await undo(editor, session="knows")
    assert answer["status"] == "success"
    assert answer["data"]["diff_preview"] == ""
    assert "KEY" not in str({**answer, "context": None})
    assert (root / ".env").read_text() == "KEY=1\n"


async def test_of_many_files_the_text_names_the_number(root: Path) -> None:
    operations = [
        {"tool": "write", "params": {"path": f"{number}.txt", "content": "x\n"}} for number in range(20)
    ]
    async with editing(root, options=AUTO) as editor:
        await editor.request("agentfs/batch", {"operations": operations})
        answer = await undo(editor)
    assert "of 20 files (+0/-20 lines)" in answer["text"]
    assert len(answer["data"]["files"]) == 20


async def test_the_last_change_is_not_known_while_one_waits(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.txt")
        first = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "line 5", "new_string": "five"})
        await editor.settle(await editor.proposed())
        landed = (await first)["data"]["change_id"]
        waiting = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "line 2", "new_string": "two"})
        refused = await undo(editor)
        proposal = await editor.proposed(2)
        assert refused["error"]["code"] == "EXECUTION_ERROR"
        assert f"Change '{proposal['id']}' of this session ('a.txt') is still in progress." in refused["text"]
        assert len(editor.all("agentfs/proposed")) == 2
        named = editor.start("agentfs/undo", {"change_id": landed})
        other = await undo(editor, session="other")
        await editor.settle(proposal, "rejected")
        assert (await waiting)["error"]["code"] == "USER_REJECTED"
        await editor.settle(await editor.proposed(3))
        assert (await named)["data"]["undone"] == landed
    assert other["error"]["code"] == "NOT_FOUND"


async def test_of_two_undos_sent_at_once_the_second_is_refused(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("a.txt", "one\n")
        with editor.in_one_piece():
            undos = [editor.start("agentfs/undo", {}), editor.start("agentfs/undo", {})]
        first, second = [await one for one in undos]
    assert first["data"]["applied"] is True
    assert second["error"]["code"] == "EXECUTION_ERROR"
    assert not (root / "a.txt").exists()


async def test_a_change_sent_right_behind_an_undo_is_not_undone_in_its_place(root: Path) -> None:
    big = "".join(f"line {number} of the large file\n" for number in range(200_000))
    async with editing(root, options=AUTO) as editor:
        large = await editor.write("large.py", big)  # keeping it takes its time
        looking = editor.start("agentfs/history", {})
        undoing = editor.start("agentfs/undo", {})
        small = await editor.write("small.py", "small\n")
        _, undone = await looking, await undoing
    assert (small["data"]["applied"], undone["data"]["undone"]) == (True, large["data"]["change_id"])
    assert ((root / "large.py").exists(), (root / "small.py").exists()) == (False, True)
