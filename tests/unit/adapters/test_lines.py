"""Ranges of files of any size (docs/protocol.md#5-agentfsread)."""

import os

import pytest

from agentfs_lsp.adapters.fs import lines as scanning
from agentfs_lsp.domain.errors import BadRange
from agentfs_lsp.service.files.store import LineRange
from unit.adapters.conftest import Disk

ENCODINGS = {
    "utf-8": "",
    "utf-8-sig": "",
    "utf-16-le": "\ufeff",
    "utf-16-be": "\ufeff",
    "utf-32-le": "\ufeff",
    "utf-32-be": "\ufeff",
}


def lines_of(disk: Disk, start: int, lines: int, max_bytes: int = 1 << 26) -> LineRange:
    return disk.store.read_lines(disk.at("f"), start, lines, max_bytes)


@pytest.mark.parametrize(
    ("data", "start", "lines", "expected", "more"),
    [
        (b"a\nb\nc\n", 1, 2, b"a\nb\n", True),
        (b"a\nb\nc\n", 2, 2, b"b\nc\n", False),
        (b"a\nb\nc", 3, 5, b"c", False),
        (b"a\nb\nc", 1, 0, b"a\nb\nc", False),
        (b"a\r\nb\rc\nd", 2, 1, b"b\r", True),
        (b"a\r\nb\rc\nd", 3, 1, b"c\n", True),
        (b"\n\n\r\n\r", 4, 1, b"\r", False),
        (b"a\x0cb\xe2\x80\xa8c\x85d\n", 1, 1, b"a\x0cb\xe2\x80\xa8c\x85d\n", False),
        (b"\xef\xbb\xbfa\nb", 1, 1, b"a\n", True),
        (b"\xef\xbb\xbfa\nb", 2, 1, b"b", False),
        (b"", 1, 10, b"", False),
        (b"\xef\xbb\xbf", 1, 0, b"", False),
    ],
)
def test_a_range_is_exactly_those_lines(
    disk: Disk, data: bytes, start: int, lines: int, expected: bytes, more: bool
) -> None:
    disk.put("f", data)
    found = lines_of(disk, start, lines)
    assert (found.data, found.more) == (expected, more)
    assert found.head == data
    assert found.stat == disk.store.stat(disk.at("f"))


@pytest.mark.parametrize(
    ("data", "start", "total"),
    [(b"a\nb\n", 3, 2), (b"a\nb", 3, 2), (b"a\nb", 99, 2), (b"", 2, 0), (b"a\r\n", 2, 1), (b"\r\r", 9, 2)],
)
def test_past_the_end_the_number_of_lines_is_told(disk: Disk, data: bytes, start: int, total: int) -> None:
    disk.put("f", data)
    with pytest.raises(BadRange) as refused:
        lines_of(disk, start, 1)
    assert (refused.value.start_line, refused.value.total_lines) == (start, total)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("block", [8, 12, 1 << 20])
def test_every_line_in_every_encoding(
    disk: Disk, encoding: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Characters with bytes that look like line ends when misaligned; and one of two code units.
    expected = [
        "ab\r\n",
        "\u0a0a\u0d0d\u0a00\n",
        "\U0001f600\u0d0a\r",
        "\r\n",
        "\u010a\u000b\n",
        "\n",
        "ende",
    ]
    monkeypatch.setattr(scanning, "_BLOCK", block)
    disk.put("f", (ENCODINGS[encoding] + "".join(expected)).encode(encoding))
    plain = encoding.removesuffix("-sig")
    for number, line in enumerate(expected, 1):
        found = lines_of(disk, number, 1)
        assert found.data.decode(plain) == line
        assert (found.lines, found.more) == (1, number < len(expected))
    whole = lines_of(disk, 1, 0)
    assert (whole.data.decode(plain), whole.lines) == ("".join(expected), len(expected))


@pytest.mark.parametrize("window", [4, 1 << 16])
def test_at_most_max_bytes_and_whole_lines(disk: Disk, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "_WINDOW", window)
    disk.put("f", b"one\r\ntwo\r\nthree\r\n")
    for limit, expected in {
        17: b"one\r\ntwo\r\nthree\r\n",
        16: b"one\r\ntwo\r\n",
        11: b"one\r\ntwo\r\n",
        10: b"one\r\ntwo\r\n",
        9: b"one\r\n",  # not the CR without its LF
        5: b"one\r\n",
    }.items():
        found = lines_of(disk, 1, 0, limit)
        assert found.data == expected
        assert found.lines == expected.count(b"\n")
        assert found.more is (limit < 17)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("limit", range(8, 17))
def test_a_line_that_is_too_long_is_cut_between_characters(disk: Disk, encoding: str, limit: int) -> None:
    text = "aé€\U0001f600" * 20
    disk.put("f", (ENCODINGS[encoding] + text).encode(encoding))
    found = lines_of(disk, 1, 1, limit)
    plain = encoding.removesuffix("-sig")
    shown = found.data.decode(plain)
    assert text.startswith(shown)
    assert limit - 4 < len(found.data) <= limit
    assert (found.lines, found.more) == (1, True)


def test_a_range_of_a_file_far_larger_than_memory_is_read(disk: Disk) -> None:
    path = disk.put("f", b"first\nsecond\n")
    os.truncate(path, 1 << 40)
    assert lines_of(disk, 2, 1).data == b"second\n"
    assert lines_of(disk, 1, 2).more
