"""Gives a staged new file its name, without replacing another file (docs/protocol.md#6-agentfswrite)."""

from __future__ import annotations

from agentfs_lsp.adapters.landing.staged import StagedFile


class Creation(StagedFile):
    """A new file."""

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        """See `StagedFile.swap`."""
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
