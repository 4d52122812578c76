"""How settings affect reads and changes: docs/protocol.md#13-settings-and-policy, and the approval mode:
docs/protocol.md#14-the-editors-own-methods."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, REVIEWING, Editor, configure, decided, editing


async def decision_of(editor: Editor, name: str, **params: Any) -> str:
    return await decided(editor, editor.start("agentfs/write", {"path": name, "content": "x\n", **params}))


async def test_the_mode_is_the_users_for_all_or_for_one_session(root: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit", "session": "one"})
        assert await decision_of(editor, "a.txt", session="one") == "allowed by mode"
        assert await decision_of(editor, "b.txt", session="two") == "rejected by user"
        assert (await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit"})) == {"ok": True}
        assert await decision_of(editor, "c.txt", session="two") == "allowed by mode"
        status = await editor.request("agentfs/status", {})
        assert status["data"]["mode"] == "auto_edit"
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        assert await decision_of(editor, "d.txt", session="one") == "rejected by user"
        configure(editor, **AUTO)
        assert await decision_of(editor, "e.txt") == "allowed by mode"


async def test_settings_of_reads_and_writes_are_in_force_from_the_next_request_on(root: Path) -> None:
    (root / "ten.txt").write_text("".join(f"{number}\n" for number in range(10)))
    (root / "gbk.txt").write_bytes("中文\n".encode("gbk"))
    async with editing(root, options=AUTO) as editor:
        configure(editor, limits={"read_lines": 3}, encoding={"default": "gbk"}, create_dirs=False)
        cut = await editor.read("ten.txt")
        assert (cut["status"], cut["data"]["content"]) == ("partial", "0\n1\n2\n")
        assert (await editor.read("gbk.txt"))["data"]["content"] == "中文\n"
        for create_dirs in (None, True, False):
            refused = await editor.write("new/a.txt", "x\n", create_dirs=create_dirs)
            assert refused["error"]["code"] == "NOT_FOUND"
            assert "agentfs.create_dirs is off" in refused["text"]
        assert not (root / "new").exists()
        configure(editor, limits={"read_chars": 5})
        assert (await editor.read("ten.txt"))["data"]["content"] == "0\n1\n"
        assert (await editor.read("ten.txt", limit=4))["data"]["content"] == "0\n1\n2\n3\n"
        assert (await editor.read("gbk.txt"))["data"]["fallback_encoding"] == "replace"
        configure(editor, diff={"max_lines": 5, "context": 0})
        await editor.read("ten.txt")
        wide = await editor.write("ten.txt", "new\n" * 10, dry_run=True)
        assert (wide["data"]["diff_truncated"], wide["stats"]["lines_added"]) == (True, 10)
        narrow = await editor.edit("ten.txt", "5", "five", dry_run=True)
        assert narrow["data"]["diff_preview"].split("\n")[2:] == ["@@ -6 +6 @@", "-5", "+five", ""]


async def test_without_previews_answers_neither_show_a_diff_nor_refer_to_one(root: Path) -> None:
    (root / "a.txt").write_text("one\n\ttwo\n")
    async with editing(root, options={**AUTO, "diff": {"preview": False, "max_lines": 3}}) as editor:
        await editor.read("a.txt")
        loose = await editor.edit("a.txt", "one\n  two\n", "1\n  2\n")
        operation = {"tool": "write", "params": {"path": "new.txt", "content": "new\n" * 10}}
        answers = [
            loose,
            await editor.write("a.txt", "line\n" * 10),
            await editor.request("agentfs/batch", {"operations": [operation]}),
            await editor.request("agentfs/undo", {}),
        ]
    assert loose["data"]["fallback"] == "indentation"
    assert loose["text"].endswith("matched loosely (indentation). Use Read to see what was replaced.")
    for answer in answers:
        assert (answer["data"]["diff_preview"], answer["data"]["diff_truncated"]) == ("", False)
        assert "review" in answer["data"]
        assert answer["status"] == ("partial" if answer is loose else "success")
        assert "diff" not in answer["text"].lower()


async def test_what_is_remembered_has_its_bounds(root: Path) -> None:
    for name in "ab":
        (root / name).write_text("one\n")
    options = {**AUTO, "limits": {"records": 1, "base_text_mib": 0, "pending_per_session": 1}}
    async with editing(root, options=options, **REVIEWING) as editor:
        await editor.read("a")
        await editor.read("b")
        assert (await editor.edit("a", "one", "two"))["error"]["message"] == "Read the file first."
        (root / "b").write_text("two\n")
        conflict = await editor.edit("b", "one", "two")
        assert conflict["error"]["code"] == "CONFLICT"
        assert conflict["context"]["conflict"]["diff_since_read"] is None
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        waiting = editor.start("agentfs/write", {"path": "c", "content": "x\n"})
        await editor.seen("agentfs/proposed")
        refused = await editor.write("d", "x\n")
        assert refused["error"]["code"] == "EXECUTION_ERROR"
        assert "already pending" in refused["error"]["message"]
        assert (await editor.write("d", "x\n", dry_run=True))["status"] == "partial"
        editor.cancel(waiting)
        await asyncio.wait([waiting])


@pytest.mark.parametrize("path", [".git/config", "sub/.git/HEAD", ".agentfs/review/x.diff"])
async def test_what_is_never_touched_is_refused_by_its_rule(root: Path, path: str) -> None:
    (root / path).parent.mkdir(parents=True)
    (root / path).write_text("hidden\n")
    async with editing(root, options={**AUTO, "require_read": False}) as editor:
        for answer in (
            await editor.read(path),
            await editor.write(path, "x\n"),
            await editor.edit(path, "hidde", "x"),
            await editor.write(path, "x\n", dry_run=True),
        ):
            assert answer["error"]["code"] == "ACCESS_DENIED"
            assert "/**'" in answer["error"]["message"]
            assert "hidden" not in str(answer)
    assert (root / path).read_text() == "hidden\n"


async def test_where_the_state_folder_is_somebody_elses_nothing_lands(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    if os.geteuid() == 0:
        (state / "agentfs").mkdir()
        os.chown(state / "agentfs", 12345, -1)
    else:
        (state / "agentfs").symlink_to("/")
    (root / "a.txt").write_text("one\n")
    async with editing(root, options=AUTO, state=state) as editor:
        await editor.read("a.txt")
        for answer in (await editor.edit("a.txt", "one", "1"), await editor.write("b.txt", "x\n")):
            assert answer["error"]["code"] == "PERMISSION_DENIED"
            assert "belongs to another user" in answer["text"]
    assert [(path.name, path.read_text()) for path in root.iterdir()] == [("a.txt", "one\n")]


async def test_the_state_folder_is_never_touched_whatever_link_leads_to_it(root: Path) -> None:
    (root / "kept").mkdir()
    (root / "state").symlink_to("kept")
    path = root / "kept" / "agentfs" / "x.txt"
    async with editing(root, options=AUTO, state=root / "state") as editor:
        assert (await editor.write("a.txt", "x\n"))["status"] == "success"
        path.write_text("hidden\n")
        for spelled in ("kept/agentfs/x.txt", "state/agentfs/x.txt", "state/Agentfs/X.txt"):
            for answer in (await editor.read(spelled), await editor.write(spelled, "x\n")):
                assert answer["error"]["code"] == "ACCESS_DENIED"
                assert "hidden" not in str(answer)
    assert path.read_text() == "hidden\n"
