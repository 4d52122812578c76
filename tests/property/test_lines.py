"""Fast line counting agrees with the naive way."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.text import lines

texts = st.text("a\n\r\u2028", max_size=40) | st.builds(
    lambda text, n: text * n, st.text("ab\n\r", max_size=5), st.integers(0, 300)
)


def plain(text: str) -> list[str]:
    return [it for it in re.split(r"(?<=\n)|(?<=\r)(?!\n)", text) if it]


@given(texts)
def test_splitting_agrees_with_the_definition(text: str) -> None:
    assert lines.split_lines(text) == plain(text)
    assert [line for it in lines.blocks_of_lines(text, 0, len(text)) for line in it] == plain(text)
    assert lines.count_lines(text) == len(plain(text))


@given(texts, st.data())
def test_places_agree_with_the_lines(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    starts = [0]
    for line in plain(text):
        starts.append(starts[-1] + len(line))
    if text and not text.endswith(("\n", "\r")):
        starts.pop()
    assert lines.starts_line(text, offset) is (offset in starts)
    own = max(start for start in starts if start <= offset)
    assert lines.line_start(text, offset) == own
    assert lines.line_of(text, offset) == starts.index(own) + 1
    assert lines.offset_of_line(text, starts.index(own) + 1) == own
    for line, start in enumerate(starts[1:], start=1):
        assert lines.offset_of_line(text, line, starts[1]) == start
    assert lines.line_end(text, offset) == min((s for s in starts if s > offset), default=len(text))
