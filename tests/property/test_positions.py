"""Conversions between columns and offsets are inverse."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.text.positions import Encoding, offset_at, units

lines = st.text(st.sampled_from("ab\t é中😀𝒳\u2028\x0c"), max_size=20)
encodings = st.sampled_from(["utf-16", "utf-8", "utf-32"])


@given(lines, encodings, st.data())
def test_the_column_of_an_offset_leads_back_to_it(line: str, encoding: Encoding, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(line)))
    assert offset_at(line, units(line[:offset], encoding), encoding) == offset


@given(lines, encodings, st.integers(0, 90))
def test_any_column_rounds_down(line: str, encoding: Encoding, column: int) -> None:
    offset = offset_at(line, column, encoding)
    assert units(line[:offset], encoding) <= column
    assert offset == len(line) or units(line[: offset + 1], encoding) > column
