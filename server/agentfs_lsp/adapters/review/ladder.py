"""Which rung asks the user: the first that fits (docs/protocol.md#9-review-and-landing).

Never open by default.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.hands import PlainHand
from agentfs_lsp.adapters.review.message import review_by_message
from agentfs_lsp.adapters.review.preview import is_previewable, review_in_preview
from agentfs_lsp.domain.errors import NobodyToAsk, ReviewTimedOut
from agentfs_lsp.domain.shown import escape_to_one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.adapters.review.client import ClientReviews
    from agentfs_lsp.adapters.review.diff_file import DiffFiles
    from agentfs_lsp.domain.settings import Settings
    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.service.editor_ports import Editor, Hand
    from agentfs_lsp.service.ports import Clock
    from agentfs_lsp.service.proposals import Decision, Proposal


class Ladder:
    """The reviewer: picks the rung, and shows one preview or message at a time, in the order they came."""

    def __init__(
        self,
        editor: Editor,
        clock: Clock,
        settings: Callable[[], Settings],
        say: Callable[[], Say],
        client_reviews: ClientReviews,
        diff_files: DiffFiles,
    ) -> None:
        self._editor = editor
        self._clock = clock
        self._settings = settings
        self._say = say
        self._client_reviews = client_reviews
        self._diff_files = diff_files
        self._screen = asyncio.Lock()

    def rung_for(self, proposal: Proposal | None) -> str:
        """The rung that would ask; without a proposal, for a change that any rung can show."""
        traits = self._editor.traits
        if traits.review:
            return "review"
        previews = traits.preview and self._settings().preview.enabled
        if previews and (proposal is None or is_previewable(proposal)):
            return "preview"
        return "message"

    async def review(self, proposal: Proposal) -> tuple[Decision, Hand]:
        """Ask by the first rung that fits. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict."""
        rung = self.rung_for(proposal)
        limit = self._settings().approval.seconds(review_client=rung == "review")
        if rung == "review":
            return await self._client_reviews.review(proposal, limit)
        async with self._screen:
            say = self._say()
            if rung == "preview":
                try:
                    return await review_in_preview(self._editor, self._clock, say, proposal, limit)
                except NobodyToAsk:
                    proposal.rung = "message"
            show_s = self._settings().landing_timeout_s
            showing = self._diff_files.shown_for(self._editor, proposal, show_s)
            return await review_by_message(self._editor, self._clock, say, proposal, limit, showing)

    async def concluded(self, proposal: Proposal) -> None:
        """Only a review client sends anything about a proposal."""
        await self._client_reviews.concluded(proposal)

    async def allow_read(self, path: str, session: str, agent: str) -> bool:
        """Ask whether a protected file may be read, this once."""
        say = self._say()
        limit = self._settings().approval.seconds(review_client=False)
        deny, once = say("Deny"), say("Allow once")
        actions = (once, deny) if self._editor.traits.first_action_only else (deny, once)
        who = escape_to_one_line(agent or session)
        question = say("agentfs: {agent} asks to read '{path}'.", agent=who, path=escape_to_one_line(path))
        async with self._screen:
            try:
                async with asyncio.timeout(limit):
                    return await self._editor.ask(question, actions) == once
            except TimeoutError:
                raise ReviewTimedOut(limit or 0) from None
            except NobodyToAsk as error:
                raise NobodyToAsk("reading", error.detail) from error

    def let_through(self) -> Hand:
        """The hand for what policy lets through."""
        return PlainHand(self._editor, "agentfs")
