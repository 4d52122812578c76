"""A file's next content, written durably beside it and not yet visible (docs/protocol.md#6-agentfswrite).

How it becomes the file is `replace`.
"""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.attributes import keep_attributes
from agentfs_lsp.adapters.closing import Closing
from agentfs_lsp.adapters.comparing import conflict, has_content, looks_like
from agentfs_lsp.adapters.confined import READING
from agentfs_lsp.adapters.folders import NewFolders
from agentfs_lsp.adapters.refusals import domain_error, regular
from agentfs_lsp.adapters.replace import Replacement
from agentfs_lsp.adapters.syscalls import sync
from agentfs_lsp.domain.errors import SystemRefused

if TYPE_CHECKING:
    from agentfs_lsp.adapters.confined import Folder, OpenBeneath
    from agentfs_lsp.adapters.folders import Stay
    from agentfs_lsp.adapters.litter import Notes
    from agentfs_lsp.adapters.state import LandingLock
    from agentfs_lsp.adapters.syscalls import Kernel
    from agentfs_lsp.service.ports import Blob, Location

_FOR_OTHERS = 0o666  # less the umask, which the kernel takes off
_FOR_NOBODY_YET = 0o600


class Staging:
    """Where temporary files come from; each belongs to this server until it landed or was dropped."""

    def __init__(self, notes: Notes, lock: LandingLock, kernel: Kernel, open_beneath: OpenBeneath) -> None:
        self._notes = notes
        self._lock = lock
        self._kernel = kernel
        self._open_beneath = open_beneath
        self._folders = NewFolders(notes, open_beneath)
        self._closing = Closing()
        self._numbers = itertools.count(1)

    def stage(
        self, root: Folder, location: Location, data: bytes, base: Blob | None, *, create_dirs: bool
    ) -> Replacement:
        """See `FileStore.stage`; `root` is the location's."""
        stay = self._enter(root, location, base, create_dirs=create_dirs)
        temporary = self._notes.temporary_name(next(self._numbers))
        try:
            source = self._open_base(stay, location, base)
            try:
                attributes_of = None if source is None else os.fstat(source)
                ours = _write(stay.folder.fd, temporary, data, source)
            finally:
                if source is not None:
                    os.close(source)
        except BaseException as error:
            _remove(stay.folder.fd, temporary)
            self._folders.leave(stay, location)
            if isinstance(error, OSError):
                raise domain_error(error, location.relative) from error
            raise
        return Replacement(
            location,
            base,
            stay,
            temporary=temporary,
            ours=ours,
            source=attributes_of,
            folders=self._folders,
            lock=self._lock,
            kernel=self._kernel,
            open_beneath=self._open_beneath,
            closing=self._closing,
        )

    def _enter(self, root: Folder, location: Location, base: Blob | None, *, create_dirs: bool) -> Stay:
        try:
            return self._folders.enter(root, location, create=create_dirs and base is None)
        except FileNotFoundError as error:
            if base is not None:
                raise conflict(location, "gone", base) from None
            raise domain_error(error, location.relative) from error
        except OSError as error:
            raise domain_error(error, location.relative) from error

    def _open_base(self, stay: Stay, location: Location, base: Blob | None) -> int | None:
        """The file as it is, once it is known to be the base; None where there is none and none should be."""
        folder, name = stay.folder.fd, location.relative.rpartition("/")[2]
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            if base is None:
                return None
            raise conflict(location, "gone", base) from None
        regular(found, location.relative)
        if base is None:
            raise conflict(location, "exists", None, found)
        # A rename asks for no right on the file itself; its owner meant something by taking it away.
        if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=os.access in os.supports_effective_ids):
            raise SystemRefused(location.relative, "write_protected")
        fd = os.open(name, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            _check_base(fd, location, base)
        except BaseException:
            os.close(fd)
            raise
        return fd


def _check_base(fd: int, location: Location, base: Blob) -> None:
    found = os.fstat(fd)
    regular(found, location.relative)
    if not looks_like(found, base) and not has_content(fd, base.data):
        raise conflict(location, "reviewing", base, found)


def _write(folder: int, name: str, data: bytes, source: int | None) -> os.stat_result:
    mode = _FOR_OTHERS if source is None else _FOR_NOBODY_YET
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(name, flags, mode, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if source is not None:
            keep_attributes(source, fd)
        sync(fd)
        return os.fstat(fd)
    finally:
        os.close(fd)


def _remove(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass
