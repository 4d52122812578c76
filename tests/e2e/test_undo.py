"""agentfs/undo: docs/protocol.md#11-history-and-undo."""

from pathlib import Path

import pytest

from support.editor import APPLY, AUTO, REVIEWING, SAVES, configure, editing
from support.operations import edits, writes
from support.wire import Message

LINES = "".join(f"line {number}\n" for number in range(1, 11))


async def test_a_mark_that_the_editor_keeps_in_its_text_is_no_later_change(root: Path) -> None:
    path = root / "a.txt"
    path.write_text("\ufeff" + LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        first = await editor.edit("a.txt", "line 1\n", "one\n")
        editor.open("a.txt", path.read_text())
        editor.change("a.txt", path.read_text() + "typed\n")
        merged = await editor.edit("a.txt", "line 5\n", "five\n", on_conflict="merge")
        assert "feff" not in merged["data"]["merged"]
        assert (await editor.undo(first["data"]["change_id"]))["data"]["landing"] == "editor"
        text = editor.documents[editor.uri("a.txt")].text
        assert text == "\ufeff" + LINES.replace("line 5", "five") + "typed\n"


@pytest.mark.parametrize("line", ["line 1\n", "line 5\n"])
async def test_a_mark_in_a_document_that_was_saved_with_typing_is_not_doubled(root: Path, line: str) -> None:
    path = root / "a.txt"
    path.write_text("\ufeff" + LINES)
    async with editing(root, options=AUTO, capabilities=SAVES) as editor:

        def apply_type_and_save(params: Message) -> Message:
            applied = editor.apply(params["edit"])
            editor.change("a.txt", editor.documents[editor.uri("a.txt")].text + "typed\n")
            editor.save("a.txt")
            return {"applied": applied}

        editor.answers[APPLY] = apply_type_and_save
        editor.open("a.txt", path.read_text())
        await editor.read("a.txt")
        answer = await editor.edit("a.txt", line, "new\n")
        on_save = answer["data"]["review"]["on_save"].splitlines()[3:]
        assert [one for one in on_save if one[0] != " "] == ["+typed"]
        editor.close("a.txt")
        await editor.undo()
    assert path.read_text() == "\ufeff" + LINES + "typed\n"


async def test_after_a_restart_and_by_another_session(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        edited = await editor.edit("a.txt", "line 5", "V")
    async with editing(root, options=AUTO) as editor:
        none = await editor.undo()
        assert none["error"]["code"] == "NOT_FOUND"
        assert "agentfs/history" in none["text"]
        assert (await editor.undo(edited["data"]["change_id"], session="x"))["status"] == "success"
    assert (root / "a.txt").read_text() == LINES


async def test_what_is_not_kept_any_more_says_so(root: Path) -> None:
    noise = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(200_000))
    settings = {**AUTO, "history": {"max_mib": 1}}
    async with editing(root, options=settings) as editor:
        unknown = await editor.undo("none")
        assert unknown["error"]["code"] == "NOT_FOUND"
        await editor.write("large.txt", noise)
        answer = await editor.undo()
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
        stranger = await editor.undo(edited["data"]["change_id"])
        assert stranger["error"]["code"] == "NOT_FOUND"
        assert ".env" not in str(stranger)
        answer = await editor.undo(session="knows")
    assert answer["status"] == "success"
    assert answer["data"]["diff_preview"] == ""
    assert "KEY" not in str({**answer, "context": None})
    assert "lines" not in answer["text"] + str(answer["stats"])
    assert (root / ".env").read_text() == "KEY=1\n"


SECRET = "one\nKEY=1\nthree\n\u202e"


async def batch_of_two(root: Path) -> str:
    """The id of a change of a.txt and of s.txt, which it created, and of its undo."""
    (root / "a.txt").write_text("a\n")
    operations = [writes("a.txt", "A\n"), writes("s.txt", SECRET)]
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        assert (await editor.request("agentfs/batch", {"operations": operations}))["status"] == "success"
        return str((await editor.undo())["data"]["change_id"])


async def test_what_an_undo_restores_is_not_known_where_reading_asks(root: Path) -> None:
    change_id = await batch_of_two(root)
    asks = {**AUTO, "rules": [{"files": ["s.txt"], "read": "ask", "write": "allow"}]}
    async with editing(root, options=asks) as editor:
        undone = await editor.undo(change_id)
        assert (undone["status"], undone["data"]["warnings"]) == ("success", [])
        assert (root / "s.txt").read_text() == SECRET
        miss = await editor.edit("s.txt", "KEY=2", "KEY=3")
        assert miss["text"] == "Read the file first. File: 's.txt'."
        history = await editor.request("agentfs/history", {"texts": True})
        assert "KEY=1" not in str([undone, miss, history])


@pytest.mark.parametrize("now", ["gone", "changed", "link"])
async def test_an_agent_undoes_no_change_with_a_file_whose_reading_is_denied(root: Path, now: str) -> None:
    change_id = await batch_of_two(root)
    if now == "changed":
        (root / "s.txt").write_text("other\n")
    if now == "link":
        (root / "s.txt").symlink_to("a.txt")
    denies = {**AUTO, "rules": [{"files": ["s.txt"], "read": "deny", "write": "allow"}]}
    async with editing(root, options=denies) as editor:
        refused = await editor.undo(change_id)
        assert refused["error"]["code"] == "NOT_FOUND"
        assert refused["text"].startswith(f"Change '{change_id}' also contains files that may not be read.")
        assert "s.txt" not in str(refused)
        assert (root / "a.txt").read_text() == "a\n"
        by_user = await editor.request("agentfs/userUndo", {"change_id": change_id})
    assert (by_user["status"] == "success") == (now == "gone")


@pytest.mark.parametrize("reading", ["ask", "deny"])
async def test_the_answer_keeps_to_what_may_be_read_once_the_undo_landed(root: Path, reading: str) -> None:
    change_id = await batch_of_two(root)
    asking: Message = {"approval": {"mode": "manual"}}
    async with editing(root, **{**REVIEWING, "options": asking}) as editor:
        undoing = editor.start("agentfs/undo", {"change_id": change_id})
        proposal = await editor.proposed()
        configure(editor, **asking, rules=[{"files": ["s.txt"], "read": reading}])
        await editor.settle(proposal)
        answer = await undoing
    assert (answer["data"]["diff_preview"], answer["data"]["warnings"]) == ("", [])


async def test_a_rejected_undo_names_no_secret_once_reading_must_be_asked_for(root: Path) -> None:
    secret = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY\n"
    (root / "a.txt").write_text(secret)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        cleaned = await editor.write("a.txt", "clean\n")
    async with editing(root, **REVIEWING) as editor:
        undoing = editor.start("agentfs/undo", {"change_id": cleaned["data"]["change_id"]})
        proposal = await editor.proposed()
        configure(editor, rules=[{"files": ["a.txt"], "read": "ask"}])
        await editor.settle(proposal, "rejected")
        answer = await undoing
    assert (answer["error"]["code"], "ecret" in answer["text"]) == ("USER_REJECTED", False)


async def test_of_many_files_the_text_names_the_number(root: Path) -> None:
    operations = [writes(f"{number}.txt", "x\n") for number in range(20)]
    async with editing(root, options=AUTO) as editor:
        await editor.request("agentfs/batch", {"operations": operations})
        answer = await editor.undo()
    assert "of 20 files (+0/-20 lines)" in answer["text"]
    assert len(answer["data"]["files"]) == 20


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
        large = await editor.write("large.py", big)  # storing it takes time
        looking = editor.start("agentfs/history", {})
        undoing = editor.start("agentfs/undo", {})
        small = await editor.write("small.py", "small\n")
        _, undone = await looking, await undoing
    assert (small["data"]["applied"], undone["data"]["undone"]) == (True, large["data"]["change_id"])
    assert ((root / "large.py").exists(), (root / "small.py").exists()) == (False, True)


@pytest.mark.parametrize("how", ["not recorded", "unknown"])
async def test_no_earlier_change_is_undone_for_a_last_one_not_in_history(root: Path, how: str) -> None:
    (root / "a.txt").write_text("one\n")
    (root / "b.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        await editor.read("b.txt")
        await editor.write("a.txt", "ONE\n")
        new = LINES.replace("line 2", "two").replace("line 8", "eight")
        if how == "unknown":
            editor.open("b.txt")

            def apply_and_type(params: Message) -> Message:
                applied = editor.apply(params["edit"])
                editor.change("b.txt", new.replace("two", "too"))
                return {"applied": applied}

            editor.answers[APPLY] = apply_and_type
            assert (await editor.in_vain(editor.write("b.txt", new)))["context"]["landing"] == "unknown"
        else:
            configure(editor, **AUTO, history={"enabled": False})
            assert (await editor.write("b.txt", new))["status"] == "success"
        refused = await editor.undo()
        assert refused["error"]["code"] == "NOT_FOUND"
        assert refused["text"].endswith("To undo another change, pass its change_id.")
    assert (root / "a.txt").read_text() == "ONE\n"


@pytest.mark.parametrize("method", ["agentfs/undo", "agentfs/userUndo"])
async def test_what_is_undone_in_the_editor_only_is_not_told_applied(root: Path, method: str) -> None:
    for name in ("a.txt", "b.txt"):
        (root / name).write_text("one\n")
    operations = [edits(name, "one", "two") for name in ("a.txt", "b.txt")]
    async with editing(root, options=AUTO) as editor:
        for name in ("a.txt", "b.txt"):
            await editor.read(name)
        batch = await editor.request("agentfs/batch", {"operations": operations})
        editor.open("a.txt")
        editor.change("a.txt", "one\n")
        answers = [await editor.request(method, {"change_id": batch["data"]["change_id"]}) for _ in range(2)]
    unsaved = "'a.txt' is changed in the editor but not on disk. The user must save it."
    assert [answer["text"].partition(". ")[2] for answer in answers] == [unsaved, unsaved]
    told = [
        (answer["status"], answer["data"]["applied"], answer["data"].get("landing")) for answer in answers
    ]
    assert told == [("partial", False, "editor"), ("partial", False, None)]
    assert ((root / "a.txt").read_text(), (root / "b.txt").read_text()) == ("two\n", "one\n")


async def test_what_the_user_took_back_and_saved_stays_undone_while_other_lines_are_typed(root: Path) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        assert (await editor.edit("a.txt", "line 2", "two"))["data"]["applied"] is True
        editor.open("a.txt")
        editor.change("a.txt", LINES)
        editor.save("a.txt")
        editor.change("a.txt", LINES.replace("line 8", "eight"))
        answer = await editor.undo()
    assert (answer["status"], answer["data"]["applied"]) == ("success", True)
    assert "not on disk" not in answer["text"]


async def test_a_deletion_undone_in_a_new_document_only_is_not_told_applied(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("a.txt", "one\n")
        assert (await editor.undo())["data"]["applied"] is True
        editor.open("a.txt", "one\n")
        answer = await editor.undo()
    assert (answer["status"], answer["data"]["applied"]) == ("partial", False)
    assert "'a.txt' is changed in the editor but not on disk." in answer["text"]


async def test_a_write_that_waits_for_an_undo_takes_nothing_out_that_its_session_has_not_read(
    root: Path,
) -> None:
    (root / "a.txt").write_text(LINES)
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.txt")
        await editor.read("a.txt")
        editing_it = editor.start(
            "agentfs/edit", {"path": "a.txt", "old_string": "line 1\n", "new_string": ""}
        )
        await editor.settle(await editor.proposed())
        await editing_it
        await editor.read("a.txt")
        known = editor.documents[editor.uri("a.txt")].text
        editor.change("a.txt", f"{known}typed\n")
        undoing = editor.start("agentfs/undo", {})
        proposal = await editor.proposed(2)
        writing = editor.start("agentfs/write", {"path": "a.txt", "content": f"{known}new\n"})
        await editor.are_pending("shown", "queued")
        await editor.settle(proposal)
        assert (await undoing)["data"]["landing"] == "editor"
        assert (await editor.in_vain(writing))["error"]["code"] == "CONFLICT"
