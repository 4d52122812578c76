"""Reading what is open in the editor: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

import pytest

from support.editor import Editor
from support.revisions import hash_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_what_the_user_sees_is_the_truth(auto: Editor) -> None:
    path = auto.root / "typed.txt"
    path.write_bytes(b"one\n")
    auto.open("typed.txt", "one\ntwo 😀\n")
    answer = await auto.read("typed.txt")
    told = answer["data"]
    assert (told["content"], told["source"], told["dirty"]) == ("one\ntwo 😀\n", "editor", True)
    assert told["hash"] == hash_of("one\ntwo 😀\n".encode())
    assert answer["stats"]["file_size_bytes"] == 4
    assert answer["stats"]["file_mtime_ms"] == path.stat().st_mtime_ns // 1_000_000
    assert "unsaved changes" in answer["text"]
    auto.save("typed.txt")
    saved = (await auto.read("typed.txt"))["data"]
    assert (saved["source"], saved["dirty"]) == ("editor", False)
    auto.close("typed.txt")
    closed = (await auto.read("typed.txt"))["data"]
    assert (closed["source"], closed["dirty"], closed["hash"]) == ("disk", False, saved["hash"])


async def test_typing_behind_an_emoji_is_followed(auto: Editor) -> None:
    (auto.root / "emoji.txt").write_text("😀ab\nl2\n")
    document = auto.open("emoji.txt")
    document.version += 1
    document.text = "😀Xb\nl2\n"
    span = {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}}
    auto.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": document.uri, "version": document.version},
            "contentChanges": [{"range": span, "text": "X"}],
        },
    )
    assert (await auto.read("emoji.txt"))["data"]["content"] == "😀Xb\nl2\n"


async def test_form_feeds_and_line_separators_are_no_line_ends(auto: Editor) -> None:
    (auto.root / "feeds.txt").write_text("a\fb\u2028c\x85d\nsecond\n")
    document = auto.open("feeds.txt")
    document.version += 1
    span = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 6}}
    auto.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": document.uri, "version": 2},
            "contentChanges": [{"range": span, "text": "2nd"}],
        },
    )
    answer = await auto.read("feeds.txt", start_line=2)
    assert answer["data"]["content"] == "2nd\n"
    assert answer["stats"]["total_lines"] == 2


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


async def test_a_document_that_was_never_saved_can_be_read(auto: Editor) -> None:
    auto.open("unsaved.txt", "draft\n")
    answer = await auto.read("unsaved.txt")
    assert (answer["status"], answer["data"]["content"], answer["data"]["dirty"]) == (
        "success",
        "draft\n",
        True,
    )
    assert "file_mtime_ms" not in answer["stats"]


async def test_a_file_that_the_editor_shows_in_a_wrong_encoding_is_no_success(auto: Editor) -> None:
    (auto.root / "latin.txt").write_bytes(b"caf\xe9\n")
    auto.open("latin.txt", "caf\ufffd\n")
    answer = await auto.read("latin.txt")
    assert (answer["status"], answer["data"]["fallback_encoding"]) == ("partial", "replace")
    assert "reopen the file" in answer["text"]
    auto.change("latin.txt", "café\n")
    assert (await auto.read("latin.txt"))["status"] == "success"


async def test_a_nul_that_the_user_typed_makes_the_text_binary(auto: Editor) -> None:
    (auto.root / "nul.txt").write_text("text\n")
    for path in ("nul.txt", "nul-never-saved.txt"):
        auto.open(path, "te\0xt\n")
        answer = await auto.read(path)
        assert (answer["error"]["code"], answer["data"]) == ("BINARY_FILE", {})
        assert f"'{path}'" in answer["error"]["message"]
        auto.change(path, "text\n")
        assert (await auto.read(path))["status"] == "success"


async def test_a_link_to_an_open_file_reads_the_editors_text(auto: Editor) -> None:
    (auto.root / "target.txt").write_text("disk\n")
    (auto.root / "link.txt").symlink_to("target.txt")
    auto.open("target.txt", "typed\n")
    answer = await auto.read("link.txt")
    assert (answer["data"]["content"], answer["context"]["path_resolved"]) == ("typed\n", "target.txt")


async def test_a_large_open_document_is_read_from_the_editor(auto: Editor) -> None:
    text = "".join(f"line {number} 😀\n" for number in range(20_000))
    (auto.root / "large.txt").write_text(text)
    auto.open("large.txt", text + "typed\n")
    answer = await auto.read("large.txt", start_line=20_001)
    assert (answer["data"]["content"], answer["data"]["dirty"]) == ("typed\n", True)


async def test_a_document_the_editor_lost_track_of_is_not_trusted(auto: Editor) -> None:
    (auto.root / "lost.txt").write_text("one\n")
    document = auto.open("lost.txt")
    span = {"start": {"line": 90, "character": 0}, "end": {"line": 91, "character": 0}}
    auto.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": document.uri, "version": 2}, "contentChanges": [{"range": span}]},
    )
    answer = await auto.read("lost.txt")
    assert answer["error"]["code"] == "CONFLICT"
    assert answer["context"]["conflict"]["source"] == "editor"
    document.version = 2
    auto.change("lost.txt", "all anew\n")
    assert (await auto.read("lost.txt"))["data"]["content"] == "all anew\n"
