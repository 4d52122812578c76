"""What an editor gets: one document, pinned to a version, in line-sized hunks and its own columns
(docs/protocol.md#9-review-and-landing)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, AUTO, Editor, editing
from support.sharing import in_module, shared
from support.wire import Message

LONG = "".join(f"line {number}\n" for number in range(1000))
EMOJI = "one\ncaf\u00e9 \U0001f600\ntail \U0001f600\u00e9"

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, options=AUTO))


def span(edit: Message) -> tuple[int, int, int, int]:
    start, end = edit["range"]["start"], edit["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


async def test_two_lines_of_a_thousand_are_two_hunks_of_a_line(editor: Editor, root: Path) -> None:
    after = LONG.replace("line 10\n", "ten\n").replace("line 900\n", "")
    (root / "a.txt").write_text(LONG)
    document = editor.open("a.txt")
    await editor.read("a.txt")
    await editor.write("a.txt", after)
    edit = (await editor.seen(APPLY))["edit"]
    assert document.text == after
    assert list(edit) == ["documentChanges"]
    [change] = edit["documentChanges"]
    assert list(change) == ["textDocument", "edits"]
    assert change["textDocument"] == {"uri": (root / "a.txt").as_uri(), "version": 1}
    assert [(span(one), one["newText"]) for one in change["edits"]] == [
        ((10, 0, 11, 0), "ten\n"),
        ((900, 0, 901, 0), ""),
    ]


@pytest.mark.parametrize(
    ("offered", "agreed", "end"),
    [
        ((), "utf-16", len("tail ") + 2 + 1),
        (("utf-16",), "utf-16", len("tail ") + 2 + 1),
        (("utf-8", "utf-16"), "utf-8", len("tail ") + 4 + 2),
        (("utf-32", "utf-8", "utf-16"), "utf-32", len("tail ") + 1 + 1),
    ],
)
async def test_columns_are_as_agreed_on(root: Path, offered: tuple[str, ...], agreed: str, end: int) -> None:
    """The last line has no line end, so its columns matter."""
    (root / "a.txt").write_text(EMOJI)
    capabilities = {"general": {"positionEncodings": [*offered]}} if offered else None
    async with editing(root, capabilities=capabilities, options=AUTO) as editor:
        assert editor.initialized["capabilities"]["positionEncoding"] == agreed
        document = editor.open("a.txt")
        await editor.read("a.txt")
        await editor.edit("a.txt", "tail", "end")
        [one] = (await editor.seen(APPLY))["edit"]["documentChanges"][0]["edits"]
        again = await editor.edit("a.txt", "caf\u00e9 \U0001f600", "\U0001f600 caf\u00e9 \U0001f600")
        read = await editor.read("a.txt")
    assert (span(one), one["newText"]) == ((2, 0, 2, end), "end \U0001f600\u00e9")
    assert again["data"]["landing"] == "editor"
    assert (
        read["data"]["content"]
        == document.text
        == EMOJI.replace("tail", "end").replace("caf", "\U0001f600 caf")
    )


async def test_ends_of_files_and_lines_come_out_right(root: Path) -> None:
    pairs = [
        ("one", "one\n"),
        ("one\n", "one"),
        ("", "one\ntwo"),
        ("one\ntwo\n", ""),
        ("one\ntwo", "one\ntwo\nthree"),
        ("one\n\n\ntwo\n", "one\ntwo\n"),
        ("one\r\ntwo\r\n", "one\r\n2\r\n"),
        ("a\u2028b\fc\x85d\nc\n", "a\u2028B\fc\x85d\nc\n"),
        ("😀😀x😀\nb\n", "😀😀y😀😀\nb\n"),
        ("a\r\nb\nc\r\nd", "a\r\nB\nB2\nc\r\nd"),
    ]
    async with editing(root, options=AUTO, name="helix") as editor:
        for number, (before, after) in enumerate(pairs):
            (root / f"{number}.txt").write_bytes(before.encode())
            document = editor.open(f"{number}.txt")
            await editor.read(f"{number}.txt")
            answer = await editor.write(f"{number}.txt", after, allow_empty=True)
            assert answer["data"]["landing"] == "editor"
            assert document.text == after


@pytest.mark.parametrize(
    "declared",
    [
        {"documentChanges": False},
        {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    ],
)
async def test_edits_are_pinned_and_files_are_the_servers(root: Path, declared: dict[str, Any]) -> None:
    (root / "a.txt").write_text("one\n")
    capabilities = {"workspace": {"workspaceEdit": declared}}
    async with editing(root, capabilities=capabilities, options=AUTO) as editor:
        editor.open("a.txt")
        editor.change("a.txt", "one\nmine\n")
        await editor.read("a.txt")
        await editor.edit("a.txt", "one", "1")
        created = await editor.write("new/b.txt", "x")
        sent = [message["params"]["edit"] for message in editor.all(APPLY)]
    assert [edit["documentChanges"][0]["textDocument"]["version"] for edit in sent] == [2]
    assert all("kind" not in change for edit in sent for change in edit["documentChanges"])
    assert created["data"]["landing"] == "disk"
