"""A staged file becomes the file, or nothing changes (docs/protocol.md#6-agentfswrite).

The order of a landing: what is there is looked at; it and the staged file exchange their names; what was
pushed out is compared with the base and put back if it is anything else; the folder is synced; the old file
goes. A file that somebody else wrote in between always ends up under the name again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.attributes import keep_attributes
from agentfs_lsp.adapters.comparing import conflict, holds_base, looks_like, same_version
from agentfs_lsp.adapters.confined import READING, open_folder
from agentfs_lsp.adapters.refusals import domain_error, regular
from agentfs_lsp.adapters.syscalls import MISSING, exchange, rename_exclusive, sync
from agentfs_lsp.domain.errors import LandingUnknown, SystemFailed
from agentfs_lsp.service.ports import Landed

if TYPE_CHECKING:
    from agentfs_lsp.adapters.closing import Closing
    from agentfs_lsp.adapters.confined import OpenBeneath
    from agentfs_lsp.adapters.folders import NewFolders, Stay
    from agentfs_lsp.adapters.state import LandingLock
    from agentfs_lsp.adapters.syscalls import Kernel
    from agentfs_lsp.domain.errors import Conflict, ConflictReason
    from agentfs_lsp.service.ports import Blob, Location


class Replacement:
    """`service.ports.Staged` for a file on disk.

    `ours` is what the file system says of the temporary file; `source`, of the file whose attributes it got
    (None for a new file).
    """

    def __init__(
        self,
        location: Location,
        base: Blob | None,
        stay: Stay,
        *,
        temporary: str,
        ours: os.stat_result,
        source: os.stat_result | None,
        folders: NewFolders,
        lock: LandingLock,
        kernel: Kernel,
        open_beneath: OpenBeneath,
        closing: Closing,
    ) -> None:
        self._location = location
        self._base = base
        self._stay = stay
        self._folder = stay.folder.fd
        self._name = location.relative.rpartition("/")[2]
        self._temporary = temporary
        self._ours = ours
        self._source = source
        self._folders = folders
        self._lock = lock
        self._kernel = kernel
        self._open_beneath = open_beneath
        self._closing = closing
        self._over = False

    def commit(self) -> Landed:
        """See `Staged.commit`. Also raises LandingUnknown, where the file system fails in the very moment."""
        assert not self._over, "a replacement lands once"
        try:
            with self._lock.held():
                self._check_in_place()
                links = self._create() if self._base is None else self._update(self._base)
        except OSError as error:
            raise domain_error(error, self._location.relative) from error
        self._over = True
        return Landed(
            regular(self._ours, self._location.relative),
            hard_links=links - 1,
            created_dirs=self._folders.keep(self._stay, self._location),
        )

    def discard(self) -> None:
        """See `Staged.discard`; after a commit that went well there is nothing to do."""
        if self._over:
            return
        self._over = True
        self._remove_temporary()
        self._folders.leave(self._stay, self._location)

    def _check_in_place(self) -> None:
        """The folder is still the one at that path, and the staged file is what was written."""
        parent = self._location.relative.rpartition("/")[0]
        try:
            there = open_folder(self._open_beneath, self._stay.root.fd, parent)
        except (FileNotFoundError, NotADirectoryError):
            raise self._conflict("gone") from None
        if (there.device, there.inode) != (self._stay.folder.device, self._stay.folder.inode):
            raise self._conflict("gone")
        try:
            staged = self._look(self._temporary)
        except FileNotFoundError:
            staged = None
        if staged is None or not same_version(staged, self._ours):
            raise SystemFailed(self._location.relative, "temporary_lost")

    # --- a new file ---------------------------------------------------------------------------------------

    def _create(self) -> int:
        try:
            self._take_name()
        except FileExistsError:
            raise self._conflict("exists") from None
        try:
            sync(self._folder)
        except OSError:
            if same_version(self._look(self._name), self._ours):
                self._rename(self._name, self._temporary)
            raise
        return 1

    def _take_name(self) -> None:
        if self._kernel.exclusive:
            try:
                rename_exclusive(self._folder, self._temporary, self._name)
            except OSError as error:
                if error.errno not in MISSING:
                    raise
            else:
                return
        os.link(
            self._temporary,
            self._name,
            src_dir_fd=self._folder,
            dst_dir_fd=self._folder,
            follow_symlinks=False,
        )
        self._remove_temporary()

    # --- an existing file ---------------------------------------------------------------------------------

    def _update(self, base: Blob) -> int:
        found = self._look_at_target(base)
        if self._source is not None and _attributes(found) != _attributes(self._source):
            self._take_attributes_again()
        if self._kernel.exchange:
            try:
                exchange(self._folder, self._temporary, self._name)
            except FileNotFoundError:
                raise self._conflict("gone") from None
            except OSError as error:
                if error.errno not in MISSING:
                    raise
            else:
                return self._settle_exchange(base)
        return self._rename_over(base)

    def _look_at_target(self, base: Blob) -> os.stat_result:
        try:
            found = self._look(self._name)
            if looks_like(found, base) or holds_base(self._folder, self._name, base):
                return found
        except FileNotFoundError:
            raise self._conflict("gone") from None
        raise self._conflict("reviewing", found)

    def _take_attributes_again(self) -> None:
        """Somebody changed mode, owner or the like since the file was staged."""
        source = os.open(self._name, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            target = os.open(self._temporary, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder)
            try:
                keep_attributes(source, target)
                sync(target)
                self._ours = os.fstat(target)
            finally:
                os.close(target)
        finally:
            os.close(source)

    def _settle_exchange(self, base: Blob) -> int:
        """The names are exchanged. Keep it so only if what was pushed out is the base."""
        try:
            pushed_out = self._check_pushed_out(base)
        except BaseException:
            self._put_back()
            raise
        self._drop_pushed_out()
        return pushed_out.st_nlink

    def _check_pushed_out(self, base: Blob) -> os.stat_result:
        compared = self._look(self._temporary)
        if not holds_base(self._folder, self._temporary, base):
            raise self._conflict("reviewing", compared)
        sync(self._folder)
        # Whoever had the file open before the exchange may have written to it since.
        pushed_out = self._look(self._temporary)
        if not same_version(pushed_out, compared):
            raise self._conflict("reviewing", pushed_out)
        return pushed_out

    def _put_back(self) -> None:
        """Give what was pushed out its name again. What comes out by that has to be the staged file, else
        somebody wrote the file in between: that is newer, so it goes back in, until nobody intervened."""
        inside = self._ours
        try:
            while True:
                going_in = self._look(self._temporary)
                try:
                    exchange(self._folder, self._temporary, self._name)
                except FileNotFoundError:
                    try:
                        rename_exclusive(self._folder, self._temporary, self._name)
                    except FileExistsError:
                        continue
                    return
                if same_version(self._look(self._temporary), inside):
                    return
                inside = going_in
        except OSError as error:
            self._over = True  # what stands under the temporary name is somebody's file
            raise LandingUnknown(self._location.relative, "system", os.strerror(error.errno or 0)) from error

    def _rename_over(self, base: Blob) -> int:
        """Where names can't be exchanged: the last look comes right before the rename."""
        try:
            found = self._look(self._name)
            if not holds_base(self._folder, self._name, base):
                raise self._conflict("reviewing", found)
        except FileNotFoundError:
            raise self._conflict("gone") from None
        self._rename(self._temporary, self._name)
        try:
            sync(self._folder)
        except OSError as error:
            self._over = True
            raise LandingUnknown(self._location.relative, "system", os.strerror(error.errno or 0)) from error
        return found.st_nlink

    # --- small steps --------------------------------------------------------------------------------------

    def _look(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._folder, follow_symlinks=False)

    def _rename(self, source: str, target: str) -> None:
        os.rename(source, target, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def _remove_temporary(self) -> None:
        try:
            os.unlink(self._temporary, dir_fd=self._folder)
        except OSError:
            pass  # the next start sweeps it

    def _drop_pushed_out(self) -> None:
        """Its name goes now. What it held is freed behind the landing: that can take longer than the rest."""
        try:
            held = os.open(self._temporary, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._folder)
        except OSError:
            self._remove_temporary()
            return
        self._remove_temporary()
        self._closing.close(held)

    def _conflict(self, reason: ConflictReason, found: os.stat_result | None = None) -> Conflict:
        return conflict(self._location, reason, self._base, found)


def _attributes(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_mode, found.st_uid, found.st_gid, found.st_ctime_ns)
