"""The port FoundInEditor: what other programs in the editor say about files that change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from agentfs_lsp.domain.diagnostics import Diagnostic


class Found(NamedTuple):
    """The diagnostics of a file, before and after a change."""

    before: Sequence[Diagnostic]
    after: Sequence[Diagnostic]


class FoundInEditor(Protocol):
    """Asks the editor."""

    @property
    def is_available(self) -> bool:
        """Whether the editor can tell."""

    def landing(self, proposal_id: str, uris: Sequence[str]) -> None:
        """A change of these files is about to land: have the editor remember their diagnostics."""

    async def since(self, proposal_id: str, uris: Sequence[str], wait_ms: int) -> Mapping[str, Found]:
        """It has landed: the diagnostics of these files, once they have changed, after `wait_ms` at the
        latest. Files of which the editor does not tell them are missing."""
