"""Removing blanks at ends of the lines that a change touches."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.lines import split_lines, without_end
from agentfs_lsp.domain.text.trailing_blanks import has_trailing, ranges_of, trimmed

texts = st.text("ab \t\n\r\f", max_size=30)


@given(texts, texts)
def test_nothing_but_blanks_at_ends_of_new_lines_goes(before: str, after: str) -> None:
    hunks = diff(before, after)
    made, numbers = trimmed(before, hunks)
    result = apply_splices(before, made)
    wanted, got = split_lines(after), split_lines(result)
    known = {without_end(line) for line in split_lines(before)}
    for number, line in enumerate(wanted, 1):
        body = without_end(line)
        if number in numbers:
            assert body != body.rstrip(" \t")
        elif body != body.rstrip(" \t"):
            assert body in known
    cut = [
        without_end(line).rstrip(" \t") + line[len(without_end(line)) :] if number in numbers else line
        for number, line in enumerate(wanted, 1)
    ]
    assert "".join(cut) == result == "".join(got)
    assert bool(numbers) <= has_trailing(hunks)


@given(st.lists(st.integers(1, 40), unique=True).map(sorted))
def test_ranges_name_every_line(lines: list[int]) -> None:
    told = ranges_of(lines)
    named = [
        line
        for part in told.split(", ")
        if part not in ("", "…")
        for first, _, last in [part.partition("-")]
        for line in range(int(first), int(last or first) + 1)
    ]
    assert named == (lines if "…" not in told else lines[: len(named)])
