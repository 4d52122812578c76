"""For any texts, hunks turn the old text into the new one, and are whole lines, minimal and separate."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.alignment import Effort, Stretch, _shortest, differing
from agentfs_lsp.domain.diff.hunks import counts, diff, widen
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.lines import count_lines, split_lines

lines = st.sampled_from(["a", "b", "", "  }", "\x0c", "é\u2028"])
ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])
line = st.builds(str.__add__, lines, ends)
texts = st.builds(lambda whole, rest: "".join(whole) + rest, st.lists(line, max_size=30), lines)


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, list[Splice]]:
    text = draw(texts)
    offsets = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = zip(offsets[::2], offsets[1::2], strict=False)
    put = st.one_of(st.just(""), ends, lines, texts)
    return text, [Splice(start, end, draw(put)) for start, end in pairs]


def assert_hunks(old: str, new: str, hunks: tuple[Splice, ...]) -> None:
    assert apply_splices(old, hunks) == new
    old_lines, shift, before = split_lines(old), 0, -1
    starts = {0}
    for text in old_lines:
        starts.add(max(starts) + len(text))
    new_starts = {0}
    for text in split_lines(new):
        new_starts.add(max(new_starts) + len(text))
    for hunk in hunks:
        assert hunk.start > before
        before = hunk.end
        assert {hunk.start, hunk.end} <= starts
        begin = hunk.start + shift
        shift += len(hunk.text) - (hunk.end - hunk.start)
        assert {begin, hunk.end + shift} <= new_starts
        gone, come = split_lines(old[hunk.start : hunk.end]), split_lines(hunk.text)
        assert gone or come
        if gone and come:
            assert gone[0] != come[0]
            assert gone[-1] != come[-1]


def remade(old: str, new: str, stretches: list[Stretch]) -> str:
    built, at = [], 0
    for a0, a1, b0, b1 in stretches:
        built += [old[at:a0], new[b0:b1]]
        at = a1
    return "".join([*built, old[at:]])


@given(texts, texts)
def test_a_diff_makes_the_new_text_in_minimal_hunks(old: str, new: str) -> None:
    assert_hunks(old, new, diff(old, new))


@given(edits())
def test_widened_edits_make_the_same_text_in_minimal_hunks(case: tuple[str, list[Splice]]) -> None:
    old, splices = case
    assert_hunks(old, apply_splices(old, splices), widen(old, splices))


@given(texts, texts)
def test_counts_agree_with_the_number_of_lines(old: str, new: str) -> None:
    added, removed = counts(old, diff(old, new))
    assert added - removed == count_lines(new) - count_lines(old)


@given(st.text("abc", max_size=14), st.text("abc", max_size=14))
def test_the_search_finds_the_shortest_script(old: str, new: str) -> None:
    common = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, letter in enumerate(old):
        for j, other in enumerate(new):
            longer = max(common[i][j + 1], common[i + 1][j])
            common[i + 1][j + 1] = common[i][j] + 1 if letter == other else longer
    least = len(old) + len(new) - 2 * common[-1][-1]
    stretches = list(_shortest(old, new, (0, len(old), 0, len(new)), Effort()))
    if common[-1][-1]:
        assert sum(a1 - a0 + b1 - b0 for a0, a1, b0, b1 in stretches) == least


@given(
    st.text("ab", min_size=8, max_size=120),
    st.lists(st.tuples(st.integers(0, 120), st.integers(0, 60)), max_size=8),
)
def test_pieces_of_a_text_in_any_order_are_aligned(old: str, pieces: list[tuple[int, int]]) -> None:
    new = "c".join(old[at : at + length] for at, length in pieces)
    assert remade(old, new, differing(old, new, Effort())) == new


@given(texts, texts, st.integers(0, 40))
def test_running_out_of_effort_costs_quality_and_nothing_else(old: str, new: str, steps: int) -> None:
    letters = str.maketrans("\r", "\n")
    a, b = old.translate(letters), new.translate(letters)
    assert remade(a, b, differing(a, b, Effort(steps))) == b
