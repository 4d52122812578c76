"""Asks the user in the editor whether a reviewer in a program of its own may decide
(docs/protocol.md#18-the-reviewers-socket)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final, Literal

from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.adapters.review.paging import last_line_for
from agentfs_lsp.adapters.review.questions import Question, Unanswered
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.translation import Translate

VALID_S: Final = 300.0
"""Seconds for which a code is valid, with the time that other questions take before it is shown."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 5.0, 600.0
"""Seconds after a turn without a yes in which there is none. They double with each: whoever can connect must
neither fill the screen with questions until the user presses the wrong button, nor look for a code that fits.
"""


@dataclass(frozen=True, slots=True)
class Pairing:
    """The user's answer. `reason`: why not, for the person at the terminal; empty after a yes."""

    outcome: Literal["ALLOWED", "DENIED", "BUSY", "TOO_SOON", "TIMEOUT", "NOBODY"]
    reason: str = ""

    @property
    def is_allowed(self) -> bool:
        return self.outcome == "ALLOWED"


class Pairings:
    """Asks the user in the editor about the reviewer whose turn it is. All but the one answer is a no."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._turn: Turn | None = None
        self._pause_s = 0.0
        self._next_ms = 0.0

    def begin(self) -> Turn:
        """The turn of a reviewer that is about to get the server's nonce."""
        turn = Turn(self, self._refusal())
        if turn.refusal is None:
            self._turn = turn
        return turn

    def end(self, turn: Turn, *, is_allowed: bool) -> None:
        """The next one's turn can come: after a pause, unless the user has allowed this one."""
        if turn is self._turn:
            self._turn = None
            self._pause_s = 0 if is_allowed else min(max(2 * self._pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
            self._next_ms = self._asking.clock.now_ms() + self._pause_s * 1000

    def _refusal(self) -> Pairing | None:
        translate = self._asking.translate()
        if self._turn is not None:
            return Pairing(
                "BUSY", translate("The editor is asking about another reviewer. Answer there first.")
            )
        left_s = (self._next_ms - self._asking.clock.now_ms()) / 1000
        if left_s > 0:
            told = translate(
                "A reviewer was not allowed a moment ago. Try again in {seconds} s.", seconds=int(left_s) + 1
            )
            return Pairing("TOO_SOON", told)
        return None

    async def ask(self, turn: Turn, code: str, allowed: Callable[[], None]) -> Pairing:
        """Ask, in its turn, whether the reviewer that shows this code may decide, and end the turn. `allowed`
        is called after a yes, before anything else is asked."""
        if turn is not self._turn:
            return turn.refusal or Pairing("DENIED")
        translate, is_allowed = self._asking.translate(), False
        try:
            async with asyncio.timeout(VALID_S):
                is_allowed = await self._answer(code, allowed)
            if is_allowed:
                return Pairing("ALLOWED")
            return Pairing("DENIED", translate("This reviewer was not allowed in the editor."))
        except TimeoutError:
            return Pairing("TIMEOUT", translate("Nobody answered in the editor, and the code has expired."))
        except NobodyToAsk:
            return Pairing("NOBODY", translate("The editor cannot ask whether this reviewer may decide."))
        finally:
            self.end(turn, is_allowed=is_allowed)

    async def _answer(self, code: str, allowed: Callable[[], None]) -> bool:
        """Whether the user chose the one answer that allows it. Raises NobodyToAsk."""
        screen, traits = self._asking.screen, self._asking.editor.traits
        while True:
            async with nullcontext() if traits.review else screen.turn():
                quiet = traits.review or await screen.is_quiet()
                translate = self._asking.translate()
                question = _question(code, self._asking, translate)
                try:
                    answer = await screen.ask(question, translate, quiet=quiet)
                except Unanswered:
                    continue
                if answer in question.yes:
                    allowed()
                return answer in question.yes


class Turn:
    """A reviewer's, from before it knows the server's nonce until the user has answered or it has gone: else
    it could come again and again, and ask only when its code fits. `refusal`: why it has none."""

    def __init__(self, pairings: Pairings, refusal: Pairing | None) -> None:
        self._pairings = pairings
        self.refusal = refusal

    async def ask(self, code: str, allowed: Callable[[], None]) -> Pairing:
        """Ask whether the reviewer that shows this code may decide; `allowed` is called after a yes, before
        anything else is asked."""
        return await self._pairings.ask(self, code, allowed)

    def end(self) -> None:
        """The reviewer has gone. Does nothing after the user's answer."""
        self._pairings.end(self, is_allowed=False)


def _question(code: str, asking: Asking, translate: Translate) -> Question:
    """Where only the end of a message is certain to be seen, the last line says all of it."""
    limits = limits_of(asking.editor.traits)
    explained = translate(
        "A reviewer in a terminal wants to decide on changes. It shows the code {code}. Allow it only if you "
        "started it and see this code.",
        code=code,
    )
    short = translate("agentfs: Allow the reviewer with the code {code}?", code=code)
    lines = [] if limits.shows_end else [explained]
    # Where it may be marked up, the last line must fit one row.
    last_line = short if lines or limits.marks_up else explained
    return Question(lines, last_line_for(last_line, limits), translate("Deny"), (translate("Allow"),))
