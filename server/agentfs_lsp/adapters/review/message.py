"""The `message` rung: a question with buttons, the diff in it or beside it
(docs/protocol.md#92-the-message-rung).

Only the exact title of an approving button approves.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.adapters.review.hands import PlainHand
from agentfs_lsp.adapters.review.wording import full_preview_of, reasons_of, title_of
from agentfs_lsp.domain.errors import Conflict, NobodyToAsk, Rejected, ReviewTimedOut
from agentfs_lsp.domain.shown import escape_links
from agentfs_lsp.service.proposals import Decision

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from agentfs_lsp.adapters.review.diff_file import DiffFile
    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.service.editor_ports import Editor, Hand
    from agentfs_lsp.service.ports import Clock
    from agentfs_lsp.service.proposals import Proposal

PAGE_LINES = 30
PAGE_CHARACTERS = 2400
MOST_PAGES = 20


@dataclass(frozen=True, slots=True)
class Buttons:
    """The titles, in the reader's language; an answer is one of them or no answer."""

    reject: str
    approve: str
    always: str

    def for_last_page(self, *, first_only: bool) -> tuple[str, ...]:
        """In the order shown. A client that can choose only the first gets Approve there."""
        if first_only:
            return (self.approve, self.reject, self.always)
        return (self.reject, self.approve, self.always)


async def review_by_message(
    editor: Editor,
    clock: Clock,
    say: Say,
    proposal: Proposal,
    timeout_s: float | None,
    showing: AbstractAsyncContextManager[DiffFile | None],
) -> tuple[Decision, Hand]:
    """Show the diff and ask. `timeout_s` None waits for ever; while `showing` lasts the diff is shown as a
    file. Raises Rejected, ReviewTimedOut, NobodyToAsk, and Conflict when that file was tampered with."""
    title = title_of(proposal, say)
    async with showing as diff_file:
        proposal.state, proposal.shown_at_ms = "shown", clock.now_ms()
        try:
            async with asyncio.timeout(timeout_s):
                always = await _asked(editor, say, proposal, diff_file)
        except TimeoutError:
            raise ReviewTimedOut(timeout_s or 0) from None
        if diff_file is not None and not await diff_file.is_intact():
            raise Conflict(diff_file.name, "disk", "reviewing")
    return Decision("message", "accepted", "user", always=always), PlainHand(editor, title)


async def _asked(editor: Editor, say: Say, proposal: Proposal, diff_file: DiffFile | None) -> bool:
    """Whether "always" was chosen, when anything was that approves. Raises Rejected otherwise."""
    buttons = Buttons(say("Reject"), say("Approve"), say("Always for this session"))
    pages = _pages(say, proposal, diff_file)
    first_only = editor.traits.first_action_only
    if len(pages) > (1 if first_only else MOST_PAGES):
        raise NobodyToAsk("too_long")
    for number, page in enumerate(pages[:-1], start=1):
        onward = say("Next ({next}/{pages})", next=number + 1, pages=len(pages))
        answer = await editor.ask(page, (buttons.reject, onward))
        if answer != onward:
            raise Rejected("rejected" if answer == buttons.reject else "dismissed")
    answer = await editor.ask(pages[-1], buttons.for_last_page(first_only=first_only))
    if answer not in (buttons.approve, buttons.always):
        raise Rejected("rejected" if answer == buttons.reject else "dismissed")
    return answer == buttons.always


def _pages(say: Say, proposal: Proposal, diff_file: DiffFile | None) -> list[str]:
    """What the messages say: the diff; where it is too long for one and shown as a file, where."""
    head = "\n".join(filter(None, (f"agentfs: {title_of(proposal, say)}", reasons_of(proposal, say))))
    pages = _paged(escape_links(full_preview_of(proposal)))  # as it will be sent, which is longer
    if diff_file is not None:
        beside = say("The whole diff is shown in {file}.", file=diff_file.name)
        pages = [f"{beside}\n{pages[0]}" if len(pages) == 1 else beside]
    return [f"{head}\n{page}" for page in pages]


def _paged(diff: str) -> list[str]:
    """The diff in pieces that a message holds; long lines are carried over, nothing is left out."""
    pages: list[str] = []
    page: list[str] = []
    room = PAGE_CHARACTERS
    for line in _short_enough(diff.removesuffix("\n").split("\n")):
        if page and (len(page) == PAGE_LINES or len(line) > room):
            pages.append("\n".join(page))
            page, room = [], PAGE_CHARACTERS
        page.append(line)
        room -= len(line) + 1
    pages.append("\n".join(page))
    return pages


def _short_enough(lines: list[str]) -> list[str]:
    return [
        line[at : at + PAGE_CHARACTERS]
        for line in lines
        for at in range(0, max(len(line), 1), PAGE_CHARACTERS)
    ]
