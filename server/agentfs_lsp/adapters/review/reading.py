"""Asks whether a protected file may be read once (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext

from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.adapters.review.paging import last_line_for, says
from agentfs_lsp.adapters.review.questions import Question, Unanswered, left_of
from agentfs_lsp.domain.errors import NobodyToAsk, ReviewTimedOut
from agentfs_lsp.domain.text.escaping import escape_to_one_line
from agentfs_lsp.domain.text.width import shortened, width_of
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.review import Editor


async def ask_to_read(
    asking: Asking, path: str, agent: str, asked: Callable[[], object], *, lists: bool
) -> bool:
    """Whether the user allows it; the time limit counts from the first time this was `asked`. `lists`: the
    client lists questions, so none waits for another. Raises NobodyToAsk, ReviewTimedOut."""
    screen, clock = asking.screen, asking.clock
    timeout_s = asking.settings().approval.seconds(review_client=lists)
    asked_at_ms: float | None = None
    while True:
        async with nullcontext() if lists else screen.turn():
            quiet = lists or await screen.is_quiet()
            translate = asking.translate()
            question = _question(path, agent, asking.editor, translate)
            now_ms = clock.now_ms()
            asked_at_ms = asked_at_ms or now_ms
            asked()
            try:
                async with asyncio.timeout(left_of(timeout_s, asked_at_ms, now_ms)):
                    return await screen.ask(question, translate, quiet=quiet) in question.yes
            except Unanswered:
                continue
            except TimeoutError:
                raise ReviewTimedOut(timeout_s or 0) from None
            except NobodyToAsk as error:
                raise NobodyToAsk("reading", error.detail) from error


def _question(path: str, agent: str, editor: Editor, translate: Translate) -> Question:
    """Shows the path in full, however long; the agent's name in the last line leaves room for the end of the
    path."""
    limits = limits_of(editor.traits)
    columns = limits.last_line_columns
    shown = escape_to_one_line(path)
    asker = shortened(escape_to_one_line(agent or translate("An agent")), columns // 3)

    def line(path: str) -> str:
        return translate("agentfs: {agent} asks to read '{path}'.", agent=asker, path=path)

    last_line = last_line_for(line(shortened(shown, columns - width_of(line("")))), limits)
    lines = [] if says(last_line, shown, limits) else [shown]
    return Question(lines, last_line, translate("Deny"), (translate("Allow once"),))
