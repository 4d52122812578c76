"""Writes a file's new content beside it, before it is visible (docs/protocol.md#6-agentfswrite).

`staged` and `swaps` commit the content.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from agentfs_lsp.adapters.fs.comparing import conflict, has_content, looks_like
from agentfs_lsp.adapters.fs.confined import READING, Folder
from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.adapters.fs.os_errors import domain_error, regular
from agentfs_lsp.adapters.landing.folders import FolderLease
from agentfs_lsp.adapters.landing.staged import CommitContext, StagedFile
from agentfs_lsp.adapters.landing.swaps import Creation, Removal, Replacement
from agentfs_lsp.adapters.landing.temporary import remove_temporary, write_temporary
from agentfs_lsp.domain.errors import FolderMissing, SystemRefused
from agentfs_lsp.service.files.store import Blob, Draft, Location


def stage(context: CommitContext, root: Folder, draft: Draft) -> StagedFile:
    """See `FileStore.stage`; `root` is the location's. The temporary file belongs to this server until it
    lands or is discarded; `StagedFile.make_durable` is still to be called."""
    location, base = draft.location, draft.base
    lease = _enter(context, root, draft)
    temporary = context.registry.temporary_name()
    try:
        with _opened_base(lease, location, base) as source:
            attributes_of = None if source is None else os.fstat(source)
            written = None
            if draft.data is not None:
                written = write_temporary(lease.folder.fd, temporary, draft.data, source)
    except BaseException as error:
        if draft.data is not None:
            remove_temporary(lease.folder.fd, temporary)
        context.folders.leave(lease)
        if isinstance(error, OSError):
            raise domain_error(error, location.relative) from error
        raise
    return _kind(draft)(draft, lease, context, temporary=temporary, written=written, source=attributes_of)


def _enter(context: CommitContext, root: Folder, draft: Draft) -> FolderLease:
    location, base = draft.location, draft.base
    try:
        return context.folders.enter(root, location, create=draft.create_dirs and base is None)
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


@contextmanager
def _opened_base(lease: FolderLease, location: Location, base: Blob | None) -> Iterator[int | None]:
    """Open the current file after checking that it is the base; None if there is and should be none."""
    folder, name = lease.folder.fd, location.relative.rpartition("/")[2]
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        if base is not None:
            raise conflict(location, "gone", base) from None
        found = None
    if found is None:
        yield None
        return
    regular(found, location.relative)
    if base is None:
        raise conflict(location, "exists", None, found)
    # A rename needs no permission on the file itself, but its owner removed it for a reason.
    if not os.access(name, os.W_OK, dir_fd=folder, effective_ids=os.access in os.supports_effective_ids):
        if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        raise SystemRefused(location.relative, "write_protected")
    with closing_fd(os.open(name, READING, dir_fd=folder)) as fd:
        found = os.fstat(fd)
        regular(found, location.relative)
        if not looks_like(found, base) and not has_content(fd, base.data):
            raise conflict(location, "reviewing", base, found)
        yield fd
