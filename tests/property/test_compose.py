"""Two consecutive edits, combined into one."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.splices import Splice, apply_splices, compose


@st.composite
def splices_of(draw: st.DrawFn, length: int) -> tuple[Splice, ...]:
    """Splices of a text of that length: in order, not overlapping, some touching."""
    cuts = sorted(draw(st.lists(st.integers(0, length), max_size=8)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return tuple(Splice(start, end, draw(st.text("xyz", max_size=3))) for start, end in pairs)


@given(st.data(), st.text("abc\n", max_size=20))
def test_composed_they_make_what_they_make_in_turn(data: st.DataObject, text: str) -> None:
    first = data.draw(splices_of(len(text)))
    between = apply_splices(text, first)
    second = data.draw(splices_of(len(between)))
    composed = compose(first, second)
    assert apply_splices(text, composed) == apply_splices(between, second)
    assert all(one.end < other.start for one, other in itertools.pairwise(composed))
