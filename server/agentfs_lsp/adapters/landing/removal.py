"""Moves a file aside and deletes it if it was the base (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from agentfs_lsp.adapters.fs.comparing import holds_base, looks_like, same_version
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.service.files.store import Blob, Landed


class Removal(StagedFile):
    """A file to delete. Nothing is staged: the temporary name takes the old file."""

    def _check_content(self) -> None:
        base = self.base
        assert base is not None
        try:
            found = self._look(self.name)
            if looks_like(found, base) or holds_base(self._fd, self.name, base):
                return
        except FileNotFoundError:
            raise self._conflict("gone") from None
        raise self._conflict("reviewing", found)

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        """See `StagedFile.swap`."""
        assert self.base is not None
        try:
            self._rename(self.name, self.temporary)
        except FileNotFoundError:
            raise self._conflict("gone") from None
        try:
            self._compare(self.base)
        except BaseException:
            self.take_back()
            raise

    def _compare(self, base: Blob) -> None:
        self._aside = self._look(self.temporary)
        if not holds_base(self._fd, self.temporary, base):
            raise self._conflict("reviewing", self._aside)

    def confirm(self) -> int:
        """See `StagedFile.confirm`."""
        found = self._look(self.temporary)
        if not same_version(found, self._aside):  # a program that had it open may have written to it
            raise self._conflict("reviewing", found)
        return found.st_nlink

    def take_back(self) -> None:
        """See `StagedFile.take_back`. A file created under the name meanwhile is newer, and stays."""
        try:
            self._rename_to_free(self.temporary, self.name)
        except FileExistsError:
            pass
        except OSError as error:
            raise self._unknown(error) from error

    def finish(self, links: int) -> Landed:
        """See `StagedFile.finish`."""
        landed = super().finish(links)
        return Landed(None, landed.hard_links, landed.created_dirs)
