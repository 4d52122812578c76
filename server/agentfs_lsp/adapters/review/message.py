"""The `message` rung: a question with buttons, with the diff in it or beside it
(docs/protocol.md#92-the-message-rung).

Only the exact title of an approving button approves.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from secrets import choice

from agentfs_lsp.adapters.review.appliers import PlainApplier
from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.diff_file import DiffFile
from agentfs_lsp.adapters.review.message_limits import MessageLimits, limits_of
from agentfs_lsp.adapters.review.paging import last_line_for, paged
from agentfs_lsp.adapters.review.questions import DRAWING_S, LETTERS, MAX_PAGES, Question, left_of
from agentfs_lsp.domain.errors import Conflict, NobodyToAsk, Rejected, ReviewTimedOut
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.domain.text.escaping import escape_invisible, escape_links
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.proposal import Decision, Proposal
from agentfs_lsp.service.proposal.review import Applier
from agentfs_lsp.service.proposal.wording import full_preview_of, last_line_of, reasons_of, title_of

AS_MANY_AS_IT_TAKES = 1_000_000
"""The maximum number of pages if the length is limited otherwise."""

ROOMY_ROWS = 10
"""A message of fewer rows does not begin with its last line."""


async def review_by_message(
    asking: Asking, proposal: Proposal, timeout_s: float | None
) -> tuple[Decision, Applier]:
    """Show the diff, next to the message as a file if possible, and ask, once the user does not type: opening
    a file changes what is on the screen. `timeout_s` counts from the
    first time this was asked; None means no limit. Raises Rejected, ReviewTimedOut, NobodyToAsk,
    Unanswered, and Conflict if a file moved before the question, or the diff file was tampered with."""
    quiet = await asking.screen.may_show()
    try:
        return await _shown_and_asked(asking, proposal, timeout_s, quiet=quiet)
    except asyncio.CancelledError:
        asking.screen.withdrawn()
        raise


async def _shown_and_asked(
    asking: Asking, proposal: Proposal, timeout_s: float | None, *, quiet: bool
) -> tuple[Decision, Applier]:
    """As `review_by_message`; `quiet`: whether the user does not type."""
    editor, screen, translate = asking.editor, asking.screen, asking.translate()
    show_s = asking.settings().landing_timeout_s
    limits = limits_of(editor.traits)
    letter = choice(LETTERS) if limits.ends_with_letter else ""
    end = translate("The letter is {letter}.", letter=letter) + "\n" if letter else ""
    async with asking.diff_files.shown_for(editor, proposal, show_s, end) as diff_file:
        if diff_file is not None:
            await asking.clock.sleep(DRAWING_S)
        beside = diff_file is not None and limits.scrolls_behind
        most_pages = MAX_PAGES
        if proposal.blind and any(change.base.exists for change in proposal.changes) and not beside:
            # Asking only about diffs of some length would reveal text of a file the session may not read:
            # the more of it the session guessed, the shorter the diff.
            first_only = editor.traits.first_action_only
            if first_only or not await asyncio.to_thread(_each_fits, proposal, limits):
                raise NobodyToAsk("too_long")
            most_pages = AS_MANY_AS_IT_TAKES
        diff = await asyncio.to_thread(_pageable, proposal, limits, most_pages)
        quiet = quiet and await screen.is_quiet()
        await asking.check_unmoved(proposal)
        now_ms = asking.clock.now_ms()
        proposal.to("shown")
        always = translate("Always for this session")
        lines, last_line = _words(translate, proposal, diff, diff_file, limits)
        approve, reject = translate("Approve"), translate("Reject")
        question = Question(
            lines,
            last_line,
            reject,
            (approve, always),
            most_pages,
            is_beside=beside,
            letter=letter if beside else "",
            was_not_shown=editor.traits.show_document and diff_file is None,
        )
        try:
            async with asyncio.timeout(left_of(timeout_s, proposal.reached_ms("shown"), now_ms)):
                answer = await screen.ask(question, translate, quiet=quiet)
        except TimeoutError:
            raise ReviewTimedOut(timeout_s or 0) from None
        if answer not in question.yes:
            raise Rejected(
                "rejected" if answer == question.no else "dismissed", surely_meant=not limits.keys_answer
            )
        if diff_file is not None and not await asyncio.to_thread(diff_file.is_intact):
            raise Conflict(diff_file.name, "disk", "diff_changed")
    decision = Decision("message", "accepted", "user", always=answer == always)
    return decision, PlainApplier(editor, title_of(proposal, translate))


def _each_fits(proposal: Proposal, limits: MessageLimits) -> bool:
    """Whether the texts before and after would each fit into half of each page, so that no diff between them
    is much too long. Run it on a thread."""
    half = replace(limits, rows=limits.rows // 2, characters=limits.characters // 2)
    most = (MAX_PAGES + 1) * half.characters
    texts = [text for change in proposal.changes for text in (change.base.text.shown, change.shown)]
    sides = [escape_invisible(normalize(text[: 2 * most]).strip(f"{MARK}\n")[:most]) for text in texts]
    return all(_pages(f"+{escape_links(side)}".replace("\n", "\n+"), half) <= MAX_PAGES for side in sides)


def _pages(text: str, limits: MessageLimits) -> int:
    """The number of pages, or one more than allowed."""
    return sum(1 for _ in islice(paged(text.split("\n"), "", limits), MAX_PAGES + 1))


def _pageable(proposal: Proposal, limits: MessageLimits, most_pages: int) -> list[str]:
    """The lines of the diff as sent; if they can't be paged, enough of them to show that. Computes the whole
    diff, so run it on a thread."""
    most = (most_pages + 1) * limits.characters
    return escape_links(full_preview_of(proposal)[:most]).removesuffix("\n").split("\n")


def _words(
    translate: Translate,
    proposal: Proposal,
    diff: Sequence[str],
    diff_file: DiffFile | None,
    limits: MessageLimits,
) -> tuple[list[str], str]:
    """The lines of the question, and its last line. They include the diff, unless that is long and shown as a
    file that can be scrolled while the question is open."""
    last_line = last_line_for(last_line_of(proposal, translate, limits.last_line_columns), limits)
    title = title_of(proposal, translate)
    head = [f"agentfs: {title}"] if limits.rows >= ROOMY_ROWS or title not in last_line else []
    head += reasons_of(proposal, translate)
    if diff_file is None:
        return [*head, *diff], last_line
    head.append(translate("The whole diff is shown in {file}.", file=diff_file.name))
    lines = [*head, *diff]
    if limits.scrolls_behind and (limits.joins_lines or _is_long(lines, last_line, limits)):
        lines = head
    return lines, last_line


def _is_long(lines: Sequence[str], last_line: str, limits: MessageLimits) -> bool:
    return len(list(islice(paged(lines, last_line, limits), 2))) > 1
