"""Creates the missing folders of a file, and removes them if nothing lands in them
(docs/protocol.md#6-agentfswrite).

Several pending files may need the same new folder. It stays if one of them lands, and is removed with the
last one that does not.
"""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate

from agentfs_lsp.adapters.fs.confined import Folder, OpenBeneath, open_folder
from agentfs_lsp.adapters.fs.syscalls import sync
from agentfs_lsp.adapters.landing.temporary_registry import PASSING, Registry
from agentfs_lsp.service.files.store import Location

_SCARCE = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_NOT_EMPTY = frozenset({errno.ENOTEMPTY, errno.EEXIST})


@dataclass(eq=False, slots=True)
class FolderLease:
    """A file's claim on its folder, from staging until it lands or is discarded. `path`: the root's, without
    a slash at its end. `new`: absolute paths of the folders on the way in which nothing has landed yet,
    outermost first."""

    root: Folder
    path: str
    folder: Folder
    new: list[str] = field(default_factory=list)


class NewFolders:
    """The folders created for files that have not landed yet."""

    def __init__(self, registry: Registry, open_beneath: OpenBeneath) -> None:
        self._registry = registry
        self._open_beneath = open_beneath
        self._lock = threading.Lock()
        self._claims: dict[str, int] = {}
        self._unneeded: dict[str, tuple[Folder, str]] = {}  # not yet removed: the root, and the path below it

    def enter(self, root: Folder, location: Location, *, create: bool) -> FolderLease:
        """Open the folder of `location`, creating missing ones if `create`. Raises OSError, SystemRefused and
        SystemFailed, after removing what it created."""
        parts = location.relative.split("/")[:-1]
        lease = FolderLease(root, location.root.path.rstrip("/"), root)
        with self._lock:
            try:
                self._descend(lease, parts, create=create)
            except BaseException:
                self._drop(lease)
                raise
        return lease

    def _descend(self, lease: FolderLease, parts: list[str], *, create: bool) -> None:
        paths = list(accumulate([lease.path, *parts], "{}/{}".format))
        try:
            lease.folder = open_folder(self._open_beneath, lease.root.fd, "/".join(parts))
        except FileNotFoundError:
            if not create:
                raise
            self._make(lease, parts, paths[1:])
        else:
            self._registry.announce(paths[-1])
            for path in paths[1:]:
                self._share(lease, path)

    def _make(self, lease: FolderLease, parts: list[str], paths: list[str]) -> None:
        lease.folder = open_folder(self._open_beneath, lease.root.fd, "")
        announced = False
        for depth, (path, name) in enumerate(zip(paths, parts, strict=True)):
            try:
                lease.folder = open_folder(self._open_beneath, lease.folder.fd, name)
                self._share(lease, path)
                continue
            except FileNotFoundError:
                pass
            if not announced:
                self._registry.announce(paths[-1], making=paths[depth:])
                announced = True
            try:
                os.mkdir(name, dir_fd=lease.folder.fd)
            except FileExistsError:
                self._registry.settle([path])  # somebody else created it
            else:
                self._claim(lease, path)
                sync(lease.folder.fd)
            lease.folder = open_folder(self._open_beneath, lease.folder.fd, name)

    def _share(self, lease: FolderLease, path: str) -> None:
        """The folder exists; if nothing has landed in it yet, this file needs it too."""
        was_unneeded = self._unneeded.pop(path, None) is not None
        if was_unneeded or path in self._claims:
            self._claim(lease, path)

    def _claim(self, lease: FolderLease, path: str) -> None:
        self._claims[path] = self._claims.get(path, 0) + 1
        lease.new.append(path)

    def keep(self, lease: FolderLease) -> tuple[str, ...]:
        """The file landed: keep its folders. Returns those new with it, relative to the root."""
        with self._lock:
            kept = [path for path in lease.new if self._claims.pop(path, 0)]
            if kept:
                self._registry.settle(kept)
        return tuple(path[len(lease.path) + 1 :] for path in kept)

    def leave(self, lease: FolderLease) -> None:
        """The file did not land: remove its new folders that no other file needs. Never raises."""
        with self._lock:
            self._drop(lease)

    def remove_empty(self, root: Folder, relative: str) -> bool:
        """Remove a folder if it is empty. Returns False if the system does not let it. Never raises."""
        with self._lock, suppress(OSError):
            return self._remove(root, relative)
        return False

    def _drop(self, lease: FolderLease) -> None:
        lease.folder = lease.root  # closes the handle, which the removal may need
        for path in reversed(lease.new):
            if path not in self._claims:
                continue  # another file landed in it
            self._claims[path] -= 1
            if not self._claims[path]:
                del self._claims[path]
                self._unneeded[path] = (lease.root, path[len(lease.path) + 1 :])
        lease.new.clear()
        removed = []
        for path in sorted(self._unneeded, key=len, reverse=True):
            try:
                if self._remove(*self._unneeded[path]):
                    removed.append(path)
            except OSError:
                break  # the next file to be dropped releases a handle
            del self._unneeded[path]
        if removed:
            self._registry.settle(removed)

    def _remove(self, root: Folder, relative: str) -> bool:
        """Return False if the next start must try again; it stays recorded for that. Raises OSError if it may
        succeed in a moment."""
        parent, _, name = relative.rpartition("/")
        try:
            folder = open_folder(self._open_beneath, root.fd, parent)
            os.rmdir(name, dir_fd=folder.fd)
        except OSError as error:
            if error.errno in _SCARCE:
                raise
            if error.errno in _NOT_EMPTY:
                return not self._holds_only_ours(root, relative)
            return error.errno not in PASSING
        return True

    def _holds_only_ours(self, root: Folder, relative: str) -> bool:
        """Whether what keeps the folder are temporary files that could not be removed; else somebody put
        something into it. Raises OSError."""
        folder = open_folder(self._open_beneath, root.fd, relative)
        return all(self._registry.is_temporary(name) for name in os.listdir(folder.fd))
