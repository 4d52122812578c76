"""Gives a staged file its name, replaces the base with it, or removes the base; or changes nothing
(docs/protocol.md#6-agentfswrite, docs/protocol.md#11-history-and-undo).

A replacement exchanges the names of the two files, so that the replaced file can be compared and restored. If
the file system cannot exchange names, the last check comes immediately before a plain rename.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from agentfs_lsp.adapters.fs import syscalls
from agentfs_lsp.adapters.fs.attributes import keep_attributes
from agentfs_lsp.adapters.fs.comparing import holds_base, looks_like, same_version
from agentfs_lsp.adapters.fs.confined import READING
from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.adapters.fs.syscalls import sync
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.adapters.landing.temporary import remove_temporary, write_temporary
from agentfs_lsp.adapters.landing.temporary_registry import aside_name
from agentfs_lsp.service.files.store import Blob, Landed


class Creation(StagedFile):
    """A new file, which replaces no other."""

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        try:
            self._context.kernel.rename_to_free(self._fd, self.temporary, self.name)
        except FileExistsError:
            raise self._conflict("exists") from None

    def confirm(self) -> int:
        """See `StagedFile.confirm`: there was no old file."""
        return 1

    def roll_back(self) -> None:
        """See `StagedFile.roll_back`. Leaves a file that replaced the new one meanwhile."""
        self._rename_ours(self.name, self.temporary)


class Displacement(StagedFile):
    """A change of an existing file, which `swap` moves aside to the temporary name."""

    _pushed_out: os.stat_result | None = None
    """The base's file under the temporary name."""

    @property
    def _base(self) -> Blob:
        assert self.base is not None
        return self.base

    def _look_at_base(self) -> os.stat_result:
        """The current file's stat. Raises Conflict if it is not the base."""
        try:
            found = self._look(self.name)
            if looks_like(found, self._base) or holds_base(self._fd, self.name, self._base):
                return found
        except FileNotFoundError:
            raise self._conflict("gone") from None
        raise self._conflict("reviewing", found)

    def _compare_pushed_out(self) -> None:
        """Raise Conflict, and put back what was pushed out, if that is not the base."""
        try:
            self._pushed_out = self._look(self.temporary)
            is_base = holds_base(self._fd, self.temporary, self._base)
        except BaseException:
            self.roll_back()
            raise
        if not is_base:
            self.roll_back()
            raise self._conflict("reviewing", self._pushed_out)

    def confirm(self) -> int:
        """See `StagedFile.confirm`. A program that had the file open may have written to it since."""
        found = self._look(self.temporary)
        if self._pushed_out is None or not same_version(found, self._pushed_out):
            raise self._conflict("reviewing", found)
        return found.st_nlink


class Removal(Displacement):
    """A file to delete. Nothing is staged: the temporary name takes the old file."""

    def _check_content(self) -> None:
        self._look_at_base()

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        try:
            self._rename(self.name, self.temporary)
        except FileNotFoundError:
            raise self._conflict("gone") from None
        self._compare_pushed_out()

    def roll_back(self) -> None:
        """See `StagedFile.roll_back`. A file created under the name meanwhile is newer, and stays."""
        try:
            self._context.kernel.rename_to_free(self._fd, self.temporary, self.name)
        except FileExistsError:
            pass
        except OSError as error:
            raise self._unknown(error) from error

    def finish(self, links: int) -> Landed:
        landed = super().finish(links)
        return Landed(None, landed.hard_links, landed.created_dirs)


class Replacement(Displacement):
    """New content for an existing file."""

    _aside: str | None = None
    """The name under which the base is kept, if requested and the names can't be exchanged."""
    _links = 1

    def check(self) -> None:
        super().check()
        found = self._look_at_base()
        if self._source is not None and _attributes(found) != _attributes(self._source):
            self._take_attributes_again()

    def _take_attributes_again(self) -> None:
        """Another program changed mode, owner or the like since the file was staged."""
        with self._reading(self.name) as source, self._reading(self.temporary) as target:
            keep_attributes(source, target)
            sync(target)
            self._source, self._ours = os.fstat(source), os.fstat(target)

    # --- the names change ---------------------------------------------------------------------------------

    def swap(self, *, returnable: bool = False) -> None:
        try:
            exchanged = self._context.kernel.try_exchange(self._fd, self.temporary, self.name)
        except FileNotFoundError:
            raise self._conflict("gone") from None
        if exchanged:
            self._compare_pushed_out()
            return
        if returnable:
            self._keep_aside()
        self._rename_over()

    def _keep_aside(self) -> None:
        with self._reading(self.name) as source:
            self._aside = aside_name(self.temporary)
            with closing_fd(write_temporary(self._fd, self._aside, (self._base.data,), source)) as aside:
                sync(aside)
            sync(self._fd)

    def _reading(self, name: str) -> AbstractContextManager[int]:
        return closing_fd(os.open(name, READING, dir_fd=self._fd))

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
        """See `StagedFile.confirm`. After a plain rename, a write to the old file can't be detected."""
        return self._links if self._pushed_out is None else super().confirm()

    # --- and back -----------------------------------------------------------------------------------------

    @property
    def returnable(self) -> bool:
        return self._pushed_out is not None or self._aside is not None

    def roll_back(self) -> None:
        if self._aside is not None:
            self._rename_ours(self._aside, self.name)
        else:
            self._put_back()

    def _put_back(self) -> None:
        """Restore what was pushed out. What comes out in turn must be the staged file; otherwise another
        program wrote in between, which is newer, so it goes back in, repeatedly if necessary."""
        inside = self._ours
        try:
            while True:
                going_in = self._look(self.temporary)
                try:
                    syscalls.exchange(self._fd, self.temporary, self.name)
                except FileNotFoundError:
                    try:
                        syscalls.rename_exclusive(self._fd, self.temporary, self.name)
                    except FileExistsError:
                        continue
                    return
                if same_version(self._look(self.temporary), inside):
                    return
                inside = going_in
        except OSError as error:
            raise self._unknown(error) from error

    def _drop_temporaries(self) -> None:
        if self._aside is not None:
            remove_temporary(self._fd, self._aside)
        super()._drop_temporaries()


def _attributes(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_ino, found.st_mode, found.st_uid, found.st_gid, found.st_ctime_ns)
