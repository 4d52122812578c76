"""Patched bytes equal the encoded patched text, for any text, mark and place."""

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text import patching
from agentfs_lsp.domain.text.textfile import TextFile, encode

WORDS = st.text(st.sampled_from("ab é—😀\r\n"), max_size=12)
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])


@st.composite
def spliced(draw: st.DrawFn) -> tuple[TextFile, list[Splice]]:
    """A file large enough to be patched as bytes, and a few splices in order."""
    text = draw(WORDS) * draw(st.sampled_from([1, 20_000])) + draw(WORDS)
    bounds = sorted(draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=10)))
    pairs = zip(bounds[::2], bounds[1::2], strict=False)
    splices = [Splice(start, end, draw(WORDS)) for start, end in pairs]
    return TextFile(text, "utf-8", draw(MARKS), lossy=False), splices


@given(spliced())
def test_patched_bytes_are_the_encoded_text(case: tuple[TextFile, list[Splice]]) -> None:
    file, splices = case
    data = encode(file.text, file)
    patched = patching.patch(data, file, splices)
    if patched is None:
        assert len(data) <= patching.SMALL or not file.text.isascii(), "in ASCII every place is certain"
    else:
        assert b"".join(patched) == encode(apply_splices(file.text, splices), file)
