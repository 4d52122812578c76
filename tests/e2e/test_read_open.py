"""Reading open documents: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

import pytest

from support.editor import Editor
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
