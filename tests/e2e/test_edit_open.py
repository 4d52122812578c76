"""Changes of what is open in an editor that applies but does not save: docs/protocol.md#93-how-it-lands, and
what an edit keeps there: docs/protocol.md#7-agentfsedit."""

from __future__ import annotations

import pytest

from support.editor import Editor, offset_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_edit_waits_in_the_editor_until_the_user_saves(auto: Editor) -> None:
    path = auto.root / "open.txt"
    path.write_text("one\ntwo\n")
    document = auto.open("open.txt")
    await auto.read("open.txt")
    answer = await auto.edit("open.txt", "two", "2")
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == (
        "partial",
        False,
        "editor",
    )
    assert "is in the editor, but not saved" in answer["text"]
    assert (document.text, path.read_text()) == ("one\n2\n", "one\ntwo\n")
    again = await auto.edit("open.txt", "one", "1")
    assert (again["status"], document.text) == ("partial", "1\n2\n")
    auto.save("open.txt")
    read = await auto.read("open.txt")
    assert (read["data"]["dirty"], read["data"]["content"]) == (False, "1\n2\n")


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("😀😀x😀\nb\n", "x", "y😀", "😀😀y😀😀\nb\n"),
        ("a\fb\u2028c\x85d\n", "c", "C", "a\fb\u2028C\x85d\n"),
        ("a\r\nb\nc\r\nd", "b", "B\nB2", "a\r\nB\nB2\nc\r\nd"),
        ("a\nb", "b", "c", "a\nc"),
        ("a\n", "a\n", "", ""),
    ],
)
async def test_only_what_was_edited_changes_in_the_document(
    auto: Editor, text: str, old: str, new: str, expected: str
) -> None:
    (auto.root / "typed.txt").write_bytes(text.encode())
    document = auto.open("typed.txt")
    await auto.read("typed.txt")
    await auto.edit("typed.txt", old, new)
    assert document.text == expected
    [sent] = auto.all("workspace/applyEdit")[-1]["params"]["edit"]["documentChanges"]
    assert sent["textDocument"] == {"uri": document.uri, "version": 1}
    for piece in sent["edits"]:
        for edge in ("start", "end"):
            at = offset_of(text, piece["range"][edge])
            assert at in (0, len(text)) or text[at - 1] in "\r\n"
    auto.close("typed.txt")


async def test_a_whole_write_sends_the_lines_that_differ(auto: Editor) -> None:
    lines = [f"line {number}\n" for number in range(1000)]
    (auto.root / "hunks.txt").write_text("".join(lines))
    document = auto.open("hunks.txt")
    await auto.read("hunks.txt")
    lines[10], lines[990] = "ten\n", "nine hundred ninety\n"
    answer = await auto.write("hunks.txt", "".join(lines))
    assert (answer["stats"]["lines_added"], answer["stats"]["lines_removed"]) == (2, 2)
    assert document.text == "".join(lines)
    [sent] = auto.all("workspace/applyEdit")[-1]["params"]["edit"]["documentChanges"]
    assert [piece["newText"] for piece in sent["edits"]] == ["ten\n", "nine hundred ninety\n"]


async def test_what_a_save_will_change_besides_is_warned_of(auto: Editor) -> None:
    (auto.root / "mixed.txt").write_bytes(b"a\r\nb\nc\n")
    auto.open("mixed.txt", "a\nb\nc\n")
    await auto.read("mixed.txt")
    answer = await auto.edit("mixed.txt", "b", "B", dry_run=True)
    assert [(one["kind"], one["line"]) for one in answer["data"]["warnings"]] == [("on_save", 0)]
    assert "mixed" in answer["data"]["warnings"][0]["detail"]
    (auto.root / "plain.txt").write_bytes(b"a\r\nb\r\n")
    auto.open("plain.txt", "a\nb\n")
    await auto.read("plain.txt")
    assert (await auto.edit("plain.txt", "b", "B", dry_run=True))["data"]["warnings"] == []


async def test_a_document_of_another_encoding_is_warned_of(auto: Editor) -> None:
    (auto.root / "umlaut.txt").write_bytes("ä\n".encode())
    document = auto.open("umlaut.txt")
    auto.notify("agentfs/documentState", {"uri": document.uri, "dirty": False, "encoding": "windows1252"})
    await auto.read("umlaut.txt")
    answer = await auto.edit("umlaut.txt", "ä", "ö", dry_run=True)
    assert "utf-8 -> cp1252" in answer["data"]["warnings"][0]["detail"]
