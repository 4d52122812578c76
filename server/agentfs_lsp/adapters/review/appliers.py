"""Appliers that need no conversation: for edits without a review, and for previews that the client has
applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentfs_lsp.domain.errors import DomainError
    from agentfs_lsp.service.proposal.review import Applied, DocumentEdit, Editor


class PlainApplier:
    """A plain, pinned `workspace/applyEdit`: what it holds was let through or approved elsewhere."""

    applied_already = False

    def __init__(self, editor: Editor, label: str) -> None:
        self._editor = editor
        self._label = label

    @property
    def saves(self) -> bool:
        """A `save` client saves what was clean by itself."""
        return self._editor.traits.save

    async def apply(self, edits: Sequence[DocumentEdit]) -> list[Applied]:
        """Hand the edits over, one document at a time: not every editor applies several or none."""
        return [await self._editor.apply([edit], label=self._label) for edit in edits]

    async def take_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:  # noqa: ARG002
        """Hand the reverse over the same way."""
        await self.apply(edits)

    async def committed(self, save: Sequence[str]) -> Collection[str]:
        """There is nobody to tell: a client that saves does so by itself."""
        return save

    def failed(self, error: Exception) -> None:
        """There is nobody to tell."""


class PreviewedApplier(PlainApplier):
    """The editor asked and applied; it saves nothing."""

    applied_already = True

    @property
    def saves(self) -> bool:
        """Never: what was previewed waits in the editor."""
        return False
