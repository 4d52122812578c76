"""A staged change of one file, in reversible steps (docs/protocol.md#6-agentfswrite).

A landing checks the current file, renames, compares the replaced file with the base and restores it if it
differs, syncs the folder, and deletes the old file. A file that another program wrote in between always
ends up under the name again. `swaps` renames files; `transaction` lands several files together.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from agentfs_lsp.adapters.fs.comparing import conflict, same_version
from agentfs_lsp.adapters.fs.confined import READING, OpenBeneath, open_folder
from agentfs_lsp.adapters.fs.handles import Closing, closing_fd
from agentfs_lsp.adapters.fs.os_errors import domain_error, regular
from agentfs_lsp.adapters.fs.state_folder import LandingLock
from agentfs_lsp.adapters.fs.syscalls import Kernel, sync
from agentfs_lsp.adapters.landing.folders import FolderLease, NewFolders
from agentfs_lsp.adapters.landing.journal import Entry
from agentfs_lsp.adapters.landing.temporary import remove_temporary
from agentfs_lsp.adapters.landing.temporary_registry import Registry
from agentfs_lsp.domain.errors import Conflict, ConflictReason, LandingUnknown, SystemFailed
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.service.files.store import Draft, Landed


@dataclass(frozen=True, slots=True)
class CommitContext:
    """What all landings share."""

    registry: Registry
    folders: NewFolders
    lock: LandingLock
    kernel: Kernel
    open_beneath: OpenBeneath
    closing: Closing


class StagedFile(ABC):
    """`service.files.store.Staged` for one file on disk.

    `temporary` is the landing's second name: for the new content before the swap, for the old one after.
    `written`: the handle of the new content, not yet durable. `source`: the stat of the file whose attributes
    it copied (None for a new file), or which is removed."""

    _ours: os.stat_result
    """Of the new content's file or, for a removal, of the file itself."""

    def __init__(
        self,
        draft: Draft,
        lease: FolderLease,
        context: CommitContext,
        *,
        temporary: str,
        written: int | None,
        source: os.stat_result | None,
    ) -> None:
        self.location = draft.location
        self.base = draft.base
        self.folder = lease.folder
        self.name = self.location.relative.rpartition("/")[2]
        self.temporary = temporary
        self._lease = lease
        self._context = context
        self._fd = lease.folder.fd
        self._new = draft.data
        self._written = written
        self._source = source
        self._over = False

    @property
    def entry(self) -> Entry:
        relative = self.location.relative.rpartition("/")[0]
        folder = f"{self.location.root.path.rstrip('/')}/{relative}".rstrip("/")
        base = hash_bytes(self.base.data) if self.base else None
        content = None if self._new is None else hash_bytes(*self._new)
        return Entry(folder or "/", self.name, self.temporary, base, content)

    def make_durable(self) -> None:
        """Sync the new content, if any. Raises OSError."""
        if self._written is None:
            assert self._source is not None, "only what is there is removed"
            self._ours = self._source
            return
        fd, self._written = self._written, None
        with closing_fd(fd):
            sync(fd)
            self._ours = os.fstat(fd)

    # --- alone --------------------------------------------------------------------------------------------

    def commit(self, check: Callable[[], None] = lambda: None) -> Landed:
        """See `Staged.commit`. Also raises LandingUnknown if the file system fails halfway."""
        assert not self._over, "a change lands once"
        try:
            with self._context.lock.held():
                check()
                self.check()
                self.swap()
                try:
                    sync(self._fd)
                    links = self.confirm()
                except BaseException as error:
                    if self.returnable:
                        self.roll_back()
                        sync(self._fd)
                    elif isinstance(error, OSError):
                        raise self._unknown(error) from error
                    raise
                return self.finish(links)
        except OSError as error:
            raise domain_error(error, self.location.relative) from error

    def discard(self) -> None:
        """See `Staged.discard`; does nothing after a successful commit."""
        if self._over:
            return
        self._over = True
        if self._written is not None:
            os.close(self._written)
        self._drop_temporaries()
        del self.folder  # its handle may be the last one, which `leave` needs
        self._context.folders.leave(self._lease)

    # --- step by step, under the lock; each raises Conflict and OSError -----------------------------------

    def check(self) -> None:
        """Check that the folder is still at that path, the staged file unchanged, and the current file the
        base."""
        parent = self.location.relative.rpartition("/")[0]
        try:
            there = open_folder(self._context.open_beneath, self._lease.root.fd, parent)
        except (FileNotFoundError, NotADirectoryError):
            raise self._conflict("gone") from None
        if (there.device, there.inode) != (self.folder.device, self.folder.inode):
            raise self._conflict("gone")
        self._check_content()

    def _check_content(self) -> None:
        try:
            staged = self._look(self.temporary)
        except FileNotFoundError:
            staged = None
        if staged is None or not same_version(staged, self._ours):
            raise SystemFailed(self.location.relative, "temporary_lost")

    @abstractmethod
    def swap(self, *, returnable: bool = False) -> None:
        """Swap the names, not yet durably. If the replaced file was not the base, restores it. `returnable`:
        make `roll_back` possible whatever the file system lacks."""

    @abstractmethod
    def confirm(self) -> int:
        """Raise Conflict if the replaced file was written to; else return the number of its other names."""

    @property
    def returnable(self) -> bool:
        """Whether `swap` can be undone."""
        return True

    @abstractmethod
    def roll_back(self) -> None:
        """Undo `swap`, not yet durably. Raises LandingUnknown if the file system fails."""

    def finish(self, links: int) -> Landed:
        """The landing stands: delete the old content, unless left as is. `links`: from `confirm`."""
        if not self._over:
            self._drop_temporaries()
        self._over = True
        return Landed(
            regular(self._ours, self.location.relative),
            hard_links=links - 1,
            created_dirs=self._context.folders.keep(self._lease),
            owner_lost=self._source is not None and _owner(self._source) != _owner(self._ours),
        )

    def leave_as_is(self) -> None:
        """Touch nothing more; the next start sorts out the names."""
        self._over = True

    def _drop_temporaries(self) -> None:
        """Removes the name now. The content is freed after the landing, since that may take longest."""
        try:
            held = os.open(self.temporary, READING, dir_fd=self._fd)
        except OSError:
            held = None
        remove_temporary(self._fd, self.temporary)
        if held is not None:
            self._context.closing.close(held)

    # --- small steps --------------------------------------------------------------------------------------

    def _look(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def _rename(self, source: str, target: str) -> None:
        os.rename(source, target, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def _rename_ours(self, source: str, target: str) -> None:
        """Rename if the file's name still leads to the staged file: anything else is newer, and stays."""
        try:
            if same_version(self._look(self.name), self._ours):
                self._rename(source, target)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._unknown(error) from error

    def _conflict(self, reason: ConflictReason, found: os.stat_result | None = None) -> Conflict:
        return conflict(self.location, reason, self.base, found)

    def _unknown(self, error: OSError) -> LandingUnknown:
        """The temporary name may now hold another program's file, so don't remove it."""
        self._over = True
        return LandingUnknown(self.location.relative, "system", os.strerror(error.errno or 0))


def _owner(found: os.stat_result) -> tuple[int, int]:
    return found.st_uid, found.st_gid
