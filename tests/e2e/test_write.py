"""agentfs/write through the real process: docs/protocol.md#6-agentfswrite."""

import os

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("data", "content"), [(b"same\n", "same\n"), (b"a\r\nb\r\n", "a\nb\n"), (b"\xef\xbb\xbfa\n", "a\n")]
)
async def test_content_that_is_there_already_is_not_written(auto: Editor, data: bytes, content: str) -> None:
    path = auto.root / "same.txt"
    path.write_bytes(data)
    before = path.stat()
    await auto.read("same.txt")
    answer = await auto.write("same.txt", content)
    told = (answer["status"], answer["data"]["unchanged"], answer["data"]["applied"])
    assert told == ("success", True, True)
    assert (answer["data"]["diff_preview"], answer["stats"]["bytes_written"]) == ("", 0)
    assert "converted" not in answer["text"]
    assert ("Its line endings (crlf) are kept." in answer["text"]) == (b"\r" in data)
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


async def test_control_and_invisible_characters_are_written_and_warned_of(auto: Editor) -> None:
    content = "plain\nif admin\u202e:\n\x07\u200b\n"
    answer = await auto.write("odd.txt", content)
    assert (auto.root / "odd.txt").read_bytes() == content.encode()
    found = {(one["kind"], one["line"]) for one in answer["data"]["warnings"]}
    assert found == {("bidirectional", 2), ("control", 3), ("invisible", 3)}
    assert "\u202e" not in answer["data"]["diff_preview"]
    assert "\\u202e" in answer["data"]["diff_preview"]


@pytest.mark.parametrize(
    ("name", "before", "content", "lines"),
    [
        ("lf.sh", None, "# check\rverify || exit 1\necho go\n", [1]),
        ("cr.sh", None, "echo\n# check\rverify || exit 1\recho go\r", [2]),
        ("crlf.sh", None, "one\r\ntwo\r\n", []),
        ("old.sh", b"one\rtwo\r", "one\rtwo\rthree\r", []),
    ],
)
async def test_a_line_that_ends_for_editors_only_is_warned_of(
    auto: Editor, name: str, before: bytes | None, content: str, lines: list[int]
) -> None:
    """To a shell, what seems to be a line of its own is part of the comment."""
    if before is not None:
        (auto.root / name).write_bytes(before)
        await auto.read(name)
    warnings = (await auto.write(name, content))["data"]["warnings"]
    assert warnings == [{"kind": "control", "line": line, "detail": "U+000D"} for line in lines]


async def test_at_most_a_hundred_warnings_come_from_the_text_however_many_places_change(auto: Editor) -> None:
    (auto.root / "many.txt").write_text("keep\nold\n" * 150)
    await auto.read("many.txt")
    answer = await auto.edit("many.txt", "old", "new\u200b", replace_all=True)
    assert answer["data"]["replacements"] == 150
    assert [one["line"] for one in answer["data"]["warnings"]] == list(range(2, 202, 2))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_that_may_not_be_written_is_permission_denied(auto: Editor) -> None:
    folder = auto.root / "locked"
    folder.mkdir(0o500)
    answer = await auto.write("locked/a.txt", "x\n")
    assert answer["error"]["code"] == "PERMISSION_DENIED"
    assert list(folder.iterdir()) == []


async def test_what_is_there_already_and_other_names_of_a_file_are_told(auto: Editor) -> None:
    path = auto.root / "named.txt"
    path.write_text("old\n")
    (auto.root / "again.txt").hardlink_to(path)
    await auto.read("named.txt")
    same = await auto.write("named.txt", "old\n", dry_run=True)
    answer = await auto.write("named.txt", "new\n")
    assert same["text"] == "[Dry Run] 'named.txt' already has this content."
    assert "(hard links), which keep the old content" in answer["text"]
