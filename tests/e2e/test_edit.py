"""agentfs/edit in the real process (docs/protocol.md#7-agentfsedit); `tests/cases/edit` tests matching."""

import pytest

from support.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

UTF_16 = b"\xff\xfe"


@pytest.mark.parametrize(
    ("data", "old", "new", "expected"),
    [
        # line ends: the file's are kept, inserted ones follow their surroundings
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "a\nB\nnew\n", b"a\r\nB\r\nnew\r\nc\r\n"),
        (b"a\r\nb\nc\rd", "b", "B\nB2", b"a\r\nB\nB2\nc\rd"),
        (b"a\nb\n", "a\r\nb", "a\r\nB", b"a\nB\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
        # a lone CR does not merge with the LF after it
        (b"a\rb\n\n", "a\rb\n", "x\n\n", b"x\r\n\n\n"),
        (b"a\rx\nb\n", "x", "", b"a\r\r\nb\n"),
        # encodings
        (b"\xef\xbb\xbfa\xc3\xa4\n", "ä", "ö", b"\xef\xbb\xbfa\xc3\xb6\n"),
        (UTF_16 + "a😀b\r\n".encode("utf-16-le"), "😀b", "ä", UTF_16 + "aä\r\n".encode("utf-16-le")),
        (b"\xfe\xff" + "ab\n".encode("utf-16-be"), "b", "😀", b"\xfe\xff" + "a😀\n".encode("utf-16-be")),
        # undecodable bytes are preserved
        (b"caf\xe9 = 1\n\xff\xfe\xfd\nx\n", "= 1", "= 2", b"caf\xe9 = 2\n\xff\xfe\xfd\nx\n"),
        (b"caf\xe9 = 1\n", "caf\ufffd = 1", "caf\ufffd = 2", b"caf\xe9 = 2\n"),
        (b"a\xe9b\xe8c\n", "b", "", b"a\xe9\xe8c\n"),
        (b"\xc3\xa4 \xff\n", "\n", "\nend\n", b"\xc3\xa4 \xff\nend\n"),
        # content that other tools treat as line ends
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
