"""Input becomes whole messages, however it is split and whatever is in between."""

import pytest

from agentfs_lsp.jsonrpc.framing import HEAD, MAX_HEADER, BadHeader, Frame, Framer, TooLarge

LIMIT = 20_000_000


def frames(*pieces: bytes, max_body: int = LIMIT) -> list[Frame]:
    framer = Framer(max_body)
    return [frame for piece in pieces for frame in framer.feed(piece)]


def one_by_one(data: bytes, max_body: int = LIMIT) -> list[Frame]:
    return frames(*(data[at : at + 1] for at in range(len(data))), max_body=max_body)


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length \t: \t2 \t\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"Content-Length: 2\n\r\n",
        b"Content-Length: 02\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"\r\n\r\n\nContent-Length: 2\r\n\r\n",
        b"a line that some wrapper printed\nContent-Length: 2\r\n\r\n",
    ],
)
def test_any_spelling_of_the_header_is_understood(header: bytes) -> None:
    data = header + b"{}" + framed(b"[]")
    assert frames(data) == one_by_one(data) == [b"{}", b"[]"]


def test_what_was_fed_is_kept_where_the_caller_stops_in_between() -> None:
    framer = Framer(LIMIT)
    assert next(framer.feed(framed(b"1") + framed(b"2") + framed(b"3"))) == b"1"
    assert list(framer.feed(framed(b"4"))) == [b"2", b"3", b"4"]


@pytest.mark.parametrize(
    "bad",
    [
        b"Content-Type: none\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: +5\r\n\r\n",
        b"Content-Length: five\r\n\r\n",
        b"Content-Length: 0x5\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Length: " + b"9" * 30 + b"\r\n\r\n",
        b"X: " + b"x" * 3 * MAX_HEADER + b"\r\n\r\n",
        b"X: x\r\n" * MAX_HEADER + b"\r\n\r\n",
        b'{"jsonrpc": "2.0", "method": "without a header"}',
        b"\x00\xff\n\n\xfe",
    ],
)
def test_a_bad_header_is_told_once_and_the_next_message_is_served(bad: bytes) -> None:
    data = bad + framed(b"{}") + framed(b"[]")
    for found in (frames(data), one_by_one(data)):
        assert [type(frame) for frame in found] == [BadHeader, bytes, bytes]
        assert found[1:] == [b"{}", b"[]"]


def test_two_lengths_that_differ_are_told_and_the_last_one_counts() -> None:
    data = b"Content-Length: 5\r\nContent-Length: 7\r\n\r\n1234567" + framed(b"[]")
    assert frames(data) == [BadHeader("several lengths"), b"1234567", b"[]"]


def test_a_body_longer_than_announced_does_not_take_the_next_message_along() -> None:
    found = frames(b"Content-Length: 2\r\n\r\n{}, more of it}" + framed(b"[]"))
    assert [type(frame) for frame in found] == [bytes, BadHeader, bytes]
    assert found[-1] == b"[]"


def test_garbage_is_not_kept() -> None:
    framer = Framer(LIMIT)
    found = [frame for _ in range(100) for frame in framer.feed(b"garbage" * 10_000)]
    assert [type(frame) for frame in found] == [BadHeader]
    assert len(framer._rest) < 2 * 70_000


def test_a_body_over_the_limit_is_skipped_and_reported_with_its_start() -> None:
    large = bytes(range(256)) * 40
    data = framed(large) + framed(b"{}")
    expected = [TooLarge(len(large), large[:HEAD]), b"{}"]
    assert frames(data, max_body=5000) == one_by_one(data, max_body=5000) == expected


def test_what_is_skipped_is_not_kept() -> None:
    framer = Framer(1000)
    kept = []
    told = list(framer.feed(b"Content-Length: 100000000\r\n\r\n"))
    for _ in range(1000):
        told += framer.feed(b"x" * 100_000)
        kept.append(framer.held)
    assert told == [TooLarge(100_000_000, b"x" * HEAD)]
    assert max(kept) <= 100_000
    assert list(framer.feed(framed(b"{}"))) == [b"{}"]


def test_thousands_of_messages_in_one_read_are_all_found() -> None:
    bodies = [b'{"id": %d}' % number for number in range(50_000)]
    assert frames(b"".join(map(framed, bodies))) == bodies
