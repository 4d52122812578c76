"""Moves a file aside and deletes it if it was the base (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from agentfs_lsp.adapters.landing.staged import Displacement
from agentfs_lsp.service.files.store import Landed


class Removal(Displacement):
    """A file to delete. Nothing is staged: the temporary name takes the old file."""

    def _check_content(self) -> None:
        self._look_at_base()

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        """See `StagedFile.swap`."""
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
        """See `StagedFile.finish`."""
        landed = super().finish(links)
        return Landed(None, landed.hard_links, landed.created_dirs)
