"""Files are created and replaced completely or not at all (docs/protocol.md#6-agentfswrite)."""

import errno
import os
import stat
from pathlib import Path

import pytest

from agentfs_lsp.adapters.landing import temporary
from support.staging import stage
from unit.adapters.conftest import Disk

# --- what lands -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 10, 3_000_000])
def test_an_existing_file_is_replaced_whole(disk: Disk, size: int) -> None:
    disk.put("sub/a.py", b"old")
    staged = stage(disk, "sub/a.py", b"n" * size)
    assert (disk.path / "sub/a.py").read_bytes() == b"old"

    landed = staged.commit()
    assert (disk.path / "sub/a.py").read_bytes() == b"n" * size
    assert landed.stat == disk.store.stat(disk.at("sub/a.py"))
    assert disk.names("sub") == {"a.py"}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_and_its_folders_follow_the_umask(disk: Disk, umask: int) -> None:
    before = os.umask(umask)
    try:
        stage(disk, "made/new.py", b"x").commit()
    finally:
        os.umask(before)
    assert stat.S_IMODE((disk.path / "made/new.py").stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE((disk.path / "made").stat().st_mode) == 0o777 & ~umask


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o640, 0o666, 0o4755, 0o2755])
def test_the_mode_is_kept(disk: Disk, mode: int) -> None:
    disk.put("a.py", b"old").chmod(mode)
    stage(disk, "a.py", b"new").commit()
    assert stat.S_IMODE((disk.path / "a.py").stat().st_mode) == mode


def test_a_mode_changed_while_the_change_was_on_its_way_is_kept_too(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    path.chmod(0o644)
    staged = stage(disk, "a.py", b"new")
    path.chmod(0o751)
    staged.commit()
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert path.read_bytes() == b"new"


def test_the_owner_is_kept(disk: Disk) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    path = disk.put("a.py", b"old")
    os.chown(path, 12345, 23456)
    path.chmod(0o6754)
    stage(disk, "a.py", b"new").commit()
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o6754)


def other_group() -> int:
    """One that this process may give a file to."""
    if os.geteuid() == 0:
        return 23456
    others = [group for group in os.getgroups() if group != os.getegid()]
    if not others:
        pytest.skip("this user is in one group only")
    return others[0]


def test_the_group_is_kept(disk: Disk) -> None:
    path, group = disk.put("a.py", b"old"), other_group()
    os.chown(path, -1, group)
    path.chmod(0o640)
    stage(disk, "a.py", b"new").commit()
    found = path.stat()
    assert (found.st_gid, stat.S_IMODE(found.st_mode)) == (group, 0o640)


def test_an_owner_or_group_that_cannot_be_kept_is_told(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path, group = disk.put("a.py", b"old"), other_group()
    assert not stage(disk, "a.py", b"new").commit().owner_lost
    staged = stage(disk, "a.py", b"newer")
    os.chown(path, -1, group)  # while the change is on its way
    path.chmod(0o640)
    assert not staged.commit().owner_lost

    def refuse(fd: int, uid: int, gid: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "fchown", refuse)
    assert stage(disk, "a.py", b"newest").commit().owner_lost
    found = path.stat()
    assert (found.st_gid, stat.S_IMODE(found.st_mode)) == (os.getegid(), 0o600)


def _access_list(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX ACL in the kernel's format: (tag, permissions, id) each, version 2."""
    packed = b"".join(
        tag.to_bytes(2, "little") + permissions.to_bytes(2, "little") + who.to_bytes(4, "little")
        for tag, permissions, who in entries
    )
    return (2).to_bytes(4, "little") + packed


_NOBODY = 0xFFFFFFFF
_LIST = _access_list((1, 6, _NOBODY), (2, 7, 12345), (4, 4, _NOBODY), (0x10, 7, _NOBODY), (0x20, 0, _NOBODY))


def _set_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except (OSError, AttributeError):
        pytest.skip("no such attributes here")


@pytest.mark.parametrize(("name", "value"), [("user.color", b"blue"), ("system.posix_acl_access", _LIST)])
def test_extended_attributes_are_kept(disk: Disk, name: str, value: bytes) -> None:
    path = disk.put("a.py", b"old")
    _set_attribute(path, name, value)
    mode = path.stat().st_mode
    stage(disk, "a.py", b"new").commit()
    assert os.getxattr(path, name) == value
    assert path.stat().st_mode == mode


def test_the_folders_access_list_lets_nobody_into_a_replaced_file(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    path.chmod(0o660)
    _set_attribute(disk.path, "system.posix_acl_default", _LIST)
    stage(disk, "a.py", b"new").commit()
    assert "system.posix_acl_access" not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_what_is_staged_only_the_owner_may_read(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    keep = temporary.keep_attributes

    def watch(source: int, target: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(target).st_mode))
        keep(source, target)

    monkeypatch.setattr(temporary, "keep_attributes", watch)
    disk.put("a.py", b"old").chmod(0o644)
    stage(disk, "a.py", b"new").discard()
    assert seen == [0o600]


def test_a_link_stays_a_link(disk: Disk) -> None:
    disk.put("sub/a.py", b"old")
    os.symlink("sub/a.py", disk.path / "link")
    stage(disk, "link", b"new").commit()
    assert os.readlink(disk.path / "link") == "sub/a.py"
    assert (disk.path / "sub/a.py").read_bytes() == b"new"
