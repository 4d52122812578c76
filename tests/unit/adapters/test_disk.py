"""Reads files as they are, and refuses other things at once (docs/protocol.md#4-paths-and-roots)."""

import errno
import os
import resource
import socket

import pytest

from agentfs_lsp.adapters import disk as adapter
from agentfs_lsp.adapters.fs.os_errors import domain_error
from agentfs_lsp.domain.errors import (
    DomainError,
    FileMissing,
    IsDirectory,
    MalformedPath,
    NotRegular,
    OutsideRoots,
    SystemFailed,
    SystemRefused,
)
from unit.adapters.conftest import Disk


def test_a_file_is_read_whole_with_what_the_system_says_of_it(disk: Disk) -> None:
    data = bytes(range(256)) * 50
    path = disk.put("sub/data", data)
    os.link(path, disk.path / "second_name")

    blob = disk.read("sub/data")
    found = path.stat()
    assert blob.data == data
    assert blob.stat == disk.store.stat(disk.at("sub/data"))
    assert (blob.stat.mtime_ns, blob.stat.size) == (found.st_mtime_ns, len(data))
    assert (blob.stat.inode, blob.stat.device) == (found.st_ino, found.st_dev)
    assert (blob.stat.mode, blob.stat.links) == (found.st_mode, 2)


def _make(disk: Disk, kind: str) -> None:
    path = str(disk.path / "odd")
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                here = os.open(".", os.O_RDONLY)
                os.chdir(disk.path)  # names of sockets must be short
                server.bind("odd")
                os.fchdir(here)
                os.close(here)
        case "device":
            try:
                os.mknod(path, 0o20600, os.makedev(1, 5))
            except PermissionError:
                pytest.skip("only root makes devices")


@pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
def test_what_is_no_regular_file_is_refused_at_once(disk: Disk, kind: str) -> None:
    _make(disk, kind)
    location = disk.at("odd")
    for refused in (
        lambda: disk.store.stat(location),
        lambda: disk.store.read(location, 10),
        lambda: disk.store.read_lines(location, 1, 0, 10),
        lambda: disk.stage(location, b"x", None),
    ):
        with pytest.raises(NotRegular) as told:
            refused()
        assert (told.value.path, told.value.kind) == ("odd", kind)


@pytest.mark.parametrize("link", ["sub", "sub/secret"])
@pytest.mark.parametrize("inside", [False, True])
def test_a_link_put_in_place_after_resolving_is_not_followed(disk: Disk, link: str, inside: bool) -> None:
    disk.put("sub/secret", b"mine")
    disk.put("denied/secret", b"by a rule, perhaps")
    location = disk.at("sub/secret")
    (disk.path / link).rename(disk.path / "aside")
    folder = "denied" if inside else "../outside"
    os.symlink(folder if link == "sub" else f"../{folder}/secret", disk.path / link)

    with pytest.raises(OutsideRoots):
        disk.store.read(location, 10)
    with pytest.raises(OutsideRoots):
        disk.store.stat(location)
    with pytest.raises(OutsideRoots):
        disk.stage(location, b"x", None)


def test_a_root_out_of_reach_is_not_called_gone(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if its mount had lost its server."""
    disk.put("f", b"x")
    location = disk.at("f")

    def broken(path: str) -> os.stat_result:
        raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN), path)

    with monkeypatch.context() as patched:
        patched.setattr(adapter.os, "stat", broken)
        with pytest.raises(SystemFailed, match="not connected"):
            disk.store.read(location, 10)


def test_running_out_of_handles_is_told_and_not_fatal(disk: Disk) -> None:
    disk.put("a/b/f", b"x")
    location = disk.at("a/b/f")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        with pytest.raises(SystemFailed, match="Too many open files"):
            disk.store.read(location, 10)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert disk.store.read(location, 10).data == b"x"


def test_data_and_size_of_a_busy_log_belong_together(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = disk.put("log", b"line\n")
    read_whole = adapter._read_whole

    def read_while_it_grows(fd: int, size: int) -> bytes:
        with path.open("ab") as log:
            log.write(b"line\n")
        return read_whole(fd, size)

    monkeypatch.setattr(adapter, "_read_whole", read_while_it_grows)
    blob = disk.read("log")
    assert len(blob.data) == blob.stat.size
    assert blob.data == b"line\n" * (blob.stat.size // 5)


def test_a_file_that_changed_while_read_is_read_again(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = disk.put("a.py", b"old text")
    read_whole, reads = adapter._read_whole, []

    def read_before_it_changes(fd: int, size: int) -> bytes:
        reads.append(read_whole(fd, size))
        if len(reads) == 1:
            path.write_bytes(b"new")
        return reads[-1]

    monkeypatch.setattr(adapter, "_read_whole", read_before_it_changes)
    blob = disk.read("a.py")
    assert (blob.data, blob.stat.size) == (b"new", 3)


def test_a_file_that_shrinks_at_each_read_is_given_up(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = disk.put("a.py", b"x" * 100)
    read_whole = adapter._read_whole

    def read_while_it_shrinks(fd: int, size: int) -> bytes:
        os.truncate(path, size - 2)
        return read_whole(fd, size)

    monkeypatch.setattr(adapter, "_read_whole", read_while_it_shrinks)
    with pytest.raises(SystemFailed):
        disk.read("a.py")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (errno.EACCES, SystemRefused),
        (errno.EPERM, SystemRefused),
        (errno.EROFS, SystemRefused),
        (errno.ENOSPC, SystemFailed),
        (errno.EDQUOT, SystemFailed),
        (errno.EMFILE, SystemFailed),
        (errno.EIO, SystemFailed),
        (errno.ENOENT, FileMissing),
        (errno.EISDIR, IsDirectory),
        (errno.ENOTDIR, MalformedPath),
        (errno.ENAMETOOLONG, MalformedPath),
        (errno.EILSEQ, MalformedPath),
        (errno.ELOOP, OutsideRoots),
        (errno.EXDEV, OutsideRoots),
    ],
)
def test_each_system_error_has_its_domain_error(code: int, expected: type[DomainError]) -> None:
    told = domain_error(OSError(code, os.strerror(code)), "a/b")
    assert type(told) is expected
    assert told.path == "a/b"
    if isinstance(told, (SystemRefused, SystemFailed)):
        assert (told.reason, told.detail) == ("system", os.strerror(code))
