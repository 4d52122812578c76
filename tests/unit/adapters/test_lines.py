"""Ranges of files of any size (docs/protocol.md#5-agentfsread)."""

import os

import pytest

from agentfs_lsp.adapters.fs import lines as scanning
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
