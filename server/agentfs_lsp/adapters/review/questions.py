"""Schedules questions, so that only a user who saw a question answers it
(docs/protocol.md#92-the-message-rung).

Questions are asked one at a time, in order. None is asked while the user types, because the keys would
answer it. A question that the editor has lost does not delay the others for long.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from secrets import choice, randbelow

from agentfs_lsp.adapters.review.message_limits import MessageLimits, limits_of
from agentfs_lsp.adapters.review.paging import paged
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.text.width import width_of
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.files.store import Clock
from agentfs_lsp.service.proposal.review import Editor

MAX_PAGES = 40

QUIET_S = 1.0
"""Seconds without a change of any document before a question is asked."""

LONGEST_QUIET_WAIT_S = 4.0
"""The maximum delay of a question while documents keep changing, in seconds."""

DRAWING_S = 0.4
"""Seconds between the diff being shown and the question. Some editors draw only when idle, and a question
keeps them busy; Neovim needed 0.05 s. The rest allows for the news that the user has started typing, which
Neovim delays by 0.15 s."""

READING_S = 1.5
"""Seconds that reading a question takes at least. In editors where keys answer it, an earlier approval was
meant for something else."""

MAX_HASTY = 3
"""After this number of consecutive early answers, the question counts as rejected."""

REPEAT_S = 30.0
"""Seconds without an answer after which an editor that loses questions is asked once more; after the same
time again, other questions go first."""

YIELD_S = 120.0
"""Seconds without an answer after which other questions go first in all other editors, except where a
withdrawn question would stay on the screen."""

BUSY_S = 3.0
"""Seconds after which an editor that was busy with another question is asked again."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
"""Seconds without a question after one that was withdrawn. They double with each that follows within
`FORGIVEN_S`: an agent that proposes and cancels in a loop must not fill the screen with windows."""

FORGIVEN_S = 60.0
"""Seconds without a withdrawn question after which the pauses are short again."""

LETTERS = "abcdefgh"
"""The choices on the measuring page. No numbers: those may choose by position."""


class Unanswered(Exception):
    """The question was not answered while others wait, so it moves to the end of the queue."""


@dataclass(frozen=True, slots=True)
class Question:
    """`lines` are shown in full, over at most `most_pages` pages, each ending with `last_line`. The button
    titles: `no`, and those that approve in one way or another. `is_beside`: the subject is shown in a window
    of its own, which scrolls, and at its end stands the `letter` that confirms an approval, if there is one.
    `was_not_shown`: it is not, although the editor has such windows."""

    lines: Sequence[str]
    last_line: str
    no: str
    yes: Sequence[str]
    most_pages: int = MAX_PAGES
    is_beside: bool = False
    letter: str = ""
    was_not_shown: bool = False


def left_of(timeout_s: float | None, since_ms: float, now_ms: float) -> float | None:
    """The remaining time in seconds; None for no limit."""
    return None if timeout_s is None else timeout_s - (now_ms - since_ms) / 1000


class Screen:
    """The user's attention: questions take turns."""

    def __init__(self, editor: Editor, clock: Clock, typed_at_ms: Callable[[], float | None]) -> None:
        self._editor = editor
        self._clock = clock
        self._typed_at_ms = typed_at_ms
        self._lock = asyncio.Lock()
        self._queued = 0
        self._withdrawn_ms: float | None = None
        self._pause_s = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Acquire the screen, in the order of arrival."""
        self._queued += 1
        try:
            await self._lock.acquire()
        finally:
            self._queued -= 1
        try:
            if limits_of(self._editor.traits).keeps_withdrawn:
                await self._withdrawn_answered()
            yield
        finally:
            self._lock.release()

    async def _withdrawn_answered(self) -> None:
        """Wait a limited time until no withdrawn question is left on the screen."""
        waiting = {
            asyncio.ensure_future(self._editor.withdrawn_answered()),
            asyncio.ensure_future(self._clock.sleep(YIELD_S)),
        }
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()

    async def may_show(self) -> bool:
        """Wait until something may be shown for the next question: as `is_quiet`, but not soon after one that
        was withdrawn."""
        if self._withdrawn_ms is not None:
            over_ms = self._withdrawn_ms + self._pause_s * 1000
            await self._clock.sleep(max(0.0, over_ms - self._clock.now_ms()) / 1000)
        return await self.is_quiet()

    def withdrawn(self) -> None:
        """What was shown for a question, and perhaps the question itself, was for nothing."""
        now_ms = self._clock.now_ms()
        is_first = self._withdrawn_ms is None or now_ms - self._withdrawn_ms >= FORGIVEN_S * 1000
        self._pause_s = FIRST_PAUSE_S if is_first else min(2 * self._pause_s, LONGEST_PAUSE_S)
        self._withdrawn_ms = now_ms

    async def is_quiet(self) -> bool:
        """Wait a limited time for the user to stop typing; returns whether the user has stopped."""
        give_up_ms = self._clock.now_ms() + LONGEST_QUIET_WAIT_S * 1000
        while (typed_ms := self._typed_at_ms()) is not None:
            now_ms, quiet_ms = self._clock.now_ms(), typed_ms + QUIET_S * 1000
            if quiet_ms <= now_ms:
                return True
            if give_up_ms <= now_ms:
                return False
            await self._clock.sleep((min(quiet_ms, give_up_ms) - now_ms) / 1000)
        return True

    async def ask(self, question: Question, translate: Translate, *, quiet: bool) -> str | None:
        """The title chosen, or None. Only the last page can approve, and where numbers choose, another page
        confirms it. While the user types (`quiet` is false), no single answer approves. Raises NobodyToAsk,
        and Unanswered if other questions wait and this one gets no answer."""
        with self._editor.question():
            return await self._ask(question, translate, quiet=quiet)

    async def _ask(self, question: Question, translate: Translate, *, quiet: bool) -> str | None:
        traits, limits = self._editor.traits, limits_of(self._editor.traits)
        most_pages = 1 if traits.first_action_only else question.most_pages
        pages = list(islice(paged(question.lines, question.last_line, limits), most_pages + 1))
        if len(pages) > most_pages:
            raise NobodyToAsk("too_long")
        hides = (limits.shows_end and not question.is_beside) or (
            limits.errors_hide and question.was_not_shown
        )
        hides = hides and bool(question.lines)
        if hides:
            below = [translate("Choose it to go on.")]
            below.append(translate("If you don't see it, make the window larger."))
            is_seen, no = await self._measure(question, below, translate)
            if not is_seen:
                return no
            await self.is_quiet()
        confirms = hides or bool(question.letter or limits.confirming_choices)
        if len(pages) == 1 and not quiet and not confirms:
            pages.insert(0, question.last_line)
        for number, page in enumerate(pages[:-1], start=1):
            onward = translate("Next ({next}/{pages})", next=number + 1, pages=len(pages))
            answer = await self._read_answer(page, (question.no, onward), question.no)
            if answer != onward:
                return answer
            await self.is_quiet()
        first, *others = question.yes
        in_order = (first, question.no) if traits.first_action_only else (question.no, first)
        answer = await self._read_answer(pages[-1], (*in_order, *others), question.no)
        if answer is None or answer not in question.yes or not confirms:
            return answer
        await self.is_quiet()
        if hides:  # the window may have become smaller since
            below = [translate("Choose it to confirm “{answer}”.", answer=answer)]
            below.append(translate("If you could not see all of it, choose “{no}”.", no=question.no))
            is_seen, no = await self._measure(question, below, translate)
            return answer if is_seen else no
        if question.letter:
            rows = [translate("The end of the diff names a letter.")]
            rows += [translate("Choose it to confirm “{answer}”.", answer=answer), question.last_line]
            is_seen, no = await self._read_letter("\n".join(rows), question.letter, question)
            return answer if is_seen else no
        message = translate("Choose “{answer}” again to confirm.", answer=answer) + f"\n{question.last_line}"
        if traits.first_action_only:
            actions = [answer, question.no]
        else:  # neither of the first two: someone typing elsewhere may type the same number twice
            actions = [question.no] * limits.confirming_choices
            actions[2 + randbelow(len(actions) - 2)] = answer
        confirmed = await self._read_answer(message, actions, question.no)
        return confirmed if confirmed == answer else None

    async def _measure(
        self, question: Question, below: Sequence[str], translate: Translate
    ) -> tuple[bool, str | None]:
        """Whether the user sees pages completely; if not, whether the answer is no."""
        letter = choice(LETTERS[1:])  # not the second choice, whose number may be typed twice
        message = _measuring(letter, below, question.last_line, limits_of(self._editor.traits), translate)
        return await self._read_letter(message, letter, question)

    async def _read_letter(self, message: str, letter: str, question: Question) -> tuple[bool, str | None]:
        """Whether the answer is this letter; if not, whether it is no."""
        answer = await self._read_answer(message, (question.no, *LETTERS), question.no)
        return answer == letter, (answer if answer == question.no else None)

    async def _read_answer(self, message: str, actions: Sequence[str], no: str) -> str | None:
        """The answer of a user who has had time to read the message. Keys meant for a terminal, a command
        line or another buffer answer it too, without the server knowing."""
        keys_answer = limits_of(self._editor.traits).keys_answer
        for _ in range(MAX_HASTY):
            answer, took_ms = await self._answer(message, actions, no)
            if answer is None or took_ms >= READING_S * 1000 or not keys_answer:
                return answer
            if answer == no:
                return None
            await self._quiet_after(QUIET_S)  # the next keys go where they were meant to, and may be reported
        return None

    async def _answer(self, message: str, actions: Sequence[str], no: str) -> tuple[str | None, float]:
        """The first answer to the message, and the milliseconds it took. The message may have to be sent
        repeatedly; of several answers that arrive together, a no counts."""
        limits = limits_of(self._editor.traits)
        repeats = loses = limits.loses_questions
        give_way_ms = self._clock.now_ms() + 2 * REPEAT_S * 1000
        asked = [self._sent(message, actions)]
        try:
            while True:
                wait = self._quiet_after if repeats else self._clock.sleep
                over = asyncio.ensure_future(wait(REPEAT_S if loses else YIELD_S))
                try:
                    await asyncio.wait({*asked, over}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    over.cancel()
                answered = [task for task in asked if task.done()]
                asked = [task for task in asked if task not in answered]
                if answers := [answer for task in answered if (answer := task.result()) is not None]:
                    return next((one for one in answers if one[0] in (no, None)), answers[0])
                if answered:
                    if not asked:
                        if self._queued and self._clock.now_ms() >= give_way_ms:
                            raise Unanswered
                        await self._quiet_after(BUSY_S)
                        asked.append(self._sent(message, actions))
                    repeats = True  # the editor may be busy with this very question, so it isn't lost
                elif repeats:
                    over.result()
                    repeats = False
                    asked.append(self._sent(message, actions))
                elif self._queued and not limits.keeps_withdrawn:
                    raise Unanswered
        finally:
            for task in asked:
                task.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    async def _quiet_after(self, seconds: float) -> None:
        """Wait that long, and then for the user to stop typing, however long that takes: the same question
        is about to come up again, and a single answer may approve. Raises Unanswered if others wait."""
        await self._clock.sleep(seconds)
        give_way_ms = self._clock.now_ms() + REPEAT_S * 1000
        while not await self.is_quiet():
            if self._queued and self._clock.now_ms() >= give_way_ms:
                raise Unanswered

    def _sent(self, message: str, actions: Sequence[str]) -> asyncio.Task[tuple[str | None, float] | None]:
        """As `_answer`, for one copy; None if the editor was busy, and will ask another time."""

        async def timed() -> tuple[str | None, float] | None:
            sent_ms = self._clock.now_ms()
            try:
                answer = await self._editor.ask(message, actions)
            except NobodyToAsk as error:
                loses = limits_of(self._editor.traits).loses_questions
                if error.reason == "occupied" or (error.reason == "busy" and loses):
                    return None
                raise
            return answer, self._clock.now_ms() - sent_ms

        return asyncio.ensure_future(timed())


def _measuring(
    letter: str, below: Sequence[str], last_line: str, limits: MessageLimits, translate: Translate
) -> str:
    """A page of maximum size that only a user who sees its first row can get past. No editor reports the size
    of its window. `below`: its last two rows but for `last_line`."""
    height, columns = limits.rows, limits.columns
    if limits.errors_hide:  # Neovim lists the choices below, a row each, and adds a row to one that is full
        height, columns = height - len(LETTERS) + 2, columns - 1
    rows = [translate("The letter is {letter}.", letter=letter), *[""] * (height - 4), *below]
    left = [columns - width_of(row) for row in rows]
    left[0] -= limits.prefix
    return "\n".join([*(row + " " * more for row, more in zip(rows, left, strict=True)), last_line])
