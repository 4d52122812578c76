"""Replaces the base with a staged file, or changes nothing (docs/protocol.md#6-agentfswrite).

The two files exchange names, so that the replaced file can be compared and restored. If the file system
cannot exchange names, the last check comes immediately before a plain rename.
"""

from __future__ import annotations

import os

from agentfs_lsp.adapters.fs.attributes import keep_attributes
from agentfs_lsp.adapters.fs.comparing import holds_base, looks_like, same_version
from agentfs_lsp.adapters.fs.confined import READING
from agentfs_lsp.adapters.fs.syscalls import MISSING, exchange, rename_exclusive, sync
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.adapters.landing.temporary import remove_temporary, write_temporary
from agentfs_lsp.adapters.landing.temporary_registry import aside_name
from agentfs_lsp.service.files.store import Blob, Landed


class Replacement(StagedFile):
    """New content for an existing file."""

    _pushed_out: os.stat_result | None = None
    """The base's file under the temporary name, once the names are exchanged."""
    _aside: str | None = None
    """The name under which the base is kept, if requested and the names can't be exchanged."""
    _links = 1

    def check(self) -> None:
        """See `StagedFile.check`."""
        super().check()
        found = self._look_at_target()
        if self._source is not None and _attributes(found) != _attributes(self._source):
            self._take_attributes_again()

    def _look_at_target(self) -> os.stat_result:
        try:
            found = self._look(self.name)
            if looks_like(found, self._base) or holds_base(self._fd, self.name, self._base):
                return found
        except FileNotFoundError:
            raise self._conflict("gone") from None
        raise self._conflict("reviewing", found)

    @property
    def _base(self) -> Blob:
        assert self.base is not None
        return self.base

    def _take_attributes_again(self) -> None:
        """Another program changed mode, owner or the like since the file was staged."""
        source = os.open(self.name, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fd)
        try:
            target = os.open(self.temporary, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fd)
            try:
                keep_attributes(source, target)
                sync(target)
                self._ours = os.fstat(target)
            finally:
                os.close(target)
        finally:
            os.close(source)

    # --- the names change ---------------------------------------------------------------------------------

    def swap(self, *, returnable: bool = False) -> None:
        """See `StagedFile.swap`."""
        if self._context.kernel.exchange:
            try:
                exchange(self._fd, self.temporary, self.name)
            except FileNotFoundError:
                raise self._conflict("gone") from None
            except OSError as error:
                if error.errno not in MISSING:
                    raise
            else:
                self._settle_exchange()
                return
        if returnable:
            self._keep_aside()
        self._rename_over()

    def _settle_exchange(self) -> None:
        try:
            self._compare_pushed_out()
        except BaseException:
            self._put_back()
            raise

    def _compare_pushed_out(self) -> None:
        self._pushed_out = self._look(self.temporary)
        if not holds_base(self._fd, self.temporary, self._base):
            raise self._conflict("reviewing", self._pushed_out)

    def _keep_aside(self) -> None:
        source = os.open(self.name, READING | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fd)
        try:
            self._aside = aside_name(self.temporary)
            write_temporary(self._fd, self._aside, (self._base.data,), source)
            sync(self._fd)
        finally:
            os.close(source)

    def _rename_over(self) -> None:
        try:
            found = self._look(self.name)
            if not holds_base(self._fd, self.name, self._base):
                raise self._conflict("reviewing", found)
        except FileNotFoundError:
            raise self._conflict("gone") from None
        self._rename(self.temporary, self.name)
        self._links = found.st_nlink

    def confirm(self) -> int:
        """See `StagedFile.confirm`. A program that had the file open may have written to it since; after a
        plain rename that can't be detected."""
        if self._pushed_out is None:
            return self._links
        found = self._look(self.temporary)
        if not same_version(found, self._pushed_out):
            raise self._conflict("reviewing", found)
        return found.st_nlink

    # --- and back -----------------------------------------------------------------------------------------

    @property
    def returnable(self) -> bool:
        """See `StagedFile.returnable`."""
        return self._pushed_out is not None or self._aside is not None

    def take_back(self) -> None:
        """See `StagedFile.take_back`."""
        if self._aside is not None:
            self._rename_back(self._aside)
        else:
            self._put_back()

    def _rename_back(self, aside: str) -> None:
        try:
            if same_version(self._look(self.name), self._ours):
                self._rename(aside, self.name)
        except FileNotFoundError:
            pass  # removed or replaced by another program: that is newer
        except OSError as error:
            raise self._unknown(error) from error

    def _put_back(self) -> None:
        """Restore what was pushed out. What comes out in turn must be the staged file; otherwise another
        program wrote in between, which is newer, so it goes back in, repeatedly if necessary."""
        inside = self._ours
        try:
            while True:
                going_in = self._look(self.temporary)
                try:
                    exchange(self._fd, self.temporary, self.name)
                except FileNotFoundError:
                    try:
                        rename_exclusive(self._fd, self.temporary, self.name)
                    except FileExistsError:
                        continue
                    return
                if same_version(self._look(self.temporary), inside):
                    return
                inside = going_in
        except OSError as error:
            raise self._unknown(error) from error

    def finish(self, links: int) -> Landed:
        """See `StagedFile.finish`."""
        if self._aside is not None and not self._over:
            remove_temporary(self._fd, self._aside)
        return super().finish(links)

    def discard(self) -> None:
        """See `Staged.discard`."""
        if self._aside is not None and not self._over:
            remove_temporary(self._fd, self._aside)
        super().discard()


def _attributes(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_mode, found.st_uid, found.st_gid, found.st_ctime_ns)
