"""The files of the operation log are read from the oldest to the newest."""

import os
from pathlib import Path

import pytest

from agentfs_lsp.adapters.operation_files import read_log


def write(log: Path, **texts: str) -> None:
    for name, text in texts.items():
        log.with_name(log.name + name.replace("_", ".").removeprefix(".0")).write_text(text)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "operations.jsonl"


def test_older_files_come_first_and_gaps_do_no_harm(log: Path) -> None:
    assert list(read_log(str(log))) == []
    write(log, _0="e\nf", _1="d\n", _2="c\n", _4="a\nb\n", _5="no\n")
    assert b"".join(read_log(str(log))) == b"a\nb\nc\nd\ne\nf"


def test_a_file_that_is_renamed_meanwhile_is_read_once(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(log, _0="two\n", _1="one\n")
    real_open = os.open

    def rotating(path: str, *more: int) -> int:
        fd = real_open(path, *more)
        if path == str(log):
            os.replace(f"{path}.1", f"{path}.2")
            os.replace(path, f"{path}.1")
        return fd

    monkeypatch.setattr(os, "open", rotating)
    assert list(read_log(str(log))) == [b"one\n", b"two\n"]


def test_links_and_pipes_are_not_read(log: Path) -> None:
    write(log, _0="line\n")
    (log.parent / "link").symlink_to(log)
    os.mkfifo(log.parent / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(OSError):  # noqa: PT011 - whatever the system calls it
            list(read_log(str(log.parent / name)))


def test_a_line_without_end_is_read_in_pieces(log: Path) -> None:
    log.write_bytes(b"x" * (3 << 20))
    assert max(map(len, read_log(str(log)))) == 1 << 20
