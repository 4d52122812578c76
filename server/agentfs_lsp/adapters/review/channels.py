"""The table of review channels (docs/protocol.md#9-review-and-landing).

The first row that fits is used; each channel has a module of its own. Fails closed: if nobody can be asked
and there is no fallback, the change is rejected.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple, Protocol

from agentfs_lsp.adapters.review.appliers import PlainApplier
from agentfs_lsp.adapters.review.message import MessageReviews
from agentfs_lsp.adapters.review.preview import PreviewReviews, is_previewable
from agentfs_lsp.adapters.review.questions import Unanswered
from agentfs_lsp.adapters.review.reading import ask_to_read
from agentfs_lsp.domain.errors import NobodyToAsk

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from agentfs_lsp.adapters.review.client import ClientReviews
    from agentfs_lsp.adapters.review.diff_file import DiffFiles
    from agentfs_lsp.adapters.review.questions import Screen
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.service.files.store import Clock
    from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung
    from agentfs_lsp.service.proposal.review import Applier, Editor, EditorTraits


class Channel(NamedTuple):
    """A way of asking. `is_able`: whether this editor supports it with these settings; `shows`: whether it
    shows this proposal safely. `lists`: the client lists all pending proposals, so none waits for the screen.
    `otherwise`: the fallback if the editor answers with an error."""

    name: Rung
    is_able: Callable[[EditorTraits, Settings], bool]
    shows: Callable[[Proposal], bool]
    lists: bool
    otherwise: Rung | None


CHANNELS = (
    Channel("review", lambda editor, _: editor.review, lambda _: True, lists=True, otherwise=None),
    Channel(
        "preview",
        lambda editor, settings: editor.preview and settings.preview.enabled,
        is_previewable,
        lists=False,
        otherwise="message",
    ),
    Channel("message", lambda *_: True, lambda _: True, lists=False, otherwise=None),
)
"""The channels in order of preference; the last always fits."""

_BY_NAME = {channel.name: channel for channel in CHANNELS}


class Asks(Protocol):
    """A review channel."""

    async def review(self, proposal: Proposal, timeout_s: float | None) -> tuple[Decision, Applier]:
        """Show the proposal and wait; `timeout_s` None means no limit. Raises Rejected, ReviewTimedOut,
        NobodyToAsk, Conflict, and Unanswered if others wait for the screen."""


class ReviewChannels:
    """The reviewer: it shows one preview or message at a time, in the order of arrival."""

    def __init__(
        self,
        editor: Editor,
        clock: Clock,
        settings: Callable[[], Settings],
        translate: Callable[[], Translate],
        client_reviews: ClientReviews,
        diff_files: DiffFiles,
        screen: Screen,
        check_unmoved: Callable[[Proposal], Awaitable[None]],
    ) -> None:
        """`check_unmoved` raises Conflict if one of the proposal's files has changed."""
        self._editor = editor
        self._clock = clock
        self._settings = settings
        self._translate = translate
        self._client_reviews = client_reviews
        self._screen = screen
        self._asks: dict[Rung, Asks] = {
            "review": client_reviews,
            "preview": PreviewReviews(editor, translate, check_unmoved),
            "message": MessageReviews(editor, screen, clock, settings, translate, diff_files),
        }

    def channel_for(self, proposal: Proposal | None) -> Rung:
        """The channel that would ask; without a proposal, for a change that every channel can show."""
        traits, settings = self._editor.traits, self._settings()
        return next(
            channel.name
            for channel in CHANNELS
            if channel.is_able(traits, settings) and (proposal is None or channel.shows(proposal))
        )

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Ask through the first channel that fits. Raises Rejected, ReviewTimedOut, NobodyToAsk, Conflict."""
        channel = _BY_NAME[self.channel_for(proposal)]
        limit = self._settings().approval.seconds(review_client=channel.lists)
        while True:
            async with nullcontext() if channel.lists else self._screen.turn():
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
            return await self._asks[channel.name].review(proposal, limit)
        except NobodyToAsk:
            if channel.otherwise is None:
                raise
        proposal.wait_for(channel.otherwise)
        return await self._review_by(_BY_NAME[channel.otherwise], proposal, limit)

    async def concluded(self, proposal: Proposal) -> None:
        """Only a review client sends messages about a proposal."""
        await self._client_reviews.concluded(proposal)

    async def allow_read(self, path: str, agent: str) -> bool:
        """Ask whether a protected file may be read once."""
        lists = _BY_NAME[self.channel_for(None)].lists
        limit = self._settings().approval.seconds(review_client=lists)
        asking = (self._editor, self._screen, self._clock, self._translate)
        return await ask_to_read(path, agent, *asking, limit, lists=lists)

    def let_through(self) -> Applier:
        """The applier for changes that policy allows."""
        return PlainApplier(self._editor, "agentfs")
