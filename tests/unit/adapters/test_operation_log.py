"""What the operation log does with files that others made or cut, and its lines in words."""

import errno
import json
import os
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.operation_log import OLD_FILES, OperationLog
from agentfs_lsp.adapters.told_operations import in_words
from agentfs_lsp.domain.settings.groups import MIB
from agentfs_lsp.service.operations import OperationRecord
from agentfs_lsp.service.timing import Span

RECORD = OperationRecord(
    time_ms=1_700_000_000_123,
    id="1-1",
    session="default",
    agent="",
    tool="replace",
    dialect="gemini",
    operation="edit",
    path="a\udcff.py",
    outcome="success",
    duration_ms=12.3,
    phases={"read": Span(0.1, 0.4, 0.3)},
    asked="review",
    decision="accepted",
    match="indent",
    lines_added=0,
    lines_removed=2,
)


def write(state: Path, *records: OperationRecord, path: Path | None = None) -> None:
    log = OperationLog(StateFolder(str(state)), path and str(path))
    for record in records:
        log.ended(record)
    log.close()


def test_a_line_has_what_applies(tmp_path: Path) -> None:
    write(tmp_path, RECORD)
    line = (tmp_path / "log" / "operations.jsonl").read_bytes()
    assert line.isascii()
    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.123Z",
        "id": "1-1",
        "session": "default",
        "tool": "replace",
        "dialect": "gemini",
        "operation": "edit",
        "path": "a\udcff.py",
        "outcome": "success",
        "duration_ms": 12.3,
        "phases": {"read": 0.3},
        "asked": "review",
        "decision": "accepted",
        "match": "indent",
        "lines_added": 0,
        "lines_removed": 2,
    }


def test_what_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.touch(mode=0o644)
    write(tmp_path, RECORD, path=path)
    assert (path.stat().st_mode & 0o777, path.read_text().count("\n")) == (0o600, 1)


def test_a_pipe_is_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "log"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write(tmp_path, RECORD, RECORD, path=path)
    assert os.read(reader, 10) == b""
    os.close(reader)
    assert len(caplog.records) == 1


def test_only_some_old_files_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for number in range(OLD_FILES + 3):
        path.write_bytes(b"%d\n" % number + b"x" * 10 * MIB)
        write(tmp_path, RECORD, path=path)
    kept = {each.name: each.read_bytes()[:1] for each in tmp_path.glob("log.[0-9]*")}
    assert kept == {f"log.{age}": b"%d" % (OLD_FILES + 3 - age) for age in range(1, OLD_FILES + 1)}


def test_where_nothing_can_be_renamed_the_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"x" * 10 * MIB)
    (tmp_path / "log.lock").mkdir()
    write(tmp_path, RECORD, path=path)
    assert path.stat().st_size > 10 * MIB


def test_a_line_that_a_full_disk_cut_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write_some = tmp_path / "log", os.write
    log = OperationLog(StateFolder(str(tmp_path)), str(path))

    def fill(fd: int, data: bytes) -> int:
        if path.stat().st_size:
            raise OSError(errno.ENOSPC, "full")
        return write_some(fd, data[:10])

    monkeypatch.setattr(os, "write", fill)
    log._write([RECORD])
    monkeypatch.undo()
    log._write([RECORD])
    cut, whole = path.read_text().splitlines()
    assert (len(cut), json.loads(whole)["id"]) == (10, RECORD.id)


def test_an_operation_in_words() -> None:
    assert in_words(RECORD) == (
        "replace (edit) 'a\ufffd.py': success, accepted by review, matched by indent, +0/-2 lines, "
        "12.3 ms (read 0.3)"
    )
