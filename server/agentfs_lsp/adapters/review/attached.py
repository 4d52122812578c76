"""The reviewers in programs of their own that are attached (docs/protocol.md#18-the-reviewers-socket)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Protocol

from agentfs_lsp.service.proposal.proposal import Proposal


class AttachedReviewer(Protocol):
    """A reviewer that the user has allowed to decide."""

    def proposed(self, proposal: Proposal) -> None:
        """A proposal waits for a decision."""

    def settled(self, proposal: Proposal) -> None:
        """A proposal that waited has ended."""


class AttachedReviewers:
    """All of them."""

    def __init__(self) -> None:
        self._reviewers: list[AttachedReviewer] = []
        self._gone: asyncio.Future[None] | None = None

    def __iter__(self) -> Iterator[AttachedReviewer]:
        return iter(list(self._reviewers))

    def __len__(self) -> int:
        return len(self._reviewers)

    def add(self, reviewer: AttachedReviewer) -> None:
        """The user has allowed it."""
        self._reviewers.append(reviewer)

    def remove(self, reviewer: AttachedReviewer) -> None:
        """It has gone. Does nothing if it is not attached."""
        if reviewer in self._reviewers:
            self._reviewers.remove(reviewer)
            if not self._reviewers and self._gone is not None:
                self._gone.set_result(None)
                self._gone = None

    async def gone(self) -> None:
        """Wait until the last one goes."""
        if self._reviewers:
            self._gone = self._gone or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._gone)
