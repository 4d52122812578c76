"""The table of review channels (docs/protocol.md#9-review-and-landing).

The first row that fits is used; each channel has a module of its own. Fails closed: if nobody can be asked
and there is no fallback, the change is rejected.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
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
    editor itself applies what the user accepts, perhaps late. `otherwise`: the fallback if the editor answers
    with an error."""

    name: Rung
    review: Callable[[Asking, Proposal, float | None], Awaitable[tuple[Decision, Applier]]]
    is_able: Callable[[EditorTraits, Settings], bool] = lambda *_: True
    shows: Callable[[Proposal], bool] = lambda _: True
    lists: bool = False
    applies: bool = False
    otherwise: Rung | None = None


CHANNELS = (
    Channel(
        "review",
        lambda asking, proposal, timeout_s: asking.client_reviews.review(proposal, timeout_s),
        lambda editor, _: editor.review,
        lists=True,
    ),
    Channel(
        "preview",
        review_by_preview,
        lambda editor, settings: editor.preview and settings.preview.enabled,
        is_previewable,
        applies=True,
        otherwise="message",
    ),
    Channel("message", review_by_message),
)
"""The channels in order of preference; the last always fits."""

_BY_NAME = {channel.name: channel for channel in CHANNELS}


class ReviewChannels:
    """The reviewer: it shows one preview or message at a time, in the order of arrival."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The channel that would ask; without a proposal, for a change that every channel can show."""
        traits, settings = self._asking.editor.traits, self._asking.settings()
        for channel in CHANNELS[:-1]:
            if channel.is_able(traits, settings) and (proposal is None or channel.shows(proposal)):
                return channel.name
        return CHANNELS[-1].name

    def applies_itself(self, proposal: Proposal) -> bool:
        """Whether the proposal's channel `applies`."""
        return any(channel.applies for channel in CHANNELS if channel.name == proposal.channel)

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Ask through the first channel that fits. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict."""
        channel = _BY_NAME[self.channel_for(proposal)]
        limit = self._asking.settings().approval.seconds(review_client=channel.lists)
        while True:
            async with nullcontext() if channel.lists else self._asking.screen.turn():
                try:
                    return await self._review_by(channel, proposal, limit)
                except Unanswered:
                    channel = _BY_NAME[proposal.channel or channel.name]
                    proposal.wait_for(channel.name)

    async def _review_by(
        self, channel: Channel, proposal: Proposal, limit: float | None
    ) -> tuple[Decision, Applier]:
        """Ask through this channel, or else through its fallback."""
        try:
            return await channel.review(self._asking, proposal, limit)
        except NobodyToAsk:
            if channel.otherwise is None:
                raise
        proposal.wait_for(channel.otherwise)
        return await self._review_by(_BY_NAME[channel.otherwise], proposal, limit)

    async def concluded(self, proposal: Proposal) -> None:
        """Remove its diff file, and answer a review client's messages about it."""
        self._asking.diff_files.conclude(proposal)
        await self._asking.client_reviews.concluded(proposal)

    async def allow_read(self, path: str, agent: str, asked: Callable[[], object]) -> bool:
        """Ask whether a protected file may be read once."""
        lists = _BY_NAME[self.channel_for(None)].lists
        return await ask_to_read(self._asking, path, agent, asked, lists=lists)

    def allowed_applier(self) -> Applier:
        """The applier for changes that policy allows."""
        return PlainApplier(self._asking.editor, "agentfs")
