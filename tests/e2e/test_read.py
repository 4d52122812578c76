"""agentfs/read through the real process: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

import pytest

from support.editor import Editor
from support.revisions import hash_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("data", "eol", "final_newline", "lines"),
    [
        (b"", "none", False, 0),
        (b"one", "none", False, 1),
        (b"one\ntwo", "lf", False, 2),
        (b"one\r\ntwo\r\n", "crlf", True, 2),
        (b"one\rtwo\r", "cr", True, 2),
        (b"one\r\ntwo\nthree\r", "mixed", True, 3),
        (b"\n", "lf", True, 1),
        ("a\u2028b\fc\x0bd\x85e\n".encode(), "lf", True, 1),
    ],
)
async def test_the_text_comes_with_its_own_line_ends(
    auto: Editor, data: bytes, eol: str, final_newline: bool, lines: int
) -> None:
    (auto.root / "ends.txt").write_bytes(data)
    answer = await auto.read("ends.txt")
    told = answer["data"]
    assert (answer["status"], told["content"].encode(), told["eol"], told["final_newline"]) == (
        "success",
        data,
        eol,
        final_newline,
    )
    assert (answer["stats"]["lines_read"], answer["stats"]["total_lines"]) == (lines, lines)


@pytest.mark.parametrize(
    ("params", "content", "truncated"),
    [
        ({"start_line": 2}, "two\r\nthree\r\nfour", False),
        ({"start_line": 2, "limit": 2}, "two\r\nthree\r\n", True),
        ({"start_line": 4, "limit": 1}, "four", False),
        ({"start_line": 3, "limit": 99}, "three\r\nfour", False),
        ({"limit": 1}, "one\r\n", True),
        ({"limit": 0}, "one\r\ntwo\r\nthree\r\nfour", False),
        ({"limit": None}, "one\r\ntwo\r\nthree\r\nfour", False),
        ({"start_line": 2.0, "limit": 1}, "two\r\n", True),
    ],
)
async def test_a_range_is_exactly_those_lines(
    auto: Editor, params: dict[str, object], content: str, truncated: bool
) -> None:
    (auto.root / "range.txt").write_bytes(b"one\r\ntwo\r\nthree\r\nfour")
    answer = await auto.read("range.txt", **params)
    assert (answer["data"]["content"], answer["data"]["truncated"]) == (content, truncated)
    assert answer["status"] == ("partial" if truncated else "success")
    assert ("start_line" in answer["text"]) is truncated
    assert answer["data"]["hash"] == hash_of(b"one\r\ntwo\r\nthree\r\nfour")


async def test_without_a_limit_two_thousand_lines_come(auto: Editor) -> None:
    (auto.root / "long.txt").write_text("".join(f"{number}\n" for number in range(1, 2502)))
    first = await auto.read("long.txt")
    assert (first["status"], first["stats"]["lines_read"], first["stats"]["total_lines"]) == (
        "partial",
        2000,
        2501,
    )
    assert "start_line=2001" in first["text"]
    rest = await auto.read("long.txt", start_line=2001)
    assert (rest["status"], rest["stats"]["lines_read"]) == ("success", 501)
    assert (await auto.read("long.txt", limit=0))["stats"]["lines_read"] == 2501


async def test_without_a_limit_two_hundred_thousand_characters_come_in_whole_lines(auto: Editor) -> None:
    line = "x" * 998 + "\r\n"
    (auto.root / "wide.txt").write_bytes((line * 300).encode())
    answer = await auto.read("wide.txt")
    assert (answer["status"], answer["stats"]["chars_read"]) == ("partial", 200_000)
    assert answer["data"]["content"] == line * 200
    (auto.root / "one-line.txt").write_text("y" * 300_000)
    cut = await auto.read("one-line.txt")
    assert (cut["status"], cut["stats"]["chars_read"]) == ("partial", 200_000)
    assert "Line 1 is truncated" in cut["text"]
    assert (await auto.read("one-line.txt", limit=1))["stats"]["chars_read"] == 300_000


async def test_a_line_is_not_cut_within_its_end(auto: Editor) -> None:
    (auto.root / "just-over.txt").write_bytes(b"z" * 199_999 + b"\r\n")
    cut = await auto.read("just-over.txt")
    assert (cut["status"], cut["data"]["content"]) == ("partial", "z" * 199_999)
    assert "limit=1" in cut["text"]


async def test_line_numbers_stand_before_each_line(auto: Editor) -> None:
    (auto.root / "numbered.txt").write_bytes(b"a\r\n\nc\fd")
    answer = await auto.read("numbered.txt", line_numbers=True)
    assert answer["data"]["content"] == "   1 | a\r\n   2 | \n   3 | c\fd"
    assert answer["stats"]["chars_read"] == 7
    last = await auto.read("numbered.txt", line_numbers=True, start_line=3)
    assert last["data"]["content"] == "   3 | c\fd"
    (auto.root / "numbers.txt").write_text("line\n" * 50_000)
    many = await auto.read("numbers.txt", line_numbers=True, start_line=3, limit=0)
    expected = "".join(f"{number:4d} | line\n" for number in range(3, 50_001))
    assert many["data"]["content"] == expected


@pytest.mark.parametrize(
    ("data", "start_line", "lines"), [(b"a\nb\n", 3, "2 lines"), (b"a", 2, "one line"), (b"", 2, "0 lines")]
)
async def test_a_start_past_the_end_names_the_number_of_lines(
    auto: Editor, data: bytes, start_line: int, lines: str
) -> None:
    (auto.root / "short.txt").write_bytes(data)
    answer = await auto.read("short.txt", start_line=start_line)
    assert answer["error"]["code"] == "INVALID_PARAM"
    assert lines in answer["error"]["message"]
    far = await auto.read("short.txt", start_line=10**30)
    assert far["error"]["code"] == "INVALID_PARAM"


@pytest.mark.parametrize(
    ("data", "text", "encoding", "bom"),
    [
        (b"\xef\xbb\xbf\xc3\xa4\n", "ä\n", "utf-8", True),
        (b"\xff\xfe" + "aä😀\n".encode("utf-16-le"), "aä😀\n", "utf-16-le", True),
        (b"\xfe\xff" + "aä😀\n".encode("utf-16-be"), "aä😀\n", "utf-16-be", True),
        (b"\xff\xfe\0\0" + "aä😀\n".encode("utf-32-le"), "aä😀\n", "utf-32-le", True),
        (b"\xef\xbb\xbf", "", "utf-8", True),
        ("\ufeffx\ufeff".encode() + b"y", "x\ufeffy", "utf-8", True),
    ],
)
async def test_a_byte_order_mark_tells_the_encoding(
    auto: Editor, data: bytes, text: str, encoding: str, bom: bool
) -> None:
    (auto.root / "marked.txt").write_bytes(data)
    answer = await auto.read("marked.txt")
    assert (answer["status"], answer["data"]["content"], answer["data"]["bom"]) == ("success", text, bom)
    assert answer["stats"]["encoding"] == encoding
    assert answer["data"]["hash"] == hash_of(data)


@pytest.mark.parametrize("data", [b"a\0b", b"\xef\xbb\xbfa\0", b"\x7fELF\0\0\0", b"\xfe\xffabc"])
async def test_a_binary_file_is_refused(auto: Editor, data: bytes) -> None:
    (auto.root / "binary").write_bytes(data)
    answer = await auto.read("binary")
    assert (answer["status"], answer["error"]["code"], answer["data"]) == ("error", "BINARY_FILE", {})
    assert "'binary'" in answer["error"]["message"]
    assert answer["context"]["path_resolved"] == "binary"
