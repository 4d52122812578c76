"""The `preview` rung: VS Code's Refactor Preview asks and applies (docs/protocol.md#9-review-and-landing).

There is one annotation per change and one edit per hunk. The client's answer is verified:
`service/landing/landing.py` checks the buffer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.appliers import PreviewedApplier
from agentfs_lsp.domain.errors import NobodyToAsk, Rejected, ReviewTimedOut
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.service.landing.observing import edit_of
from agentfs_lsp.service.proposal.proposal import Decision
from agentfs_lsp.service.proposal.review import Confirm
from agentfs_lsp.service.proposal.wording import in_one_line, title_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.proposal.proposal import Proposal
    from agentfs_lsp.service.proposal.review import Applier, Editor


def is_previewable(proposal: Proposal) -> bool:
    """Whether the editor would show and apply the changes without harm: each file exists, is UTF-8, and its
    line ends are uniform, which the editor would make them. Never for a session that may not read what it
    changes: the answer names the rung, and would tell it of the text."""
    return not proposal.blind and all(map(_is_harmless, proposal.changes))


def _is_harmless(change: FileChange) -> bool:
    text = change.base.text
    plain = text.encoding == "utf-8" and not text.lossy and eol_of(text.text) != "mixed"
    return change.operation == "update" and plain


class PreviewReviews:
    """Reviews changes in the editor's own preview."""

    def __init__(
        self,
        editor: Editor,
        translate: Callable[[], Translate],
        check_unmoved: Callable[[Proposal], Awaitable[None]],
    ) -> None:
        self._editor = editor
        self._translate = translate
        self._check_unmoved = check_unmoved

    async def review(self, proposal: Proposal, timeout_s: float | None) -> tuple[Decision, Applier]:
        """Show the preview and wait. `timeout_s` None waits for ever. Raises Rejected, ReviewTimedOut,
        NobodyToAsk when the editor answers with an error, which is no answer of the user's, and Conflict when
        a file has moved while others had the screen: in a file that is not open, which has no version, the
        editor would show and make the edits at the lines of the old text."""
        await self._check_unmoved(proposal)
        title = title_of(proposal, self._translate())
        confirm = Confirm(proposal.id, title, in_one_line(proposal.explanation))
        proposal.to("shown")
        edits = [edit_of(change) for change in proposal.changes]
        try:
            async with asyncio.timeout(timeout_s):
                applied = await self._editor.apply(edits, label=title, confirm=confirm)
        except TimeoutError:
            raise ReviewTimedOut(timeout_s or 0) from None
        if applied.failed:
            raise NobodyToAsk("failed", applied.reason)
        if not applied.applied:
            raise Rejected("rejected" if applied.known else "dismissed")
        return Decision("preview", "accepted", "user"), PreviewedApplier(self._editor, title)
