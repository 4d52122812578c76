"""What a write preserves of the file it replaces, and limits of the diff: docs/protocol.md#6-agentfswrite."""

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("data", "content", "expected", "corrections"),
    [
        (b"a\r\nb\r\n", "a\nnew\nb\n", b"a\r\nnew\r\nb\r\n", ["line_ends"]),
        (b"a\nb\n", "a\r\nnew\r\nb\r\n", b"a\nnew\nb\n", ["line_ends"]),
        (b"a\rb\r", "a\nnew\n", b"a\rnew\r", ["line_ends"]),
        (b"a\r\nb\nc\r", "a\nB\nc\nd\n", b"a\r\nB\nc\rd\r", ["line_ends"]),
        (b"a\r\nb\r\n", "a\r\nc\r\n", b"a\r\nc\r\n", []),
        (b"a\r\nb", "a\nb\nc", b"a\r\nb\r\nc", ["line_ends"]),
        (b"a\nb", "a\nb\n", b"a\nb\n", []),
        (b"a\nb\n", "a\nb", b"a\nb", []),
        (b"a", "b\r\nc\nd", b"b\r\nc\nd", []),
        (b"", "b\r\nc\r\n", b"b\r\nc\r\n", []),
        (b"a\n", "b\fc\x0bd\x85e\n", "b\fc\x0bd\x85e\n".encode(), []),
        (b"\xef\xbb\xbfa\n", "b ä\n", b"\xef\xbb\xbfb \xc3\xa4\n", []),
        (b"\xef\xbb\xbfa\n", "\ufeffb\n", b"\xef\xbb\xbfb\n", ["byte_order_mark"]),
        (b"a\n", "\ufeffb\n", b"b\n", ["byte_order_mark"]),
        (
            b"\xff\xfe" + "a\r\n".encode("utf-16-le"),
            "😀\n",
            b"\xff\xfe" + "😀\r\n".encode("utf-16-le"),
            ["line_ends"],
        ),
        (b"\xfe\xff" + "a\n".encode("utf-16-be"), "ä\n", b"\xfe\xff" + "ä\n".encode("utf-16-be"), []),
    ],
)
async def test_encoding_mark_and_line_ends_stay_the_files(
    auto: Editor, data: bytes, content: str, expected: bytes, corrections: list[str]
) -> None:
    path = auto.root / "kept.txt"
    path.write_bytes(data)
    await auto.read("kept.txt")
    answer = await auto.write("kept.txt", content)
    assert (answer["status"], path.read_bytes()) == ("success", expected)
    assert [one["kind"] for one in answer["data"]["corrections"]] == corrections
    assert answer["stats"]["file_size_bytes"] == answer["stats"]["new_size"] == len(expected)


JOINING = b"level = 'user\xe2\x80,\xae'\n"
"""Without the comma, it has a character that nobody was shown and that reverses what follows."""


@pytest.mark.parametrize(
    ("charset", "before", "old", "kept"),
    [
        ("utf-8", JOINING, ",", False),
        ("utf-8", b"\xef\xbb\xbf" + JOINING, ",", False),
        ("utf-8", JOINING, "user", True),
        ("utf-8", JOINING, "lev", True),
        ("utf-8", b"x\xff\xfe .", "x", False),
        ("utf-8", b"x\xff\xfe .", " .", True),
        ("latin1", b"x\xff\xfe .", "x", False),
        ("latin1", b"x\xff\xfe .", " .", True),
        ("latin1", b"x\xef\xbb\xbfa \xe9", "x", False),
    ],
)
async def test_no_edit_gives_kept_bytes_another_meaning(
    auto: Editor, charset: str, before: bytes, old: str, kept: bool
) -> None:
    (auto.root / ".editorconfig").write_text(f"[{charset}.txt]\ncharset = {charset}\n")
    path = auto.root / f"{charset}.txt"
    path.write_bytes(before)
    await auto.read(path.name)
    answer = await auto.edit(path.name, old, "")
    after = before.replace(old.encode(), b"") if kept else before
    assert path.read_bytes() == after
    if not kept:
        assert answer["error"]["code"] == "INVALID_PARAM"
        assert answer["text"].endswith("Keep the text before these bytes.")


async def test_characters_that_the_encoding_lacks_are_refused_by_name(auto: Editor) -> None:
    folder = auto.root / "latin"
    folder.mkdir()
    (folder / ".editorconfig").write_text("root = true\n[*]\ncharset = latin1\n")
    path = folder / "a.txt"
    path.write_bytes(b"caf\xe9\nb\n")
    await auto.read("latin/a.txt")
    answer = await auto.write("latin/a.txt", "café\nb\nprice €\n")
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert "'€' (U+20AC)" in answer["error"]["message"]
    assert "line 3" in answer["error"]["message"]
    done = await auto.write("latin/a.txt", "café ü\nb\n")
    assert done["status"] == "success"
    assert path.read_bytes() == b"caf\xe9 \xfc\nb\n"
    surrogate = await auto.write("half.txt", "a\n\ud83d\n")
    assert surrogate["error"]["code"] == "INVALID_PARAM"
    assert "U+D83D" in surrogate["error"]["message"]
    assert not (auto.root / "half.txt").exists()


# --- diff_preview -----------------------------------------------------------------------------------------


async def test_an_undo_of_the_loss_beside_a_later_change_brings_the_files_line_end(auto: Editor) -> None:
    path = auto.root / "undone.txt"
    path.write_bytes(b"a\r\nb\r\n")
    await auto.read("undone.txt")
    change = await auto.write("undone.txt", "a")
    path.write_bytes(b"a")
    undone = await auto.undo(change["data"]["change_id"])
    assert undone["data"]["applied"] is True
    assert path.read_bytes() == b"a\r\nb\r\n"
