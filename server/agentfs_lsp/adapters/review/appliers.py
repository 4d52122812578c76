"""Appliers that need no conversation: for edits without a review, and for previews that the client has
applied."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.service.proposal.review import Applied, DocumentEdit, Editor


class PlainApplier:
    """A plain, pinned `workspace/applyEdit` for a change that was allowed or approved elsewhere."""

    applied_already = False
    reverts_late = False

    def __init__(self, editor: Editor, label: str) -> None:
        self._editor = editor
        self._label = label

    @property
    def saves(self) -> bool:
        """A `save` client itself saves documents that had no unsaved changes."""
        return self._editor.traits.save

    async def apply(self, edits: Sequence[DocumentEdit]) -> AsyncIterator[Applied]:
        """Send the edits, one document at a time, because not every editor applies several edits
        atomically."""
        for edit in edits:
            yield await self._editor.apply([edit], label=self._label)

    async def roll_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:  # noqa: ARG002
        """Send the reverse edits in the same way."""
        async for _ in self.apply(edits):
            pass

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """Do nothing: a client that saves does so by itself."""
        return save

    def failed(self, error: Exception) -> None:
        """Do nothing."""


class PreviewedApplier(PlainApplier):
    """The editor asked and applied the change; it does not save."""

    applied_already = True

    @property
    def saves(self) -> bool:
        """Never saves: previewed changes wait in the editor."""
        return False
