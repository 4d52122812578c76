"""Reading open documents: docs/protocol.md#5-agentfsread."""

from pathlib import Path

import pytest

from support.editor import AUTO, Editor, editing
from support.revisions import hash_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("disk", "shown"),
    [
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"one\r\ntwo\nthree", "one\ntwo\nthree"),
        (b"\xef\xbb\xbfone\n", "one\n"),
        (b"\xef\xbb\xbfone\n", "\ufeffone\n"),
        (b"\xff\xfe" + "ä\n".encode("utf-16-le"), "ä\n"),
    ],
)
async def test_line_ends_and_the_mark_make_no_file_dirty(auto: Editor, disk: bytes, shown: str) -> None:
    (auto.root / "clean.txt").write_bytes(disk)
    auto.open("clean.txt", shown)
    told = (await auto.read("clean.txt"))["data"]
    auto.close("clean.txt")
    assert (told["dirty"], told["hash"]) == (False, hash_of(disk))
    assert told["content"] == shown


async def test_unsaved_text_is_hashed_in_the_files_encoding_with_its_mark(auto: Editor) -> None:
    mark = b"\xff\xfe"
    (auto.root / "utf16.txt").write_bytes(mark + "a\n".encode("utf-16-le"))
    auto.open("utf16.txt", "ä\n")
    answer = await auto.read("utf16.txt")
    assert answer["data"]["hash"] == hash_of(mark + "ä\n".encode("utf-16-le"))
    assert (answer["stats"]["encoding"], answer["data"]["bom"]) == ("utf-16-le", True)


async def test_a_file_that_the_editor_shows_in_a_wrong_encoding_is_no_success(auto: Editor) -> None:
    (auto.root / "latin.txt").write_bytes(b"caf\xe9\n")
    auto.open("latin.txt", "caf\ufffd\n")
    answer = await auto.read("latin.txt")
    assert (answer["status"], answer["data"]["fallback_encoding"]) == ("partial", "replace")
    assert "reopen the file" in answer["text"]
    auto.change("latin.txt", "café\n")
    assert (await auto.read("latin.txt"))["status"] == "success"


async def test_a_link_to_an_open_file_reads_the_editors_text(auto: Editor) -> None:
    (auto.root / "target.txt").write_text("disk\n")
    (auto.root / "link.txt").symlink_to("target.txt")
    auto.open("target.txt", "typed\n")
    answer = await auto.read("link.txt")
    assert (answer["data"]["content"], answer["context"]["path_resolved"]) == ("typed\n", "target.txt")


@pytest.mark.parametrize("opened", ["root", "link"])
async def test_a_document_opened_after_the_root_moved_behind_a_link_is_found(root: Path, opened: str) -> None:
    (root / "a.txt").write_text("disk\n")
    folder = root
    if opened == "link":
        folder = root.parent / f"{root.name}-link"
        folder.symlink_to(root)
    async with editing(folder, options=AUTO) as editor:
        await editor.read("a.txt")
        root.rename(root.parent / f"{root.name}-moved")
        root.symlink_to(f"{root.name}-moved")
        editor.open("a.txt", "typed\n")
        told = (await editor.read("a.txt"))["data"]
    assert (told["content"], told["dirty"]) == ("typed\n", True)


@pytest.mark.parametrize("requested", ["current/a.txt", "v2/a.txt"])
@pytest.mark.parametrize("was", ["link", "folder"])
async def test_a_document_is_at_the_file_a_save_would_write(root: Path, requested: str, was: str) -> None:
    for version in ("v1", "v2"):
        (root / version).mkdir()
        (root / version / "a.txt").write_text(f"{version}\n")
    current = root / "current"
    if was == "link":
        current.symlink_to("latest")
        (root / "latest").symlink_to("v1")
    else:
        (root / "v1").rename(current)
    async with editing(root, options=AUTO) as editor:
        editor.open("current/a.txt", "typed\n")
        before = await editor.read("current/a.txt")
        if was == "link":
            (root / "latest").unlink()
            assert (await editor.read("v1/a.txt"))["data"]["source"] == "disk"
            (root / "latest").symlink_to("v2")
        else:
            current.rename(root / "v1")
            current.symlink_to("v2")
            if requested != "current/a.txt":
                editor.notify("textDocument/didSave", {"textDocument": {"uri": editor.uri("current/a.txt")}})
        after = await editor.read(requested)
        edited = await editor.edit(requested, "typed", "changed")
        left = await editor.read("v1/a.txt")
    assert before["data"]["content"] == after["data"]["content"] == "typed\n"
    assert after["context"]["path_resolved"] == "v2/a.txt"
    assert (edited["data"]["landing"], (root / "v2" / "a.txt").read_text()) == ("editor", "v2\n")
    assert (left["data"]["content"], left["data"]["source"]) == ("v1\n", "disk")
