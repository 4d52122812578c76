"""Writes a file's new content durably beside it, before it is visible (docs/protocol.md#6-agentfswrite).

`staged` and the modules based on it commit the content.
"""

from __future__ import annotations

import errno
import itertools
import os

from agentfs_lsp.adapters.fs.closing import Closing
from agentfs_lsp.adapters.fs.comparing import conflict, has_content, looks_like
from agentfs_lsp.adapters.fs.confined import READING, Folder, OpenBeneath
from agentfs_lsp.adapters.fs.os_errors import domain_error, regular
from agentfs_lsp.adapters.fs.state_folder import LandingLock
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.adapters.landing.creation import Creation
from agentfs_lsp.adapters.landing.folders import FolderLease, NewFolders
from agentfs_lsp.adapters.landing.removal import Removal
from agentfs_lsp.adapters.landing.replace import Replacement
from agentfs_lsp.adapters.landing.staged import CommitContext, StagedFile
from agentfs_lsp.adapters.landing.temporary import remove_temporary, write_temporary
from agentfs_lsp.adapters.landing.temporary_registry import Registry
from agentfs_lsp.domain.errors import FolderMissing, SystemRefused
from agentfs_lsp.service.files.store import Blob, Draft, Location


class Staging:
    """Creates temporary files; each belongs to this server until it lands or is discarded."""

    def __init__(
        self, registry: Registry, lock: LandingLock, kernel: Kernel, open_beneath: OpenBeneath
    ) -> None:
        self._registry = registry
        folders = NewFolders(registry, open_beneath)
        self._context = CommitContext(folders, lock, kernel, open_beneath, Closing())
        self._numbers = itertools.count(1)

    def stage(self, root: Folder, draft: Draft) -> StagedFile:
        """See `FileStore.stage`; `root` is the location's."""
        location, base = draft.location, draft.base
        lease = self._enter(root, location, base, create_dirs=draft.create_dirs)
        temporary = self._registry.temporary_name(next(self._numbers))
        try:
            source = _open_base(lease, location, base)
            try:
                attributes_of = None if source is None else os.fstat(source)
                ours = attributes_of
                if draft.data is not None:
                    ours = write_temporary(lease.folder.fd, temporary, draft.data, source)
            finally:
                if source is not None:
                    os.close(source)
        except BaseException as error:
            if draft.data is not None:
                remove_temporary(lease.folder.fd, temporary)
            self._context.folders.leave(lease, location)
            if isinstance(error, OSError):
                raise domain_error(error, location.relative) from error
            raise
        assert ours is not None, "only what is there is removed"
        kind = _kind(draft)
        return kind(
            location,
            base,
            lease,
            self._context,
            temporary=temporary,
            content=draft.data,
            ours=ours,
            source=attributes_of,
        )

    def remove_empty(self, root: Folder, relative: str) -> None:
        """See `FileStore.remove_empty`."""
        self._context.folders.remove_empty(root, relative)

    def _enter(
        self, root: Folder, location: Location, base: Blob | None, *, create_dirs: bool
    ) -> FolderLease:
        try:
            return self._context.folders.enter(root, location, create=create_dirs and base is None)
        except FileNotFoundError as error:
            if base is not None:
                raise conflict(location, "gone", base) from None
            raise FolderMissing(location.relative.rpartition("/")[0] + "/") from error
        except OSError as error:
            raise domain_error(error, location.relative) from error


def _kind(draft: Draft) -> type[StagedFile]:
    if draft.data is None:
        return Removal
    return Creation if draft.base is None else Replacement


def _open_base(lease: FolderLease, location: Location, base: Blob | None) -> int | None:
    """Open the current file after checking that it is the base; None if there is and should be none."""
    folder, name = lease.folder.fd, location.relative.rpartition("/")[2]
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if base is None:
            return None
        raise conflict(location, "gone", base) from None
    regular(found, location.relative)
    if base is None:
        raise conflict(location, "exists", None, found)
    # A rename needs no permission on the file itself, but its owner removed it for a reason.
    if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=os.access in os.supports_effective_ids):
        if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
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
