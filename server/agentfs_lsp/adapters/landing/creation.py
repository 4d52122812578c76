"""Gives a staged new file its name, without replacing another file (docs/protocol.md#6-agentfswrite)."""

from __future__ import annotations

from agentfs_lsp.adapters.fs.comparing import same_version
from agentfs_lsp.adapters.landing.staged import StagedFile


class Creation(StagedFile):
    """A new file."""

    def swap(self, *, returnable: bool = False) -> None:  # noqa: ARG002 - it always is
        """See `StagedFile.swap`."""
        try:
            self._rename_to_free(self.temporary, self.name)
        except FileExistsError:
            raise self._conflict("exists") from None

    def confirm(self) -> int:
        """See `StagedFile.confirm`: there was no old file."""
        return 1

    def take_back(self) -> None:
        """See `StagedFile.take_back`. Leaves a file that replaced the new one meanwhile."""
        try:
            if same_version(self._look(self.name), self._ours):
                self._rename(self.name, self.temporary)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise self._unknown(error) from error
