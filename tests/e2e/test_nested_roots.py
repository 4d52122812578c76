"""A root inside another, opened or closed while its files are in use: the innermost open root decides
(docs/protocol.md#4-paths-and-roots)."""

from pathlib import Path

import pytest

from support.editor import AUTO, REVIEWING, change_folder, editing

DENIES = '[[rules]]\nfiles = ["a.txt"]\nread = "deny"\nwrite = "deny"\nedit = "deny"\n'


@pytest.fixture
def inner(root: Path) -> Path:
    folder = root / "sub"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    return folder


async def test_an_earlier_change_is_seen_and_undone_by_the_inner_roots_rules(root: Path, inner: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.read("sub/a.txt")
        changed = (await editor.edit("sub/a.txt", "one", "two"))["data"]["change_id"]
        await editor.write("b.txt", "b\n")
    (inner / ".agentfs.toml").write_text(DENIES)
    async with editing(root, options=AUTO, folders=[("outer", root), ("inner", inner)]) as editor:
        assert (await editor.read("inner/a.txt"))["error"]["code"] == "ACCESS_DENIED"
        told = await editor.request("agentfs/history", {"texts": True})
        assert [change["files"][0]["path"] for change in told["data"]["changes"]] == ["outer/b.txt"]
        refused = await editor.undo(changed)
        assert refused["error"]["code"] == "NOT_FOUND"
        assert (inner / "a.txt").read_text() == "two\n"
        for path in ("inner/a.txt", "inner"):
            seen = await editor.request("agentfs/userHistory", {"path": path})
            assert [change["files"][0]["path"] for change in seen["data"]["changes"]] == ["inner/a.txt"]


async def test_the_history_of_a_folder_has_the_changes_in_roots_inside_it(root: Path, inner: Path) -> None:
    async with editing(root, options=AUTO, folders=[("outer", root), ("inner", inner)]) as editor:
        await editor.write("inner/b.txt", "b\n")
        await editor.write("outer/b.txt", "b\n")
        for path, expected in (("outer", ["outer/b.txt", "inner/b.txt"]), ("inner", ["inner/b.txt"])):
            told = await editor.request("agentfs/history", {"path": path})
            assert [change["files"][0]["path"] for change in told["data"]["changes"]] == expected


async def test_pending_changes_follow_the_rules_of_a_root_opened_around_them(root: Path, inner: Path) -> None:
    (inner / ".agentfs.toml").write_text(DENIES)
    async with editing(root, **REVIEWING) as editor:
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit", "session": "fast"})
        for session in ("default", "fast"):
            await editor.read("sub/a.txt", session=session)
        shown = editor.start("agentfs/edit", {"path": "sub/a.txt", "old_string": "one", "new_string": "two"})
        await editor.proposed()
        params = {"path": "sub/a.txt", "old_string": "one", "new_string": "queued", "session": "fast"}
        queued = editor.start("agentfs/edit", params)
        await editor.request("agentfs/status")  # both have arrived
        change_folder(editor, inner, "inner", opened=True)
        assert "settings" in (await shown)["error"]["message"]
        assert "denies" in (await queued)["error"]["message"]
    assert (inner / "a.txt").read_text() == "one\n"


async def test_closing_the_outer_root_leaves_what_belongs_to_the_inner_one(root: Path, inner: Path) -> None:
    (root / "b.txt").write_text("b\n")
    async with editing(root, **REVIEWING, folders=[("outer", root), ("inner", inner)]) as editor:
        await editor.read("outer/b.txt")
        await editor.read("inner/a.txt")
        stays = editor.start("agentfs/write", {"path": "inner/a.txt", "content": "two\n"})
        of_inner = await editor.proposed()
        goes = editor.start("agentfs/write", {"path": "outer/b.txt", "content": "c\n"})
        await editor.proposed(2)
        change_folder(editor, root, "outer", opened=False)
        assert "folder was closed" in (await goes)["error"]["message"]
        await editor.settle(of_inner)
        assert (await stays)["status"] == "success"
        again = editor.start("agentfs/edit", {"path": "a.txt", "old_string": "two", "new_string": "three"})
        await editor.settle(await editor.proposed(3))
        assert (await again)["status"] == "success", "it knows the file from before"
    assert (inner / "a.txt").read_text() == "three\n"
