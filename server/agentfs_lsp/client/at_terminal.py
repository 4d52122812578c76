"""Asks about a proposal at the terminal: `reviews.terminal`."""

from __future__ import annotations

import os
import select
import termios
from typing import Final, TextIO

from rich.text import Text

from agentfs_lsp.adapters.catalog import terminal_locale, translator_for
from agentfs_lsp.adapters.terminal.console import TerminalConsole
from agentfs_lsp.adapters.terminal.diffview import render_diff, wrapped
from agentfs_lsp.adapters.terminal.visible import terminal_encoding, visible
from agentfs_lsp.client.reviews import Accept, Decision, Reject, Review
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.unified import whole

TTY: Final = "/dev/tty"

_LOOK_S: Final = 0.2
"""Seconds between two looks at whether the proposal has ended meanwhile."""


def ask(review: Review, note: str = "") -> Decision:
    """Show the proposal, and below it the note, and wait for the person's answer. Raises OSError if there is
    no terminal."""
    translate = translator_for(terminal_locale())
    encoding = terminal_encoding()
    with open(TTY, "rb", buffering=0) as keys, open(TTY, "w", encoding=encoding, errors="replace") as screen:
        _show(review, screen)
        if note:
            screen.write(f"{note}\n")
        # What was typed before the question can't be meant as its answer.
        termios.tcflush(keys, termios.TCIFLUSH)
        screen.write(translate("Apply this change? [y]es, [N]o, or type a reason:") + " ")
        screen.flush()
        while not select.select([keys], [], [], _LOOK_S)[0]:
            if review.ended.is_set():
                screen.write("\n" + translate("This change is no longer waiting for you.") + "\n")
                return Reject()
        typed = os.read(keys.fileno(), 1 << 16).decode("utf-8", "replace")
        if not typed.endswith("\n"):  # the end of input
            screen.write("\n")
            return Reject()
    match typed.strip():
        case "y" | "Y" | "yes":
            return Accept()
        case "" | "n" | "N" | "no":
            return Reject()
        case reason:
            return Reject(reason)


def _show(review: Review, screen: TextIO) -> None:
    console = TerminalConsole(file=screen, highlight=False, markup=False, soft_wrap=True)

    def put(text: Text, margin: int = 0) -> None:
        for row in wrapped(text, console, " " * (margin + 2)):
            console.print(row)

    put(Text(visible(review.title), "bold"))
    for told in (review.agent, review.explanation, review.problem):
        if told:
            put(Text(f"  {visible(told)}", "italic"))
    for file in review.files:
        put(Text(f"{file.operation} {visible(file.path)}", "bold"))
        hunks = diff(file.before, file.after)
        for line in render_diff(whole(file.before, hunks, file.path, operation=file.operation)):
            put(line.text, line.margin)
        for warning in file.warnings:
            put(Text(visible(f"  line {warning['line']}: {warning['kind']}: {warning['detail']}"), "red"))
