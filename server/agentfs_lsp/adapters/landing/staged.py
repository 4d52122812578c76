"""A staged change of one file, in reversible steps (docs/protocol.md#6-agentfswrite).

A landing checks the current file, renames, compares the replaced file with the base and restores it if it
differs, syncs the folder, and deletes the old file. A file that another program wrote in between always
ends up under the name again. `replace`, `creation`, and `removal` rename files; `transaction` lands
several files together.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.fs.comparing import conflict, same_version
from agentfs_lsp.adapters.fs.confined import READING, open_folder
from agentfs_lsp.adapters.fs.os_errors import domain_error, regular
from agentfs_lsp.adapters.fs.syscalls import MISSING, rename_exclusive, sync
from agentfs_lsp.adapters.landing.journal import Entry
from agentfs_lsp.adapters.landing.temporary import remove_temporary
from agentfs_lsp.domain.errors import LandingUnknown, SystemFailed
from agentfs_lsp.domain.revision import hash_bytes
from agentfs_lsp.service.files.store import Landed

if TYPE_CHECKING:
    from agentfs_lsp.adapters.fs.closing import Closing
    from agentfs_lsp.adapters.fs.confined import OpenBeneath
    from agentfs_lsp.adapters.fs.state_folder import LandingLock
    from agentfs_lsp.adapters.fs.syscalls import Kernel
    from agentfs_lsp.adapters.landing.folders import FolderLease, NewFolders
    from agentfs_lsp.domain.errors import Conflict, ConflictReason
    from agentfs_lsp.domain.text.patching import Pieces
    from agentfs_lsp.service.files.store import Blob, Location


@dataclass(frozen=True, slots=True)
class CommitContext:
    """What every landing goes by."""

    folders: NewFolders
    lock: LandingLock
    kernel: Kernel
    open_beneath: OpenBeneath
    closing: Closing


class StagedFile(ABC):
    """`service.files.store.Staged` for a file on disk.

    `temporary` is the second name that the landing goes by: of the new content before it, of the old one
    behind it. `content` is the new one, None for a file to be removed; `ours` is what the file system says of
    the new content's file, or, where there is none, of the file to be removed; `source`, of the file whose
    attributes it got (None for a new file).
    """

    def __init__(
        self,
        location: Location,
        base: Blob | None,
        stay: FolderLease,
        means: CommitContext,
        *,
        temporary: str,
        content: Pieces | None,
        ours: os.stat_result,
        source: os.stat_result | None,
    ) -> None:
        self.location = location
        self.base = base
        self.folder = stay.folder
        self.name = location.relative.rpartition("/")[2]
        self.temporary = temporary
        self._stay = stay
        self._means = means
        self._fd = stay.folder.fd
        self._new = content
        self._ours = ours
        self._source = source
        self._over = False

    @property
    def entry(self) -> Entry:
        """What a journal says of it."""
        relative = self.location.relative.rpartition("/")[0]
        folder = f"{self.location.root.path.rstrip('/')}/{relative}".rstrip("/")
        base = hash_bytes(self.base.data) if self.base else None
        content = None if self._new is None else hash_bytes(*self._new)
        return Entry(folder or "/", self.name, self.temporary, base, content)

    # --- alone --------------------------------------------------------------------------------------------

    def commit(self) -> Landed:
        """See `Staged.commit`. Also raises LandingUnknown, where the file system fails in the very moment."""
        assert not self._over, "a change lands once"
        try:
            with self._means.lock.held():
                self.check()
                self.swap()
                try:
                    sync(self._fd)
                    links = self.confirm()
                except BaseException as error:
                    if self.returnable:
                        self.take_back()
                    elif isinstance(error, OSError):
                        raise self._unknown(error) from error
                    raise
                return self.finish(links)
        except OSError as error:
            raise domain_error(error, self.location.relative) from error

    def discard(self) -> None:
        """See `Staged.discard`; after a commit that went well there is nothing to do."""
        if self._over:
            return
        self._over = True
        remove_temporary(self._fd, self.temporary)
        self._means.folders.leave(self._stay, self.location)

    # --- step by step, under the lock; each raises Conflict and OSError -----------------------------------

    def check(self) -> None:
        """The folder is still the one at that path, what was staged is as it was written, and what is there
        is the base."""
        parent = self.location.relative.rpartition("/")[0]
        try:
            there = open_folder(self._means.open_beneath, self._stay.root.fd, parent)
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
        """Change the names, so that the file is as it is to be, not yet durably. What turns out not to have
        been the base is put back. `returnable`: so that `take_back` is possible whatever the file system
        lacks."""

    @abstractmethod
    def confirm(self) -> int:
        """Raise Conflict where somebody wrote to what the names changed for; else how many names that has."""

    @property
    def returnable(self) -> bool:
        """Whether what `swap` did can be taken back."""
        return True

    @abstractmethod
    def take_back(self) -> None:
        """Undo `swap`, not yet durably. Raises LandingUnknown where the file system fails in that."""

    def finish(self, links: int) -> Landed:
        """All of it stands: the old content goes, unless it was left as it is. `links`: from `confirm`."""
        if not self._over:
            self._drop_old()
        self._over = True
        return Landed(
            regular(self._ours, self.location.relative),
            hard_links=links - 1,
            created_dirs=self._means.folders.keep(self._stay, self.location),
        )

    def leave_as_is(self) -> None:
        """What stands under which name is for the next start to find out: touch nothing more."""
        self._over = True

    def _drop_old(self) -> None:
        """Its name goes now. What it held is freed behind the landing: that can take longer than the rest."""
        try:
            held = os.open(self.temporary, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fd)
        except OSError:
            remove_temporary(self._fd, self.temporary)
            return
        remove_temporary(self._fd, self.temporary)
        self._means.closing.close(held)

    # --- small steps --------------------------------------------------------------------------------------

    def _look(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._fd, follow_symlinks=False)

    def _rename(self, source: str, target: str) -> None:
        os.rename(source, target, src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def _rename_to_free(self, source: str, target: str) -> None:
        """Raises FileExistsError where there is anything under the name `target`."""
        if self._means.kernel.exclusive:
            try:
                rename_exclusive(self._fd, source, target)
            except OSError as error:
                if error.errno not in MISSING:
                    raise
            else:
                return
        os.link(source, target, src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
        remove_temporary(self._fd, source)

    def _conflict(self, reason: ConflictReason, found: os.stat_result | None = None) -> Conflict:
        return conflict(self.location, reason, self.base, found)

    def _unknown(self, error: OSError) -> LandingUnknown:
        """What stands under the temporary name may be somebody's file: nobody removes it now."""
        self._over = True
        return LandingUnknown(self.location.relative, "system", os.strerror(error.errno or 0))
