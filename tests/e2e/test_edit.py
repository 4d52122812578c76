"""agentfs/edit through the real process: docs/protocol.md#7-agentfsedit. How text is matched has cases of its
own in `tests/cases/edit`."""

from __future__ import annotations

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

UTF_16 = b"\xff\xfe"


async def test_an_edit_replaces_one_place_and_tells_of_it(auto: Editor) -> None:
    path = auto.root / "a.py"
    path.write_text("one\ntwo\nthree\n")
    await auto.read("a.py")
    answer = await auto.edit("a.py", "two", "2")
    assert path.read_text() == "one\n2\nthree\n"
    assert answer["status"] == "success"
    data = {key: answer["data"][key] for key in answer["data"] if key not in {"review", "change_id"}}
    assert data == {
        "applied": True,
        "operation": "update",
        "diff_preview": "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
        "diff_truncated": False,
        "landing": "disk",
        "warnings": [],
        "corrections": [],
        "unchanged": False,
        "replacements": 1,
        "match": "exact",
    }
    assert answer["text"] == "Updated 'a.py' (+1/-1 lines, 12 bytes)."
    stats = answer["stats"]
    assert (stats["original_size"], stats["new_size"], stats["file_size_bytes"]) == (14, 12, 12)


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        # line ends: the file's stay, those put in are their surroundings'
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\nnew\n", b"a\r\nB\r\nnew\r\nc\r\n"),
        (b"a\r\nb\nc\rd", "b", "B\nB2", b"a\r\nB\nB2\nc\rd"),
        (b"a\nb\n", "a\r\nb", "a\r\nB", b"a\nB\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        # a lone carriage return does not become one line end with the line feed behind it
        (b"a\rb\n\n", "a\rb\n", "x\n\n", b"x\r\n\n\n"),
        (b"a\rx\nb\n", "x", "", b"a\r\r\nb\n"),
        # encodings
        (b"\xef\xbb\xbfa\xc3\xa4\n", "ä", "ö", b"\xef\xbb\xbfa\xc3\xb6\n"),
        (UTF_16 + "a😀b\r\n".encode("utf-16-le"), "😀b", "ä", UTF_16 + "aä\r\n".encode("utf-16-le")),
        (b"\xfe\xff" + "ab\n".encode("utf-16-be"), "b", "😀", b"\xfe\xff" + "a😀\n".encode("utf-16-be")),
        # bytes that are no text stay as they are
        (b"caf\xe9 = 1\n\xff\xfe\xfd\nx\n", "= 1", "= 2", b"caf\xe9 = 2\n\xff\xfe\xfd\nx\n"),
        (b"caf\xe9 = 1\n", "caf\ufffd = 1", "caf\ufffd = 2", b"caf\xe9 = 2\n"),
        (b"a\xe9b\xe8c\n", "b", "", b"a\xe9\xe8c\n"),
        (b"\xc3\xa4 \xff\n", "\n", "\nend\n", b"\xc3\xa4 \xff\nend\n"),
        # content that other tools take for line ends
        ("a\fb\u2028c\x85d\x0be\n".encode(), "c", "C", "a\fb\u2028C\x85d\x0be\n".encode()),
        # nothing in the new text is special
        (b"x\n", "x", "$& \\1 \\n $1 {0} %s", b"$& \\1 \\n $1 {0} %s\n"),
        ("😀😀x😀\n".encode(), "x", "y😀", "😀😀y😀😀\n".encode()),
    ],
)
async def test_what_is_not_edited_stays_byte_for_byte(
    auto: Editor, data: bytes, old: str, new: str, expected: bytes
) -> None:
    path = auto.root / "bytes.txt"
    path.write_bytes(data)
    await auto.read("bytes.txt")
    answer = await auto.edit("bytes.txt", old, new)
    assert (answer["status"], path.read_bytes()) == ("success", expected)
    assert answer["data"]["match"] in ("exact", "eol")
    assert "fallback" not in answer["data"]


async def test_a_looser_match_is_partial_and_names_its_level(auto: Editor) -> None:
    path = auto.root / "loose.py"
    path.write_text("def f():\n    return 1  \n")
    await auto.read("loose.py")
    answer = await auto.edit("loose.py", "def f():\n    return 1\n", "def f():\n    return 2\n")
    assert (answer["status"], answer["data"]["applied"]) == ("partial", True)
    assert answer["data"]["match"] == answer["data"]["fallback"] == "trailing_whitespace"
    assert "trailing_whitespace" in answer["text"]
    assert path.read_text() == "def f():\n    return 2\n"


async def test_text_that_is_not_there_comes_back_with_the_closest_lines(auto: Editor) -> None:
    (auto.root / "near.py").write_text("import os\n\ndef total(prices):\n    return sum(prices)\n")
    await auto.read("near.py")
    answer = await auto.edit("near.py", "def total(price):\n    return sum(price)", "x")
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert answer["error"]["message"] == "old_string was not found."
    assert "   3 | def total(prices):" in answer["text"]
    numbered = await auto.edit("near.py", "   1 | import os", "x")
    assert "line numbers" in numbered["text"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("", "x", "old_string cannot be empty."),
        ("one", "one", "Nothing would change"),
        ("one\r\ntwo", "one\ntwo", "Nothing would change"),
        ("one", "# ... rest of the code unchanged ...", "omitted text"),
        ("zzz", "x", "not found"),
    ],
)
async def test_an_edit_that_can_not_be_meant_is_refused(
    auto: Editor, old: str, new: str, message: str
) -> None:
    path = auto.root / "refused.txt"
    path.write_text("one\ntwo\n")
    await auto.read("refused.txt")
    answer = await auto.edit("refused.txt", old, new)
    assert (answer["status"], answer["error"]["code"]) == ("error", "INVALID_PARAM")
    assert message in answer["error"]["message"]
    assert path.read_text() == "one\ntwo\n"


async def test_the_other_names_of_the_texts_are_understood(auto: Editor) -> None:
    path = auto.root / "alias.txt"
    path.write_text("one\n")
    await auto.read("alias.txt")
    params = {"path": "alias.txt", "oldText": "one", "newText": "two"}
    assert (await auto.request("agentfs/edit", params))["status"] == "success"
    assert path.read_text() == "two\n"
    for one, other in (("oldText", "old_string"), ("old_string", "oldText")):
        twice = {"path": "alias.txt", one: "two", other: "2", "new_string": "x"}
        refused = await auto.request("agentfs/edit", twice)
        assert refused["error"]["code"] == "INVALID_PARAM"
        assert refused["text"] == (
            f"Parameters '{one}' and '{other}' mean the same but have different values."
            " Give only one of them."
        )


async def test_removing_the_last_line_leaves_an_empty_file(auto: Editor) -> None:
    path = auto.root / "last.txt"
    path.write_text("only\n")
    await auto.read("last.txt")
    answer = await auto.edit("last.txt", "only\n", "")
    assert (answer["status"], answer["stats"]["new_size"], path.read_bytes()) == ("success", 0, b"")


async def test_a_megabyte_is_edited_in_place(auto: Editor) -> None:
    path = auto.root / "megabyte.txt"
    data = b"".join(b"line %d \xff\r\n" % number for number in range(80_000))
    path.write_bytes(data)
    await auto.read("megabyte.txt")
    answer = await auto.edit("megabyte.txt", "line 70000 ", "line seventy thousand ")
    assert answer["status"] == "success"
    assert path.read_bytes() == data.replace(b"line 70000 ", b"line seventy thousand ")
