"""However a stream is split, the same messages come out."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from agentfs_lsp.jsonrpc.framing import Frame, Framer, TooLarge

LIMIT = 40
BODIES = st.lists(st.binary(max_size=60) | st.just(b"\r\n\r\nContent-Length: 3\r\n\r\n"), max_size=6)
HEADERS = st.sampled_from(
    [b"Content-Length: %d\r\n\r\n", b"content-length:%d\n\n", b"A: b\r\nContent-Length: %d\r\n\r\n"]
)


@given(bodies=BODIES, headers=st.lists(HEADERS, min_size=6, max_size=6), cuts=st.lists(st.integers(0, 500)))
def test_any_cut_gives_the_same_frames(bodies: list[bytes], headers: list[bytes], cuts: list[int]) -> None:
    data = b"".join(header % len(body) + body for header, body in zip(headers, bodies, strict=False))
    framer = Framer(LIMIT)
    found: list[Frame] = []
    for start, stop in pairwise(sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})):
        found += framer.feed(data[start:stop])
    assert found == [TooLarge(len(body), body) if len(body) > LIMIT else body for body in bodies]


@given(garbage=st.binary(max_size=100), cut=st.integers(0, 150))
def test_a_message_after_garbage_is_still_read(garbage: bytes, cut: int) -> None:
    # A number in garbage may announce a body that swallows more, so it has no digits.
    garbage = bytes(byte for byte in garbage if byte not in b"0123456789")
    data = garbage + 2 * b"Content-Length: 2\r\n\r\n{}"
    framer = Framer(LIMIT)
    assert [*framer.feed(data[:cut]), *framer.feed(data[cut:])][-1:] == [b"{}"]
