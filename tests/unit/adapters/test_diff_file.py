"""A diff that is on screen is not swept, whenever another server starts."""

import fcntl
import os
from pathlib import Path

import pytest

from agentfs_lsp.adapters.fs.confined import Folder, folder_at
from agentfs_lsp.adapters.fs.handles import create_locked
from agentfs_lsp.adapters.review import diff_file

NAME = "0123456789abcdef.diff"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_at(str(tmp_path))


def test_a_swept_file_is_made_again(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock, sweeps = fcntl.flock, [1]

    def swept_first(fd: int, operation: int) -> None:
        if sweeps and not operation & fcntl.LOCK_NB:
            sweeps.pop()
            diff_file._remove_abandoned(folder, NAME)
        lock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", swept_first)
    fd = create_locked(NAME, os.O_WRONLY | os.O_EXCL, folder.fd)
    diff_file._remove_abandoned(folder, NAME)
    assert os.path.samestat(os.fstat(fd), (tmp_path / NAME).stat())
    os.close(fd)
    diff_file._remove_abandoned(folder, NAME)
    assert not (tmp_path / NAME).exists()


def test_a_file_that_could_not_be_looked_at_is_not_left_locked(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_fd: int) -> os.stat_result:
        raise OSError(5, "Input/output error")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as failing_at_first:
        failing_at_first.setattr(os, "fstat", failing)
        with pytest.raises(OSError, match="Input/output"):
            create_locked(NAME, os.O_RDWR, folder.fd)
    assert len(os.listdir("/proc/self/fd")) == before
    assert os.listdir(tmp_path) == []


def test_a_second_sweep_leaves_new_files(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_text("abandoned")
    lock = fcntl.flock

    def replaced_first(fd: int, operation: int) -> None:
        (tmp_path / NAME).unlink()
        (tmp_path / NAME).write_text("new")
        lock(fd, operation)

    monkeypatch.setattr(fcntl, "flock", replaced_first)
    diff_file._remove_abandoned(folder, NAME)
    assert (tmp_path / NAME).read_text() == "new"


def test_a_full_disk_leaves_no_handle_open(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_fd: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        diff_file._shield(folder)
    assert len(os.listdir("/proc/self/fd")) == before
    assert os.listdir(tmp_path) == []
