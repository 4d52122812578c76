"""The person at the terminal, who answers with single keys, text, and a text editor."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentfs_lsp.adapters.terminal.amending import NotEdited, edit
from agentfs_lsp.api.results import Proposal
from agentfs_lsp.demo.editor import ACCEPT, ALWAYS, Answer
from agentfs_lsp.demo.screen import GUTTER, Screen
from agentfs_lsp.domain.translation import Translate

END = "\x04"  # Ctrl-D, an ordinary key while single keys are read

_AT_ONCE_S = 0.05  # faster than anyone types
_MAX_AT_ONCE = 4096


class Person:
    """Asks at the terminal."""

    def __init__(self, screen: Screen, translate: Translate) -> None:
        self._screen = screen
        self._translate = translate

    def answer(self, proposal: Proposal, suggested: Answer) -> Answer | None:
        """The person's decision, None at the end of input. `suggested` is only a hint."""
        legend = self._translate("a accept   r reject   e edit   w always   Ctrl-D quit")
        while True:
            with single_keys() as next_key:
                self._screen.legend(legend, self._hint(suggested))
                key = next_key("arew")
            match key:
                case None:
                    return None
                case "a":
                    return ACCEPT
                case "w":
                    return ALWAYS
                case "r":
                    # What was typed before the question can't be meant as its answer.
                    termios.tcflush(sys.stdin, termios.TCIFLUSH)
                    try:
                        reason = input(" " * GUTTER + self._translate("Reason? (Enter: none)") + " ")
                    except EOFError:
                        return None
                    return Answer("rejected", reason.strip())
                case _ if (answer := self._amend(proposal)) is not None:
                    return answer

    def ends_always(self) -> bool | None:
        """Before an automatically allowed change: whether the person wants to be asked again, None at the end
        of input."""
        with single_keys() as next_key:
            self._screen.legend(self._translate("always is on   Enter continue   m ask me again"))
            key = next_key("\r\nm")
        return None if key is None else key == "m"

    def _amend(self, proposal: Proposal) -> Answer | None:
        """The person's version of the files, or None."""
        texts: list[tuple[str, str]] = []
        for file in proposal["files"]:
            if file["operation"] == "delete":
                continue
            text = self._edit(file["path"], file["proposed_text"])
            if text is None:
                return None
            if text != file["proposed_text"]:
                texts.append((file["uri"], text))
        if texts:
            return Answer("amended", texts=tuple(texts))
        self._screen.legend(self._translate("Nothing was changed. The proposal is the same as before."))
        return None

    def _edit(self, path: str, text: str) -> str | None:
        try:
            return edit(path, text, self._translate)
        except NotEdited as error:
            self._screen.legend(str(error))
            return None

    def _hint(self, suggested: Answer) -> str:
        if suggested.always:
            return self._translate("try w here")
        if suggested.decision == "rejected":
            return self._translate("try r here, with: {words}", words=suggested.feedback)
        return ""


@contextmanager
def single_keys() -> Iterator[Callable[[str], str | None]]:
    """Read single keys without echo. Yields a function that waits for one of the keys in its argument and
    returns it, or None at the end of input. Ignores pastes and special keys, which send several characters.

    Discards earlier input, which can't have been meant as an answer."""
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    tty.setcbreak(stdin, termios.TCSAFLUSH)
    try:
        yield lambda among: _next(stdin, among)
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def _next(stdin: int, among: str) -> str | None:
    while True:
        typed = _typed(stdin)
        if typed in ("", END):
            return None
        if len(typed) == 1 and typed in among:
            return typed


def _typed(stdin: int) -> str:
    """What arrives at once, in lower case: a key, a special key's sequence (`ESC [ A`), or a paste."""
    typed = os.read(stdin, _MAX_AT_ONCE)
    while typed and select.select([stdin], [], [], _AT_ONCE_S)[0]:
        more = os.read(stdin, _MAX_AT_ONCE)
        if not more:
            break
        typed += more
    return typed.decode("latin-1").lower()
