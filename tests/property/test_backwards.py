"""Searching from the end, block by block, finds what `str.rfind` finds."""

from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.matching import occurrences


@given(st.text("ab", max_size=40), st.text("ab", min_size=1, max_size=4), st.integers(1, 9), st.data())
def test_as_rfind(text: str, wanted: str, block: int, data: st.DataObject) -> None:
    with mock.patch.object(occurrences, "_BLOCK", block):
        backwards, end = occurrences.Backwards(text, wanted), len(text)
        while end > 0:
            found = backwards.before(end)
            assert found == text.rfind(wanted, 0, end)
            end = data.draw(st.integers(0, end - 1))
