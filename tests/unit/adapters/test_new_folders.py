"""Folders made for new files, removed if nothing lands (docs/protocol.md#6-agentfswrite)."""

import errno
import os

import pytest

from agentfs_lsp.domain.errors import MalformedPath, OutsideRoots
from support.staging import stage
from unit.adapters.conftest import Disk


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_folder_that_two_files_need_goes_with_the_last(disk: Disk, order: tuple[int, int]) -> None:
    staged = [stage(disk, "new/a.py", b"a"), stage(disk, "new/b.py", b"b")]
    for number in order:
        staged[number].discard()
    assert disk.names() == set()


@pytest.mark.parametrize("lands", [0, 1])
def test_a_folder_that_two_files_need_stays_with_the_one_that_lands(disk: Disk, lands: int) -> None:
    staged = [stage(disk, "new/deep/a.py", b"a"), stage(disk, "new/deep/b.py", b"b")]
    assert staged[lands].commit().created_dirs == ("new", "new/deep")
    staged[1 - lands].discard()
    assert disk.names("new/deep") == {"ab"[lands] + ".py"}


@pytest.mark.parametrize("relative", ["file/new.py", "file/one/new.py"])
def test_no_folder_is_made_below_a_file(disk: Disk, relative: str) -> None:
    location = disk.at(relative)
    disk.put("file", b"came to be")
    with pytest.raises(MalformedPath, match="below_file"):
        disk.stage(location, b"x", None)
    assert disk.names() == {"file"}


def test_a_folder_swapped_for_a_link_gets_no_new_folders(disk: Disk) -> None:
    (disk.path / "sub").mkdir()
    location = disk.at("sub/made/new.py")
    (disk.path / "sub").rmdir()
    os.symlink(disk.outside, disk.path / "sub")
    with pytest.raises(OutsideRoots):
        disk.stage(location, b"x", None)
    assert {path.name for path in disk.outside.iterdir()} == {"secret"}


def failing(*_: object, **__: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_folder_that_a_temporary_file_keeps_is_named(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    stage(disk, "new/deep/a.py", b"a").commit()
    with monkeypatch.context() as failed:
        failed.setattr(os, "unlink", failing)
        disk.stage(disk.at("new/deep/a.py"), None, disk.read("new/deep/a.py")).commit()
    assert disk.store.remove_empty(disk.root, ["new/deep"]) == ["new/deep"]
    disk.put("new/deep/mine", b"")
    assert disk.store.remove_empty(disk.root, ["new/deep", "new"]) == []


def test_a_folder_in_which_a_temporary_file_stays_goes_at_the_next_start(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = stage(disk, "new/a.py", b"a")
    with monkeypatch.context() as failed:
        failed.setattr(os, "unlink", failing)
        staged.discard()
    assert disk.names() == {"new"}
    disk.store.close()
    assert disk.names() == set()


def test_folders_in_a_root_that_cannot_be_looked_at_are_named(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage(disk, "new/a.py", b"a").commit()
    monkeypatch.setattr(os, "stat", failing)
    assert disk.store.remove_empty(disk.root, ["new"]) == ["new"]
