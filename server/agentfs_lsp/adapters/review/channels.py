"""The table of review channels (docs/protocol.md#9-review-and-landing).

The first row that fits is used, and the next one if the editor answers with an error; each channel has a
module of its own. Fails closed: if nobody can be asked, the change is rejected.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import NamedTuple

from agentfs_lsp.adapters.review.appliers import PlainApplier
from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.message import review_by_message
from agentfs_lsp.adapters.review.preview import is_previewable, review_by_preview
from agentfs_lsp.adapters.review.questions import Unanswered
from agentfs_lsp.adapters.review.reading import ask_to_read
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung
from agentfs_lsp.service.proposal.review import Applier, EditorTraits


class Channel(NamedTuple):
    """A way of asking. `review` shows the proposal and waits; a timeout (in seconds) of None means no limit.
    It raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict, and Unanswered if others wait for the screen.
    `is_able`: whether this editor supports it with these settings; `shows`: whether it shows this proposal
    safely. `lists`: the client lists all pending proposals, so none waits for the screen. `applies`: the
    editor itself applies what the user accepts, perhaps late."""

    name: Rung
    review: Callable[[Asking, Proposal, float | None], Awaitable[tuple[Decision, Applier]]]
    is_able: Callable[[EditorTraits, Settings], bool] = lambda *_: True
    shows: Callable[[Proposal], bool] = lambda _: True
    lists: bool = False
    applies: bool = False


CHANNELS = (
    Channel(
        "preview",
        review_by_preview,
        lambda editor, settings: editor.preview and settings.preview.enabled,
        is_previewable,
        applies=True,
    ),
    Channel(
        "review",
        lambda asking, proposal, timeout_s: asking.client_reviews.review(proposal, timeout_s),
        lambda editor, _: editor.review,
        lists=True,
    ),
    Channel("message", review_by_message),
)
"""The channels in order of preference; the last always fits."""

ATTACHED = Channel(
    "review",
    lambda asking, proposal, timeout_s: asking.client_reviews.review_attached(proposal, timeout_s),
    lists=True,
)
"""While reviewers in programs of their own are attached, instead of channels that do not list: a proposal is
never asked about in two places, of which one might not notice that the other has decided."""


class ReviewChannels:
    """The reviewer: it shows one preview or message at a time, in the order of arrival."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The channel that would ask; without a proposal, for a change that every channel can show."""
        return self._fitting(proposal)[0].name

    def _fitting(self, proposal: Proposal | None) -> list[Channel]:
        traits, settings = self._asking.editor.traits, self._asking.settings()
        able = [channel for channel in CHANNELS if channel.is_able(traits, settings)]
        if self._asking.client_reviews.attached:
            return [channel for channel in able if channel.lists] or [ATTACHED]
        return [channel for channel in able if proposal is None or channel.shows(proposal)]

    def applies_itself(self, proposal: Proposal) -> bool:
        """Whether the proposal's channel `applies`."""
        return any(channel.applies for channel in CHANNELS if channel.name == proposal.channel)

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Ask through the first channel that fits. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict."""
        unable: list[Channel] = []
        channel, *others = self._fitting(proposal)
        while True:
            limit = self._asking.settings().approval.seconds(review_client=channel.lists)
            async with nullcontext() if channel.lists else self._asking.screen.turn():
                if channel.lists or not self._asking.client_reviews.attached:  # perhaps while it waited
                    try:
                        decision, applier = await channel.review(self._asking, proposal, limit)
                        client = decision.client or self._asking.editor.traits.name
                        return replace(decision, client=client), applier
                    except Unanswered:
                        pass
                    except NobodyToAsk:
                        if not others:
                            raise
                        unable.append(channel)
            channel, *others = [one for one in self._fitting(proposal) if one not in unable]
            proposal.wait_for(channel.name)

    async def concluded(self, proposal: Proposal) -> None:
        """Remove its diff file, and answer a review client's messages about it."""
        self._asking.diff_files.conclude(proposal)
        await self._asking.client_reviews.concluded(proposal)

    async def allow_read(self, path: str, agent: str, asked: Callable[[], object]) -> bool:
        """Ask whether a protected file may be read once."""
        return await ask_to_read(self._asking, path, agent, asked, lists=self._asking.editor.traits.review)

    def allowed_applier(self) -> Applier:
        """The applier for changes that policy allows."""
        return PlainApplier(self._asking.editor, "agentfs")
