"""The demo reports the bytes on disk, and detects errors."""

import pytest

from agentfs_lsp.demo.ledger import Ledger, describe_line_ends
from agentfs_lsp.domain.translation import english


@pytest.fixture
def ledger(tmp_path) -> Ledger:
    (tmp_path / "a.csv").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "b.txt").write_bytes("Süd\n".encode("latin-1"))
    ledger = Ledger(tmp_path, english)
    ledger.touch("a.csv")
    ledger.touch("b.txt")
    return ledger


def test_an_accepted_change_that_is_there_as_it_should_be_is_right(ledger, tmp_path) -> None:
    ledger.replace("a.csv", "two\n", "three\n")
    (tmp_path / "a.csv").write_bytes(b"one\r\nthree\r\n")
    csv, note = ledger.findings()
    assert (csv.ok, csv.line_ends, csv.size, csv.check) == (True, "CRLF ×2", 12, "as expected")
    assert (note.ok, note.encoding, note.check) == (True, "latin-1", "as before")


@pytest.mark.parametrize(
    ("data", "check"),
    [
        (b"one\r\ntwo\r\n", "differs from the accepted text"),
        (b"one\r\nthree\n", "line endings changed"),
        (b"one\r\nthr\xc3\r\n", "other encoding"),
        (None, "missing"),
    ],
)
def test_anything_else_on_disk_is_wrong(ledger, tmp_path, data, check) -> None:
    ledger.replace("a.csv", "two\n", "three\n")
    if data is None:
        (tmp_path / "a.csv").unlink()
    else:
        (tmp_path / "a.csv").write_bytes(data)
    csv, _ = ledger.findings()
    assert (csv.ok, csv.check) == (False, check)


def test_another_encoding_than_before_is_wrong(ledger, tmp_path) -> None:
    (tmp_path / "b.txt").write_bytes("Süd\n".encode())
    _, note = ledger.findings()
    assert not note.ok


def test_a_new_file_that_was_rejected_is_not_there(ledger) -> None:
    ledger.touch("new.txt")
    ledger.note("new.txt", "rejected")
    assert [found.check for found in ledger.findings() if found.path == "new.txt"] == ["does not exist"]


def test_a_new_file_holds_what_was_accepted(ledger, tmp_path) -> None:
    ledger.touch("new.txt")
    ledger.become("new.txt", "new\n")
    (tmp_path / "new.txt").write_bytes(b"new\n")
    assert ledger.findings()[-1].ok


def test_a_file_without_line_ends_may_get_some(ledger, tmp_path) -> None:
    (tmp_path / "c").write_bytes(b"c")
    ledger.touch("c")
    ledger.replace("c", "c", "c\nd\n")
    (tmp_path / "c").write_bytes(b"c\nd\n")
    assert ledger.findings()[-1].ok


def test_all_that_became_of_a_file_is_told(ledger) -> None:
    ledger.note("a.csv", "conflict")
    ledger.note("a.csv", "accepted")
    assert [found.outcome for found in ledger.findings()] == ["conflict, accepted", "untouched"]


def test_mixed_line_ends_are_counted_each() -> None:
    assert describe_line_ends("a\r\nb\nc\rd\n") == "CRLF ×1, LF ×2, CR ×1"
    assert describe_line_ends("a") == ""
