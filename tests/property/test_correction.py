"""A placeholder is found wherever it is, however much of the file remains (domain/diff/elision.py)."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.elision import Placeholder, find_placeholder
from agentfs_lsp.domain.text.lines import normalize

LINES = st.sampled_from(
    [
        "// ... rest of the code",
        "  # ... existing code ...",
        "let x = 1;",
        "let x = 12;",
        "",
        "}",
        "// 其余代码不变",
    ]
)
ENDS = st.sampled_from(["\n", "\r\n"])
TEXTS = st.builds(lambda lines, end: end.join(lines), st.lists(LINES, max_size=7), ENDS)


@given(TEXTS, TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_every_line_not_the_files_own_is_looked_at(content: str, original: str, head: int, tail: int) -> None:
    content = original[:head] + content + original[len(original) - tail :]
    lines = normalize(content).split("\n")
    alone = [(number, find_placeholder(line, "another file")) for number, line in enumerate(lines, 1)]
    expected = [
        Placeholder(number, found.marker)
        for number, found in alone
        if found is not None and found.marker not in normalize(original)
    ]
    known = bool(original) and not original.isspace()
    assert find_placeholder(content, original) == (expected[0] if expected and known else None)
