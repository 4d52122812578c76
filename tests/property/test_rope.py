"""After any edits of an editor, the server's copy equals the editor's text."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentfs_lsp.domain.text.positions import Encoding, units
from agentfs_lsp.domain.text.rope import BadPosition, Rope

# Few characters, so that line ends and surrogates often meet, plus those that are not line ends.
ALPHABET = "aab\r\r\r\n\n\n\u2028\f\x85\x0b\x1cé漢😀\ud83d\ude00"


def joined(text: str) -> str:
    """The text with adjacent surrogate halves joined, as JSON does."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


PIECES = st.text(alphabet=ALPHABET, max_size=12).map(joined)
WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
PLACES = st.tuples(st.integers(0, 6), st.integers(0, 6))
INSERTS = PLACES.flatmap(lambda place: st.tuples(st.just(place), st.just(place), PIECES))
EDITS = st.lists(st.tuples(PLACES, PLACES, PIECES) | INSERTS)


def to_units(text: str, encoding: Encoding) -> list[bytes]:
    """The text as a list of units, as an editor with this encoding sees it."""
    width = WIDTHS[encoding]
    data = text.encode(encoding + ("" if width == 1 else "-le"), "surrogatepass")
    return [data[at : at + width] for at in range(0, len(data), width)]


def to_text(data: list[bytes], encoding: Encoding) -> str:
    codec = encoding + ("" if WIDTHS[encoding] == 1 else "-le")
    return joined(b"".join(data).decode(codec, "surrogatepass"))


def offset(text: str, position: tuple[int, int], encoding: Encoding, *, cr_has_column: bool) -> int | None:
    """The index of `position` in the list of units, computed naively; None inside a character."""
    line, column = position
    lines = re.split(r"(?:\r\n|\r|\n)", text)
    if line >= len(lines):
        return len(to_units(text, encoding))
    ends = [*re.findall(r"\r\n|\r|\n", text), ""]
    before = "".join(one + end for one, end in zip(lines[:line], ends[:line], strict=True))
    shown = lines[line] + "\r" * (cr_has_column and ends[line] == "\r\n")
    starts = [units(shown[:at], encoding) for at in range(len(shown) + 1)]
    column = min(column, starts[-1])
    return units(before, encoding) + column if column in starts else None


@pytest.mark.parametrize("cr_has_column", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@settings(max_examples=150)
@given(text=st.lists(PIECES, max_size=6).map("".join).map(joined), edits=EDITS, chunk=st.integers(1, 20))
def test_any_sequence_of_edits_gives_what_the_editor_has(
    encoding: Encoding,
    text: str,
    edits: list[tuple[tuple[int, int], tuple[int, int], str]],
    chunk: int,
    *,
    cr_has_column: bool,
) -> None:
    rope = Rope(text, encoding, cr_has_column=cr_has_column, chunk=chunk)
    for start, end, new in edits:
        begin, stop = (offset(text, one, encoding, cr_has_column=cr_has_column) for one in (start, end))
        if start > end or begin is None or stop is None:
            with pytest.raises(BadPosition):
                rope.replace(start, end, new)
        else:
            data = to_units(text, encoding)
            text = to_text(data[:begin] + to_units(new, encoding) + data[stop:], encoding)
            rope.replace(start, end, new)
        assert rope.text == text
        assert rope.lone_crs == len(re.findall(r"\r(?!\n)", text))
    begins = re.compile(r"^|\r\n|\r|\n")
    for line in reversed(range(len(begins.findall(text)))):
        rope.replace((line, 0), (line, 0), "|")
    assert rope.text == begins.sub(r"\g<0>|", text)
