"""Which rung asks the user: the first that fits (docs/protocol.md#9-review-and-landing).

Never open by default.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.appliers import PlainApplier
from agentfs_lsp.adapters.review.message import left_of, review_by_message
from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.adapters.review.preview import is_previewable, review_in_preview
from agentfs_lsp.adapters.review.questions import Question, Unanswered
from agentfs_lsp.domain.errors import NobodyToAsk, ReviewTimedOut
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.text.width import shortened, width_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.adapters.review.client import ClientReviews
    from agentfs_lsp.adapters.review.diff_file import DiffFiles
    from agentfs_lsp.adapters.review.questions import Screen
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.service.files.store import Clock
    from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung
    from agentfs_lsp.service.proposal.review import Applier, Editor


class ReviewChannels:
    """The reviewer: picks the rung, and shows one preview or message at a time, in the order they came."""

    def __init__(
        self,
        editor: Editor,
        clock: Clock,
        settings: Callable[[], Settings],
        translate: Callable[[], Translate],
        client_reviews: ClientReviews,
        diff_files: DiffFiles,
        screen: Screen,
    ) -> None:
        self._editor = editor
        self._clock = clock
        self._settings = settings
        self._translate = translate
        self._client_reviews = client_reviews
        self._diff_files = diff_files
        self._screen = screen

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The rung that would ask; without a proposal, for a change that any rung can show."""
        traits = self._editor.traits
        if traits.review:
            return "review"
        previews = traits.preview and self._settings().preview.enabled
        if previews and (proposal is None or is_previewable(proposal)):
            return "preview"
        return "message"

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Ask by the first rung that fits. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict."""
        channel = self.channel_for(proposal)
        limit = self._settings().approval.seconds(review_client=channel == "review")
        if channel == "review":
            return await self._client_reviews.review(proposal, limit)
        while True:
            async with self._screen.turn():
                translate = self._translate()
                if channel == "preview":
                    try:
                        return await review_in_preview(self._editor, translate, proposal, limit)
                    except NobodyToAsk:
                        channel = "message"
                        proposal.wait_for(channel)
                show_s = self._settings().landing_timeout_s
                showing = self._diff_files.shown_for(self._editor, proposal, show_s)
                try:
                    return await review_by_message(
                        self._editor, self._screen, self._clock, translate, proposal, limit, showing
                    )
                except Unanswered:
                    proposal.wait_for(channel)

    async def concluded(self, proposal: Proposal) -> None:
        """Only a review client sends anything about a proposal."""
        await self._client_reviews.concluded(proposal)

    async def allow_read(self, path: str, agent: str) -> bool:
        """Ask whether a protected file may be read, this once."""
        reviews = self._editor.traits.review  # it lists questions: none waits for another
        limit = self._settings().approval.seconds(review_client=reviews)
        asked_at_ms: float | None = None
        while True:
            async with nullcontext() if reviews else self._screen.turn():
                quiet = reviews or await self._screen.is_quiet()
                question = self._reading(path, agent)
                now_ms = self._clock.now_ms()
                asked_at_ms = asked_at_ms or now_ms
                try:
                    async with asyncio.timeout(left_of(limit, asked_at_ms, now_ms)):
                        return (
                            await self._screen.ask(question, self._translate(), quiet=quiet) in question.yes
                        )
                except Unanswered:
                    continue
                except TimeoutError:
                    raise ReviewTimedOut(limit or 0) from None
                except NobodyToAsk as error:
                    raise NobodyToAsk("reading", error.detail) from error

    def _reading(self, path: str, agent: str) -> Question:
        """The path in full, however long; who asks, in so much of the last line as leaves room for the path's
        end."""
        translate = self._translate()
        columns = limits_of(self._editor.traits).columns
        shown = escape_to_one_line(path)
        asker = shortened(escape_to_one_line(agent or translate("An agent")), columns // 3)

        def line(path: str) -> str:
            return translate("agentfs: {agent} asks to read '{path}'.", agent=asker, path=path)

        last_line = line(shortened(shown, columns - width_of(line(""))))
        return Question(
            [] if shown in last_line else [shown], last_line, translate("Deny"), (translate("Allow once"),)
        )

    def let_through(self) -> Applier:
        """The applier for what policy lets through."""
        return PlainApplier(self._editor, "agentfs")
