"""Which part of a change a document contains is determined from its text alone."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.splices import apply_splices, is_partly_made

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12).map("".join)


@given(lines, lines, st.data())
def test_any_hunks_made_are_a_part(base: str, wanted: str, data: st.DataObject) -> None:
    hunks = diff(base, wanted)
    made = [hunk for hunk in hunks if data.draw(st.booleans())]
    text = apply_splices(base, made)
    assert is_partly_made(text, base, hunks) == (text != base)


@given(lines, lines, st.data())
def test_a_foreign_line_means_not_partly_made(base: str, wanted: str, data: st.DataObject) -> None:
    hunks = diff(base, wanted)
    made = apply_splices(base, [hunk for hunk in hunks if data.draw(st.booleans())])
    at = data.draw(st.integers(0, len(made)))
    assert not is_partly_made(made[:at] + "theirs\n" + made[at:], base, hunks)
