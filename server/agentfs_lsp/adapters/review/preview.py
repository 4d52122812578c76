"""The `preview` rung: VS Code's Refactor Preview asks and applies (docs/protocol.md#9-review-and-landing).

There is one annotation per change and one edit per hunk. The client's answer is verified:
`service/landing/landing.py` checks the buffer.
"""

from __future__ import annotations

import asyncio

from agentfs_lsp.adapters.review.appliers import PreviewedApplier
from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.domain.errors import LandingUnknown, NobodyToAsk, Rejected, ReviewTimedOut
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.service.landing.last_line_end import edit_of
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from agentfs_lsp.service.proposal.review import Applier, Confirm
from agentfs_lsp.service.proposal.wording import reasons_of, title_of


def is_previewable(proposal: Proposal) -> bool:
    """Whether the editor can safely show and apply the changes: each file exists, is UTF-8, and has only LF
    or only CRLF line ends (the editor would turn others into those), and there is nothing to warn about,
    because the preview has no place for it. Never if the session may not read the files: the answer names the
    channel, which would reveal something about the text."""
    return not proposal.blind and all(map(_is_harmless, proposal.changes))


def _is_harmless(change: FileChange) -> bool:
    text = change.base.text
    kept = not {eol_of(text.text), *(eol_of(hunk.text) for hunk in change.hunks)} & {"cr", "mixed"}
    is_kept = change.operation == "update" and text.encoding == "utf-8" and not text.lossy and kept
    return is_kept and not change.review_warnings


async def review_by_preview(
    asking: Asking, proposal: Proposal, timeout_s: float | None
) -> tuple[Decision, Applier]:
    """Show the preview and wait; `timeout_s` None means no limit. Raises Rejected, ReviewTimedOut,
    NobodyToAsk if the editor answers with an error, and Conflict if a file moved while another review had
    the screen: a closed file has no version, so the editor would apply the edits at the old text's lines.
    """
    await asking.check_unmoved(proposal)
    translate = asking.translate()
    title = title_of(proposal, translate)
    confirm = Confirm(proposal.id, title, " · ".join(reasons_of(proposal, translate)))
    proposal.to("shown")
    edits = [edit_of(change) for change in proposal.changes]
    try:
        async with asyncio.timeout(timeout_s):
            applied = await asking.editor.apply(edits, label=title, confirm=confirm)
    except TimeoutError:
        raise ReviewTimedOut(timeout_s or 0) from None
    if applied.is_lost:  # the user may have accepted it
        raise LandingUnknown(proposal.changes[0].path, "ended")
    if applied.failed:
        raise NobodyToAsk("failed", applied.reason)
    if not applied.applied:
        raise Rejected("rejected" if applied.known else "dismissed")
    return Decision("preview", "accepted", "user"), PreviewedApplier(asking.editor, title)
