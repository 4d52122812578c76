"""Asks about a proposal at the terminal: `reviews.terminal`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from rich.text import Text

from agentfs_lsp.adapters.catalog import terminal_locale, translator_for
from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.adapters.terminal.diffview import render_diff
from agentfs_lsp.adapters.terminal.question import NO, YES, Line, NoTurn, Question
from agentfs_lsp.adapters.terminal.visible import terminal_encoding, visible
from agentfs_lsp.client.reviews import Accept, Decision, Reject, Review
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole
from agentfs_lsp.sockets import discovery

TTY: Final = "/dev/tty"


def ask(review: Review, note: str = "") -> Decision:
    """Show the proposal, and below it the note, and wait for the person's answer. Raises OSError if there is
    no terminal."""
    translate = translator_for(terminal_locale())
    encoding = terminal_encoding()
    with open(TTY, "rb", buffering=0) as keys, open(TTY, "w", encoding=encoding, errors="replace") as screen:
        os.set_blocking(keys.fileno(), False)
        console = TerminalConsole(file=screen, highlight=False, markup=False, soft_wrap=True)
        prompt = translate("Apply this change? [y]es, [N]o, or type a reason:")
        lines = [*_lines(review), *([Line(Text(note))] if note else [])]
        question = Question(
            prompt, console, keys.fileno(), discovery.ensure_folder, translate, review.ended.is_set
        )
        try:
            typed = question.ask(lines) or ""
        except NoTurn as error:
            screen.write(f"{error}\n")
            return Reject(str(error))
    answer = typed.lower()
    if answer in YES:
        return Accept()
    return Reject("" if answer in NO else typed)


def _lines(review: Review) -> Iterator[Line]:
    yield Line(Text(visible(review.title), "bold"), "  ")
    for told in (review.agent, review.explanation, review.problem):
        if told:
            yield Line(Text(f"  {visible(told)}", "italic"), "  ")
    for file in review.files:
        yield Line(Text(f"{file.operation} {visible(file.path)}", "bold"), "  ")
        hunks = diff(file.before, file.after)
        for line in render_diff(whole(file.before, hunks, file.path, operation=file.operation)):
            yield Line(line.text, " " * (line.margin + 2))
        for warning in file.warnings:
            told = visible(f"  line {warning['line']}: {warning['kind']}: {warning['detail']}")
            yield Line(Text(told, "red"), "  ")
