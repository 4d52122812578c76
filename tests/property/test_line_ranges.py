"""Ranges read from disk are the ranges of the text (docs/protocol.md#5-agentfsread)."""

import os
import re
import tempfile
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.adapters.fs import lines as scanning
from agentfs_lsp.domain.errors import BadRange

TEXT = st.text(st.sampled_from("a\r\n\u0a0d\u0d0a\u0a00\x0b\u2028é\U0001f600"), max_size=60)
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
MARKED = ("utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


@given(
    text=TEXT,
    encoding=st.sampled_from(("utf-8", *MARKED)),
    start=st.integers(1, 12),
    wanted=st.integers(0, 6),
    block=st.sampled_from((8, 16, 1 << 20)),
)
def test_a_range_is_a_cut_of_the_text(text: str, encoding: str, start: int, wanted: int, block: int) -> None:
    lines = LINE.findall(text)
    mark = "\ufeff" if encoding in MARKED[1:] else ""
    with tempfile.TemporaryFile() as file, patch.object(scanning, "_BLOCK", block):
        file.write((mark + text).encode(encoding))
        file.flush()
        fd = file.fileno()
        if start > max(len(lines), 1):
            with pytest.raises(BadRange) as refused:
                scanning.read_line_range(fd, start, wanted, 1 << 20)
            assert refused.value.total_lines == len(lines)
            return
        data, count, more, head = scanning.read_line_range(fd, start, wanted, 1 << 20)
        end = start - 1 + wanted if wanted else len(lines)
        expected = lines[start - 1 : end]
        assert data.decode(encoding.removesuffix("-sig")) == "".join(expected)
        assert (count, more) == (len(expected), end < len(lines))
        assert head == os.pread(fd, scanning.HEAD_BYTES, 0)


@given(text=TEXT, encoding=st.sampled_from(("utf-8", *MARKED)), limit=st.integers(4, 80))
def test_pieces_of_any_size_join_to_the_whole_text(text: str, encoding: str, limit: int) -> None:
    mark = "\ufeff" if encoding in MARKED[1:] else ""
    with tempfile.TemporaryFile() as file, patch.object(scanning, "_WINDOW", 8):
        file.write((mark + text).encode(encoding))
        file.flush()
        data, count, more, _ = scanning.read_line_range(file.fileno(), 1, 0, limit)
        shown = data.decode(encoding.removesuffix("-sig"))
        assert len(data) <= limit
        assert text.startswith(shown)
        assert more is (shown != text)
        assert count == len(LINE.findall(shown))
        first = LINE.findall(text)[:1]
        if more and shown not in first[0]:
            assert LINE.findall(text)[:count] == LINE.findall(shown)
