"""Reading files as they are, and refusing at once what is none (docs/protocol.md#4-paths-and-roots)."""

from __future__ import annotations

import errno
import os
import resource
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from agentfs_lsp.adapters.refusals import domain_error
from agentfs_lsp.domain.errors import (
    DomainError,
    FileMissing,
    IsDirectory,
    MalformedPath,
    NotRegular,
    OutsideRoots,
    SystemFailed,
    SystemRefused,
    TooLarge,
)
from agentfs_lsp.service.ports import Location

if TYPE_CHECKING:
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


@pytest.mark.parametrize("size", [0, 1, 4096, 3_000_000])
def test_every_size_up_to_the_limit_is_read_and_none_above(disk: Disk, size: int) -> None:
    disk.put("f", b"x" * size)
    assert disk.read("f", size).data == b"x" * size
    if size:
        with pytest.raises(TooLarge) as refused:
            disk.read("f", size - 1)
        assert (refused.value.size, refused.value.limit) == (size, size - 1)


@pytest.mark.parametrize("relative", ["missing", "no/such/folder"])
def test_what_is_missing_is_none_to_look_at_and_missing_to_read(disk: Disk, relative: str) -> None:
    location = disk.at(relative)
    assert disk.store.stat(location) is None
    with pytest.raises(FileMissing) as refused:
        disk.store.read(location, 10)
    assert refused.value.path == relative


def _make(disk: Disk, kind: str) -> None:
    path = str(disk.path / "odd")
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                here = os.open(".", os.O_RDONLY)
                os.chdir(disk.path)  # the names of sockets may not be long
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
        lambda: disk.store.stage(location, b"x", None, True),
    ):
        with pytest.raises(NotRegular) as told:
            refused()
        assert (told.value.path, told.value.kind) == ("odd", kind)


def test_a_directory_is_told_as_one(disk: Disk) -> None:
    (disk.path / "sub").mkdir()
    location = disk.at("sub")
    with pytest.raises(IsDirectory):
        disk.store.stat(location)
    with pytest.raises(IsDirectory):
        disk.store.read(location, 10)
    with pytest.raises(IsDirectory):
        disk.store.stage(location, b"x", None, True)


def test_a_file_that_became_a_folder_is_no_way_down(disk: Disk) -> None:
    (disk.path / "sub").mkdir()
    location = disk.at("sub/a.py")
    (disk.path / "sub").rmdir()
    disk.put("sub", b"now a file")
    with pytest.raises(MalformedPath, match="below_file"):
        disk.store.stat(location)
    with pytest.raises(MalformedPath, match="below_file"):
        disk.store.read(location, 10)


@pytest.mark.parametrize("link", ["sub", "sub/secret"])
def test_a_link_put_in_place_after_resolving_is_not_followed(disk: Disk, link: str) -> None:
    disk.put("sub/secret", b"mine")
    location = disk.at("sub/secret")
    (disk.path / link).rename(disk.path / "aside")
    target = disk.outside if link == "sub" else disk.outside / "secret"
    os.symlink(target, disk.path / link)

    with pytest.raises(OutsideRoots):
        disk.store.read(location, 10)
    with pytest.raises(OutsideRoots):
        disk.store.stat(location)
    with pytest.raises(OutsideRoots):
        disk.store.stage(location, b"x", None, True)


def test_a_file_nobody_may_read_is_refused_by_the_system(disk: Disk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    disk.put("private", b"x").chmod(0)
    with pytest.raises(SystemRefused, match="Permission denied"):
        disk.read("private")


def test_running_out_of_handles_is_told_and_not_fatal(disk: Disk) -> None:
    disk.put("a/b/f", b"x")
    location = disk.at("a/b/f")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        with pytest.raises(SystemFailed, match="Too many open files"):
            disk.store.read(location, 10)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert disk.store.read(location, 10).data == b"x"


_WRITER = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
print(flush=True)
line = b"0123456789abcde\\n" * 64
while True:
    os.write(fd, line)
    if os.fstat(fd).st_size > 1 << 22:
        os.ftruncate(fd, 0)
"""


def test_of_a_file_that_never_rests_data_and_size_belong_together(disk: Disk) -> None:
    path = disk.put("log", b"0123456789abcde\n" * 4096)
    location = disk.at("log")
    with subprocess.Popen([sys.executable, "-c", _WRITER, path], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        try:
            for _ in range(200):
                try:
                    blob = disk.store.read(location, 1 << 24)
                except SystemFailed:  # shrank under each of the attempts
                    continue
                assert len(blob.data) == blob.stat.size
                assert blob.data == b"0123456789abcde\n" * (blob.stat.size // 16)
        finally:
            writer.kill()


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
def test_each_thing_the_system_says_has_its_word(code: int, expected: type[DomainError]) -> None:
    told = domain_error(OSError(code, os.strerror(code)), "a/b")
    assert type(told) is expected
    assert told.path == "a/b"
    if isinstance(told, (SystemRefused, SystemFailed)):
        assert told.reason == os.strerror(code)


def test_a_location_below_an_unknown_root_is_outside(disk: Disk) -> None:
    stranger = Location(type(disk.root)("x", str(disk.outside), ""), "secret")
    with pytest.raises(OutsideRoots):
        disk.store.stat(stranger)
