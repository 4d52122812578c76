"""Columns in the editor's units."""

import pytest

from agentfs_lsp.domain.text.positions import Encoding, PositionCounter, offset_at, units

LINE = "aé😀中b"


@pytest.mark.parametrize(("encoding", "length"), [("utf-32", 5), ("utf-16", 6), ("utf-8", 11)])
def test_units_are_the_encodings(encoding: Encoding, length: int) -> None:
    assert units(LINE, encoding) == length


def test_a_position_counts_lines_and_columns_from_zero() -> None:
    text = "first\r\nx😀y\nz"
    counter = PositionCounter(text + "\n", "utf-16")
    assert counter.at(text.index("y")) == (1, 3)
    assert counter.at(len(text)) == (2, 1)
    assert counter.at(len(text) + 1) == (3, 0)


def test_lone_surrogates_count_as_one_unit_of_utf_16() -> None:
    assert units("\udc80x", "utf-16") == 2
    assert offset_at("\udc80x", 1, "utf-16") == 1
