"""Records the system calls by which a landing changes the disk, or makes them fail, from within its process.

Catches only Python's calls that change names, contents or durability.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

from agentfs_lsp.adapters.fs import syscalls

EXCHANGE = syscalls._EXCHANGE


@dataclass(frozen=True)
class Operation:
    """`kind` is create, write, rename, exchange, link, unlink, mkdir, rmdir, sync_file, or sync_folder.
    `path` and `other` are absolute; `data` is what a write appends."""

    kind: str
    path: str
    other: str = ""
    data: bytes = b""

    @property
    def is_sync(self) -> bool:
        return self.kind.startswith("sync")


def _at(path: str | os.PathLike[str], dir_fd: int | None) -> str:
    folder = "" if dir_fd is None else os.readlink(f"/proc/self/fd/{dir_fd}")
    return os.path.join(folder, os.fspath(path))


Before = Callable[[Operation], None]


@contextlib.contextmanager
def watching(before: Before, under: str) -> Iterator[None]:
    """Call `before` before each operation below the folder `under`; if it raises, the operation fails with
    that."""
    real = {
        name: getattr(os, name)
        for name in ("open", "write", "fsync", "rename", "link", "unlink", "mkdir", "rmdir")
    }
    real_rename = syscalls._rename

    def told(kind: str, path: str, other: str = "", data: bytes = b"") -> None:
        if path.startswith(under):
            before(Operation(kind, path, other, data))

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        where = _at(path, dir_fd)
        if flags & os.O_CREAT and not os.path.lexists(where):
            told("create", where)
        return real["open"](path, flags, mode, dir_fd=dir_fd)

    def write(fd: int, data: Any) -> int:
        told("write", os.readlink(f"/proc/self/fd/{fd}"), data=bytes(data))
        return real["write"](fd, data)

    def fsync(fd: int) -> None:
        folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        told("sync_folder" if folder else "sync_file", os.readlink(f"/proc/self/fd/{fd}"))
        real["fsync"](fd)

    def rename(src: str, dst: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        told("rename", _at(src, src_dir_fd), _at(dst, dst_dir_fd))
        real["rename"](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    def special(folder: int, one: str, other: str, flags: int) -> None:
        told("exchange" if flags == EXCHANGE else "rename", _at(one, folder), _at(other, folder))
        real_rename(folder, one, other, flags)

    def link(src: str, dst: str, *, src_dir_fd: int, dst_dir_fd: int, follow_symlinks: bool) -> None:
        told("link", _at(src, src_dir_fd), _at(dst, dst_dir_fd))
        real["link"](src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd, follow_symlinks=follow_symlinks)

    def unlink(path: str, *, dir_fd: int | None = None) -> None:
        if os.path.lexists(where := _at(path, dir_fd)):
            told("unlink", where)
        real["unlink"](path, dir_fd=dir_fd)

    def mkdir(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if not os.path.lexists(where := _at(path, dir_fd)):
            told("mkdir", where)
        real["mkdir"](path, mode, dir_fd=dir_fd)

    def rmdir(path: str, *, dir_fd: int | None = None) -> None:
        told("rmdir", _at(path, dir_fd))
        real["rmdir"](path, dir_fd=dir_fd)

    fakes = {"open": open_, "write": write, "fsync": fsync, "rename": rename, "link": link, "unlink": unlink}
    fakes |= {"mkdir": mkdir, "rmdir": rmdir}
    with contextlib.ExitStack() as stack:
        for name, fake in fakes.items():
            stack.enter_context(mock.patch.object(os, name, fake))
        stack.enter_context(mock.patch.object(syscalls, "_rename", special))
        yield
