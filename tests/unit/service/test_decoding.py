"""Cached texts of large files are never used for other bytes."""

import pytest

from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.domain.text.textfile import TextFile, decode
from agentfs_lsp.service.files import decoding
from agentfs_lsp.service.files.decoding import BUDGET, DecodedFiles

LARGE = b"some line of text\n" * 10_000


class Counting:
    """Counts its calls."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, data: bytes) -> TextFile:
        self.times += 1
        return decode(data, "utf-8")


def test_the_same_bytes_are_decoded_once() -> None:
    files, counting = DecodedFiles(), Counting()
    first = files.text_of("/a", LARGE, counting)
    again = files.text_of("/a", bytes(bytearray(LARGE)), counting)
    assert counting.times == 1
    assert again == first == (decode(LARGE, "utf-8"), hash_bytes(LARGE))


def test_other_bytes_of_the_same_size_are_decoded_afresh() -> None:
    files, counting = DecodedFiles(), Counting()
    files.text_of("/a", LARGE, counting)
    other = LARGE[:-2] + b"!\n"
    text, digest = files.text_of("/a", other, counting)
    assert (text.text[-2:], digest) == ("!\n", hash_bytes(other))
    assert counting.times == 2


def test_a_guessed_encoding_is_not_cached() -> None:
    files, counting = DecodedFiles(), Counting()
    lossy = b"\xff" + LARGE
    files.text_of("/a", lossy, counting)
    files.text_of("/a", lossy, counting)
    assert counting.times == 2


def test_no_more_is_held_than_the_budget() -> None:
    files, counting = DecodedFiles(), Counting()
    third = b"x" * (BUDGET // 6)  # with its text a third of the budget
    for name in ("/a", "/b", "/c", "/d"):
        files.text_of(name, third, counting)
    assert counting.times == 4
    files.text_of("/d", third, counting)
    assert counting.times == 4
    files.text_of("/a", third, counting)
    assert counting.times == 5


def test_what_was_used_last_is_held_longest() -> None:
    files, counting = DecodedFiles(), Counting()
    third = b"x" * (BUDGET // 6 - 100)
    for name in ("/a", "/b", "/c", "/a", "/d"):
        files.text_of(name, third, counting)
    files.text_of("/a", third, counting)
    assert counting.times == 4


def test_texts_go_before_the_bytes_do(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[int] = []

    def counted(data: bytes) -> str:
        hashed.append(len(data))
        return hash_bytes(data)

    monkeypatch.setattr(decoding, "hash_bytes", counted)
    files, counting = DecodedFiles(), Counting()
    quarter = b"x" * (BUDGET // 4 - 100)
    for name in ("/a", "/b", "/c"):
        files.text_of(name, quarter, counting)
    text, digest = files.text_of("/a", quarter, counting)
    assert (counting.times, len(hashed)) == (4, 3)
    assert (text.text, digest) == (quarter.decode(), hash_bytes(quarter))
    for name in ("/d", "/e", "/f", "/b"):
        files.text_of(name, quarter, counting)
    assert len(hashed) == 7
