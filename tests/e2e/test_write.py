"""agentfs/write through the real process: docs/protocol.md#6-agentfswrite."""

from __future__ import annotations

import os
import re

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_new_file_is_created_and_told_of_in_full(auto: Editor) -> None:
    content = "one\ntwo ä\n"
    answer = await auto.write("new.txt", content)
    path = auto.root / "new.txt"
    assert path.read_bytes() == content.encode()
    assert answer["status"] == "success"
    data = dict(answer["data"])
    review = data.pop("review")
    assert (review["rung"], review["decision"], review["by"]) == ("policy", "allowed", "mode")
    assert re.fullmatch("[0-9a-f]{16}", data.pop("change_id"))
    assert data == {
        "applied": True,
        "operation": "create",
        "diff_preview": "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two ä\n",
        "diff_truncated": False,
        "landing": "disk",
        "warnings": [],
        "corrections": [],
        "unchanged": False,
    }
    stats = dict(answer["stats"])
    assert stats.pop("time_ms") >= 0
    assert stats == {
        "bytes_written": 11,
        "original_size": 0,
        "new_size": 11,
        "lines_added": 2,
        "lines_removed": 0,
        "file_mtime_ms": path.stat().st_mtime_ns // 1_000_000,
        "file_size_bytes": 11,
    }
    assert answer["text"] == "Created 'new.txt' (2 lines, 11 bytes)."
    assert answer["context"]["path_resolved"] == "new.txt"
    umask = os.umask(0)
    os.umask(umask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


async def test_an_existing_file_is_replaced_whole(auto: Editor) -> None:
    path = auto.root / "old.txt"
    path.write_bytes(b"one\ntwo\nthree\n")
    await auto.read("old.txt")
    answer = await auto.write("old.txt", "one\n2\nthree\nfour\n")
    assert (answer["status"], answer["data"]["operation"]) == ("success", "update")
    assert path.read_bytes() == b"one\n2\nthree\nfour\n"
    assert answer["data"]["diff_preview"] == (
        "--- a/old.txt\n+++ b/old.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n"
    )
    stats = answer["stats"]
    assert (stats["lines_added"], stats["lines_removed"]) == (2, 1)
    assert (stats["original_size"], stats["new_size"], stats["bytes_written"]) == (14, 17, 17)
    assert answer["text"] == "Updated 'old.txt' (+2/-1 lines, 17 bytes)."


async def test_empty_content_is_taken_for_an_accident(auto: Editor) -> None:
    path = auto.root / "kept.txt"
    path.write_bytes(b"text\n")
    await auto.read("kept.txt")
    answer = await auto.write("kept.txt", "")
    assert (answer["error"]["code"], answer["error"]["message"]) == (
        "INVALID_PARAM",
        "Content cannot be empty.",
    )
    assert path.read_bytes() == b"text\n"
    assert (await auto.write("kept.txt", "\ufeff"))["error"]["code"] == "INVALID_PARAM"
    emptied = await auto.write("kept.txt", "", allow_empty=True)
    assert (emptied["status"], emptied["stats"]["lines_removed"]) == ("success", 1)
    assert path.read_bytes() == b""
    created = await auto.write("empty.txt", "", allow_empty=True)
    assert (created["status"], created["data"]["operation"], created["data"]["applied"]) == (
        "success",
        "create",
        True,
    )
    assert (auto.root / "empty.txt").read_bytes() == b""


async def test_missing_folders_are_created_and_told(auto: Editor) -> None:
    answer = await auto.write("src/utils/deep/a.py", "x\n")
    assert answer["text"].endswith("(Created directory: src/utils/deep/)")
    assert (auto.root / "src/utils/deep/a.py").read_bytes() == b"x\n"
    again = await auto.write("src/utils/deep/b.py", "x\n")
    assert "Created directory" not in again["text"]


@pytest.mark.parametrize(
    ("data", "content"), [(b"same\n", "same\n"), (b"a\r\nb\r\n", "a\nb\n"), (b"\xef\xbb\xbfa\n", "a\n")]
)
async def test_content_that_is_there_already_is_not_written(auto: Editor, data: bytes, content: str) -> None:
    path = auto.root / "same.txt"
    path.write_bytes(data)
    before = path.stat()
    await auto.read("same.txt")
    answer = await auto.write("same.txt", content)
    assert (answer["status"], answer["data"]["unchanged"], answer["data"]["applied"]) == (
        "success",
        True,
        True,
    )
    assert (answer["data"]["diff_preview"], answer["stats"]["bytes_written"]) == ("", 0)
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert path.read_bytes() == data


async def test_content_that_waits_unsaved_in_the_editor_is_not_on_disk(auto: Editor) -> None:
    (auto.root / "waiting.txt").write_bytes(b"old\n")
    auto.open("waiting.txt", "new\n")
    await auto.read("waiting.txt")
    answer = await auto.write("waiting.txt", "new\n")
    assert (answer["data"]["unchanged"], answer["data"]["applied"]) == (True, False)
    assert "not saved" in answer["text"]


async def test_a_dry_run_never_writes(auto: Editor) -> None:
    created = await auto.write("dry/new.txt", "a\nb\n", dry_run=True)
    assert (created["status"], created["data"]["applied"]) == ("partial", False)
    assert created["text"] == "[Dry Run] Would create 'dry/new.txt' (+2 lines)."
    assert "+a\n+b\n" in created["data"]["diff_preview"]
    assert created["stats"]["bytes_written"] == 0
    assert not (auto.root / "dry").exists()
    path = auto.root / "dry.txt"
    path.write_bytes(b"a\n")
    unread = await auto.write("dry.txt", "b\n", dry_run=True)
    assert unread["error"]["message"] == "Read the file first."
    await auto.read("dry.txt")
    updated = await auto.write("dry.txt", "b\n", dry_run=True)
    assert (updated["status"], updated["text"]) == (
        "partial",
        "[Dry Run] Would update 'dry.txt' (+1/-1 lines).",
    )
    same = await auto.write("dry.txt", "a\n", dry_run=True)
    assert (same["status"], same["data"]["unchanged"], same["data"]["applied"]) == ("partial", True, False)
    path.write_bytes(b"c\n")
    assert (await auto.write("dry.txt", "b\n", dry_run=True))["error"]["code"] == "CONFLICT"
    assert path.read_bytes() == b"c\n"


async def test_what_was_written_needs_no_reading_again(auto: Editor) -> None:
    await auto.write("mine.txt", "one\n")
    assert (await auto.write("mine.txt", "two\n"))["status"] == "success"
    assert (await auto.edit("mine.txt", "two", "three"))["status"] == "success"
    assert (auto.root / "mine.txt").read_bytes() == b"three\n"


@pytest.mark.parametrize(
    "marker",
    [
        "// ... rest of the code unchanged",
        "# ... existing code ...",
        "<!-- rest of the file remains the same -->",
        "/* ... other methods unchanged ... */",
    ],
)
async def test_text_that_a_model_left_out_is_refused(auto: Editor, marker: str) -> None:
    path = auto.root / "long.js"
    path.write_text("one();\ntwo();\n")
    await auto.read("long.js")
    answer = await auto.write("long.js", f"one(1);\n{marker}\n")
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert "Line 2" in answer["error"]["message"]
    assert path.read_text() == "one();\ntwo();\n"


async def test_control_and_invisible_characters_are_written_and_warned_of(auto: Editor) -> None:
    content = "plain\nif admin\u202e:\n\x07\u200b\n"
    answer = await auto.write("odd.txt", content)
    assert (auto.root / "odd.txt").read_bytes() == content.encode()
    found = {(one["kind"], one["line"]) for one in answer["data"]["warnings"]}
    assert found == {("bidirectional", 2), ("control", 3), ("invisible", 3)}
    assert "\u202e" not in answer["data"]["diff_preview"]
    assert "\\u202e" in answer["data"]["diff_preview"]


async def test_at_most_a_hundred_warnings_come_from_the_text_however_many_places_change(auto: Editor) -> None:
    (auto.root / "many.txt").write_text("keep\nold\n" * 150)
    await auto.read("many.txt")
    answer = await auto.edit("many.txt", "old", "new\u200b", replace_all=True)
    assert answer["data"]["replacements"] == 150
    assert [one["line"] for one in answer["data"]["warnings"]] == list(range(2, 202, 2))


async def test_a_write_to_a_folder_is_refused(auto: Editor) -> None:
    (auto.root / "folder").mkdir()
    for path in ("folder", "folder/", "."):
        assert (await auto.write(path, "x\n"))["error"]["code"] == "IS_DIRECTORY"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_that_may_not_be_written_is_permission_denied(auto: Editor) -> None:
    folder = auto.root / "locked"
    folder.mkdir(0o500)
    answer = await auto.write("locked/a.txt", "x\n")
    assert answer["error"]["code"] == "PERMISSION_DENIED"
    assert list(folder.iterdir()) == []
