"""For any texts, line ends are restored so that the file reads as wanted."""

from hypothesis import example, given
from hypothesis import strategies as st

from agentfs_lsp.domain.diff.line_ends import splices_towards
from agentfs_lsp.domain.splices import apply_splices
from agentfs_lsp.domain.text.lines import normalize, split_lines

lines = st.sampled_from(["a", "b", "c", "", "é\u2028", "\x0c"])
ends = st.sampled_from(["\n", "\r\n", "\r"])
line = st.builds(str.__add__, lines, ends)
texts = st.builds(lambda whole, rest: "".join(whole) + rest, st.lists(line, max_size=12), lines)


@given(texts, texts, ends)
@example("a\rb\n\n", "a\n\n", "\n")
@example("a\rb\n", "a\n\n\n", "\n")
@example("a\r\nb\n\n", "a\nc\n\n", "\n")
@example("b\rc\n\n", "b\na\n\n", "\n")
def test_the_file_reads_what_was_wanted(base: str, wanted: str, lone_eol: str) -> None:
    made = apply_splices(base, splices_towards(base, wanted, lone_eol))
    assert normalize(made) == normalize(wanted)


@given(texts, texts)
def test_pieces_are_whole_lines_and_what_is_between_them_stays(base: str, wanted: str) -> None:
    starts = {0}
    for each in split_lines(base):
        starts.add(max(starts) + len(each))
    at = 0
    for splice in splices_towards(base, wanted):
        assert at <= splice.start <= splice.end
        assert {splice.start, splice.end} <= starts
        at = splice.end


@given(texts)
def test_the_same_lines_are_no_change_whatever_their_ends(base: str) -> None:
    assert splices_towards(base, normalize(base)) == ()
    assert splices_towards(normalize(base), base) == ()


@given(st.lists(st.builds(str.__add__, lines, st.just("\r\n")), min_size=1, max_size=12), texts)
def test_a_file_of_one_kind_of_line_ends_stays_of_that_kind(base: list[str], wanted: str) -> None:
    made = apply_splices("".join(base), splices_towards("".join(base), wanted))
    assert made == normalize(wanted).replace("\n", "\r\n")
