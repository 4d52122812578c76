"""System calls that Python does not provide: openat2, and renames that exchange names or never replace.

Each raises OSError like the functions of `os`, with an errno in `_MISSING` if the kernel or the file system
does not support it. `Kernel` has the fallbacks.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from agentfs_lsp.adapters.fs.handles import closing_fd

_MISSING = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


@dataclass(frozen=True, slots=True)
class Kernel:
    """The calls to use. If one is False or turns out to be missing, a fallback is used: a walk over directory
    handles, a check followed by a plain rename, a hard link."""

    openat2: bool = True
    exchange: bool = True
    exclusive: bool = True

    def try_exchange(self, folder: int, one: str, other: str) -> bool:
        """As `exchange`; returns False if that is not supported."""
        return self.exchange and _is_supported(lambda: exchange(folder, one, other))

    def rename_to_free(self, folder: int, source: str, target: str) -> None:
        """Rename within a folder. Raises FileExistsError if the new name is taken."""
        if not (self.exclusive and _is_supported(lambda: rename_exclusive(folder, source, target))):
            os.link(source, target, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
            with suppress(OSError):  # the file has its new name; the next start sweeps the old one
                os.unlink(source, dir_fd=folder)


def _is_supported(call: Callable[[], None]) -> bool:
    try:
        call()
    except OSError as error:
        if error.errno not in _MISSING:
            raise
        return False
    return True


_libc = ctypes.CDLL(None, use_errno=True)


def _failure(*names: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, os.strerror(code), *names[:1], *((None, *names[1:]) if names[1:] else ()))


# --- opening ----------------------------------------------------------------------------------------------

_OPENAT2 = 437  # on every architecture that Python runs on
_BENEATH_WITHOUT_LINKS = 0x08 | 0x04 | 0x02  # RESOLVE_BENEATH, _NO_SYMLINKS, _NO_MAGICLINKS
_ATTEMPTS = 64


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_SIZE_OF_HOW = ctypes.sizeof(_OpenHow)

_syscall = _libc["syscall"]  # by index: a separate function object, whose types no other module can change
_syscall.restype = ctypes.c_long
_syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)


@cache
def _how(flags: int) -> object:
    return ctypes.byref(_OpenHow(flags, 0, _BENEATH_WITHOUT_LINKS))


def openat2(folder: int, relative: str, flags: int) -> int:
    """Open an existing file below a directory handle, following no link in any component.

    Raises OSError: ELOOP for a link, EXDEV for a path that leads out."""
    name = os.fsencode(relative)
    how = _how(flags | os.O_CLOEXEC)
    for _ in range(_ATTEMPTS):
        handle: int = _syscall(_OPENAT2, folder, name, how, _SIZE_OF_HOW)
        if handle >= 0:
            return handle
        # EAGAIN: a concurrent rename interfered, and the kernel asks for another try.
        if ctypes.get_errno() not in {errno.EAGAIN, errno.EINTR}:
            break
    raise _failure(relative)


def has_openat2() -> bool:
    """Whether the kernel has the call and no sandbox blocks it."""
    if sys.platform != "linux":
        return False
    with closing_fd(os.open("/", os.O_PATH | os.O_DIRECTORY)) as folder:
        try:
            os.close(openat2(folder, ".", os.O_PATH))
        except OSError:
            return False
    return True


# --- renaming ---------------------------------------------------------------------------------------------

_RENAME_ARGUMENTS = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
_leading: tuple[int, ...] = ()
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276}


if sys.platform == "darwin":
    _EXCHANGE, _EXCLUSIVE = 0x2, 0x4
    _renameat = _libc["renameatx_np"]
    _renameat.argtypes = _RENAME_ARGUMENTS
else:
    _EXCHANGE, _EXCLUSIVE = 0x2, 0x1
    if hasattr(_libc, "renameat2"):
        _renameat = _libc["renameat2"]
        _renameat.argtypes = _RENAME_ARGUMENTS
    else:  # the C library is older than its kernel
        _renameat = _libc["syscall"]
        _renameat.argtypes = (ctypes.c_long, *_RENAME_ARGUMENTS)
        _leading = (_RENAMEAT2.get(platform.machine(), -1),)


def exchange(folder: int, one: str, other: str) -> None:
    """Exchange two names in a folder atomically. Both must exist, of whatever type."""
    _rename(folder, one, other, _EXCHANGE)


def rename_exclusive(folder: int, source: str, target: str) -> None:
    """As `Kernel.rename_to_free`, where it is supported."""
    _rename(folder, source, target, _EXCLUSIVE)


def _rename(folder: int, source: str, target: str, flags: int) -> None:
    if _renameat(*_leading, folder, os.fsencode(source), folder, os.fsencode(target), flags) != 0:
        raise _failure(source, target)


# --- syncing ----------------------------------------------------------------------------------------------


def sync(handle: int) -> None:
    """Flush a file or folder to the disk itself; macOS' fsync stops at the drive's cache."""
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - its constant exists on macOS alone

        try:
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(handle)
    else:
        os.fsync(handle)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable. Raises OSError."""
    with closing_fd(os.open(path, os.O_RDONLY | os.O_DIRECTORY)) as fd:
        sync(fd)
