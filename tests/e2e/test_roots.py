"""Several roots, none, and roots that come and go: docs/protocol.md#4-paths-and-roots."""

import shutil
from pathlib import Path

from support.editor import AUTO, NO_ANSWER, REVIEW, change_folder, editing


def folder_of(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text(f"text of {name}\n")
    return folder


async def test_with_several_roots_a_path_begins_with_a_name(tmp_path: Path) -> None:
    one, two = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    async with editing(one, options=AUTO, folders=[("One", one), ("Two", two)]) as editor:
        assert (await editor.read("Two/a.txt"))["data"]["content"] == "text of two\n"
        for path in ("a.txt", "Three/a.txt", "two/a.txt"):
            unknown = await editor.read(path)
            assert unknown["error"]["code"] == "INVALID_PARAM"
            assert "'One', 'Two'" in unknown["text"]
        assert (await editor.read("Two"))["error"]["code"] == "IS_DIRECTORY"
        edited = await editor.edit("Two/a.txt", "text", "TEXT")
        assert edited["context"]["path_resolved"] == "Two/a.txt"
        assert edited["data"]["diff_preview"].startswith("--- a/Two/a.txt\n+++ b/Two/a.txt\n")
        created = await editor.write("One/sub/deep/b.txt", "new\n")
        assert "(Created directory: One/sub/deep/)" in created["text"]
        assert (one / "sub/deep/b.txt").read_text() == "new\n"
        (two / "blob").write_bytes(b"\0")
        for path, code in (("Two/blob", "BINARY_FILE"), ("One/sub", "IS_DIRECTORY"), ("Two/x", "NOT_FOUND")):
            failed = await editor.read(path)
            assert failed["error"]["code"] == code
            assert f"'{path}'" in failed["error"]["message"]
        (two / "loop").symlink_to("loop")
        (two / "to one").symlink_to(one)
        unresolved = (
            ("Two/loop", "INVALID_PARAM"),
            ("Two/a.txt/x", "INVALID_PARAM"),
            ("Two/to one", "IS_DIRECTORY"),
        )
        for path, code in unresolved:
            failed = await editor.read(path)
            assert failed["error"]["code"] == code
            assert f"'{path}'" in failed["text"]
        escaped = await editor.read("One/../two/a.txt")
        assert escaped["error"]["code"] == "ACCESS_DENIED"


async def test_two_roots_of_one_name_need_names_of_their_own(tmp_path: Path) -> None:
    first, second = folder_of(tmp_path / "x", "app"), folder_of(tmp_path / "y", "app")
    async with editing(first, options=AUTO, folders=[("app", first), ("app", second)]) as editor:
        answer = await editor.read("app/a.txt")
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert "agentfs.roots" in answer["text"]
        named = {**AUTO, "roots": [{"path": str(second), "name": "backend"}]}
        editor.notify("workspace/didChangeConfiguration", {"settings": named})
        (second / "a.txt").write_text("second\n")
        assert (await editor.read("backend/a.txt"))["data"]["content"] == "second\n"
        assert (await editor.read("app/a.txt"))["data"]["content"] == "text of app\n"


async def test_a_root_that_is_closed_takes_its_records_and_proposals_along(tmp_path: Path) -> None:
    one, two = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    holding = {"workspace/applyEdit": lambda _: NO_ANSWER}
    folders = [("one", one), ("two", two)]
    async with editing(one, capabilities=REVIEW, folders=folders, answers=holding) as editor:
        await editor.read("one/a.txt")
        await editor.read("two/a.txt")
        pending = editor.start("agentfs/edit", {"path": "two/a.txt", "old_string": "text", "new_string": "x"})
        await editor.seen("agentfs/proposed")
        change_folder(editor, two, opened=False)
        withdrawn = await pending
        assert withdrawn["error"]["code"] == "ACCESS_DENIED"
        assert "folder was closed" in withdrawn["error"]["message"]
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        assert (await editor.read("a.txt"))["data"]["content"] == "text of one\n"
        change_folder(editor, two, opened=True)
        assert (await editor.edit("two/a.txt", "text", "x"))["error"]["message"] == "Read the file first."
    assert (two / "a.txt").read_text() == "text of two\n"


async def test_another_folder_in_a_roots_place_is_taken_up_afresh(tmp_path: Path) -> None:
    root = folder_of(tmp_path, "root")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        root.rename(tmp_path / "old")
        assert (await editor.read("a.txt"))["error"]["code"] == "NOT_FOUND"
        assert (await editor.write("b.txt", "x\n"))["error"]["code"] == "NOT_FOUND"
        folder_of(tmp_path, "root")
        assert (await editor.edit("a.txt", "text", "x"))["error"]["message"] == "Read the file first."
        assert (await editor.read("a.txt"))["status"] == "success"
        assert (await editor.edit("a.txt", "text", "x"))["status"] == "success"
        shutil.rmtree(root)
        root.symlink_to(tmp_path / "old")
        assert (await editor.read("a.txt"))["error"]["code"] == "ACCESS_DENIED"
    assert (tmp_path / "old/a.txt").read_text() == "text of root\n"


async def test_where_a_root_is_gone_nothing_is_said_of_its_files(tmp_path: Path) -> None:
    one, two = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    async with editing(one, options=AUTO, folders=[("one", one), ("two", two)]) as editor:
        shutil.rmtree(two)
        for answer in (await editor.read("two/a.txt"), await editor.write("two/new.txt", "x\n")):
            assert answer["error"]["code"] == "NOT_FOUND"
            assert "'two'" in answer["error"]["message"]
            assert "Write" not in answer["text"]
        assert (await editor.read("one/a.txt"))["status"] == "success"
    assert not two.exists()


async def test_absolute_paths_and_uris_are_taken_where_the_setting_says_so(tmp_path: Path) -> None:
    root = folder_of(tmp_path, "ro ot")
    other = folder_of(tmp_path, "other")
    linked = tmp_path / "linked"
    linked.symlink_to(root)
    options = {**AUTO, "paths": "any"}
    async with editing(linked, options=options, folders=[("r", linked), ("o", other)]) as editor:
        for path in (
            str(root / "a.txt"),
            str(linked / "a.txt"),
            (root / "a.txt").as_uri(),
            (linked / "a.txt").as_uri(),
            f"file://localhost{linked}/a%2Etxt",
            "r/a.txt",
        ):
            answer = await editor.read(path)
            assert (answer["status"], answer["context"]["path_resolved"]) == ("success", "r/a.txt"), path
        assert (await editor.read(str(other / "a.txt")))["context"]["path_resolved"] == "o/a.txt"
        created = await editor.write(str(root / "new/b.txt"), "x\n")
        assert created["context"]["path_resolved"] == "r/new/b.txt"
        for path in ("/etc/passwd", "file:///etc/passwd", str(root / "../x"), f"{root}-not/a.txt"):
            assert (await editor.read(path))["error"]["code"] == "ACCESS_DENIED", path
        for path in (
            "file://elsewhere/a.txt",
            "http://x/a",
            "file:///a%5Cb",
            "file:///a%00b",
            "file:///a%ff",
        ):
            assert (await editor.read(path))["error"]["code"] == "INVALID_PARAM", path
        assert (await editor.read(str(root)))["error"]["code"] == "IS_DIRECTORY"


async def test_a_folder_that_comes_back_without_its_file_is_as_the_user_set_it(tmp_path: Path) -> None:
    one, two = folder_of(tmp_path, "one"), folder_of(tmp_path, "two")
    (two / ".agentfs.toml").write_text('rules = [{files = ["*.txt"], read = "deny"}]\n')
    async with editing(one, options=AUTO, folders=[("One", one), ("Two", two)]) as editor:
        assert (await editor.read("Two/a.txt"))["error"]["code"] == "ACCESS_DENIED"
        change_folder(editor, two, "Two", opened=False)
        assert (await editor.read("a.txt"))["data"]["content"] == "text of one\n"
        (two / ".agentfs.toml").unlink()
        change_folder(editor, two, "Two", opened=True)
        assert (await editor.read("Two/a.txt"))["data"]["content"] == "text of two\n"


async def test_a_folder_that_is_open_twice_has_both_names_until_one_of_them_is_closed(tmp_path: Path) -> None:
    real, link = folder_of(tmp_path, "real"), tmp_path / "link"
    link.symlink_to(real)
    folders = [("real", real), ("link", link)]
    options = {**AUTO, "files": ["a.txt"]}
    async with editing(real, options=options, folders=folders) as editor:
        for path in ("real/a.txt", "link/a.txt"):
            answer = await editor.read(path)
            assert (answer["status"], answer["context"]["path_resolved"]) == ("success", "real/a.txt")
        assert (await editor.write("link/a.txt", "new\n"))["status"] == "success"
        history = await editor.request("agentfs/history", {"path": "link"})
        ((changed,),) = [change["files"] for change in history["data"]["changes"]]
        assert changed["path"] == "real/a.txt"
        (tool, *_) = (await editor.request("agentfs/tools"))["data"]["tools"]
        assert tool["function"]["parameters"]["properties"]["path"]["enum"] == ["real/a.txt"]
        change_folder(editor, real, opened=False)
        edited = await editor.edit("a.txt", "new", "newer")
        assert edited["status"] == "success", "the folder is open, and the file was read"
        event = {"added": [], "removed": [{"name": "link", "uri": f"file://localhost{link}"}]}
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert (await editor.read("a.txt"))["error"]["code"] == "ACCESS_DENIED"
    assert (real / "a.txt").read_text() == "newer\n"
