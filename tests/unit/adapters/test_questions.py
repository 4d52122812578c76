"""When questions are asked, repeated, and postponed (docs/protocol.md#92-the-message-rung)."""

import asyncio
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

import pytest

from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.adapters.review.questions import YIELD_S, Question, Screen, Unanswered
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.review import Editor, EditorTraits


class ManualClock:
    """Advances when everyone sleeps."""

    def __init__(self) -> None:
        self.ms = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now_ms(self) -> float:
        return self.ms

    def date_ms(self) -> int:
        return int(self.ms)

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.ms + seconds * 1000, future))
        await future

    async def pass_until(self, ms: float) -> None:
        """Wake sleepers up to this time, in order."""
        while True:
            for _ in range(20):  # lets every runnable task run
                await asyncio.sleep(0)
            self._sleepers = [one for one in self._sleepers if not one[1].done()]
            due = min((one for one in self._sleepers if one[0] <= ms), key=lambda one: one[0], default=None)
            if due is None:
                self.ms = ms
                return
            self.ms = max(self.ms, due[0])
            due[1].set_result(None)


class AskedEditor:
    """Records what it is asked and when; the test answers."""

    def __init__(self, clock: ManualClock, name: str) -> None:
        self.traits = EditorTraits(name=name)
        self.asked: list[tuple[float, str, tuple[str, ...], asyncio.Future[str | None]]] = []
        self._clock = clock
        self.is_free = asyncio.Event()
        self.is_free.set()

    def question(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def withdrawn_answered(self) -> None:
        await self.is_free.wait()

    async def ask(self, message: str, actions: Sequence[str]) -> str | None:
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self.asked.append((self._clock.ms, message, tuple(actions), answer))
        return await answer

    @property
    def times(self) -> list[float]:
        return [at for at, *_ in self.asked]


class Desk:
    """A screen with an editor and a user."""

    def __init__(self, name: str) -> None:
        self.clock = ManualClock()
        self.editor = AskedEditor(self.clock, name)
        self.typed_ms: float | None = None
        self.screen = Screen(cast(Editor, self.editor), self.clock, lambda: self.typed_ms)

    def ask(
        self, lines: Sequence[str] = ("+x",), *, is_beside: bool = True, letter: str = ""
    ) -> asyncio.Task[str | None]:
        async def asked() -> str | None:
            async with self.screen.turn():
                quiet = await self.screen.is_quiet()
                question = Question(
                    lines, "agentfs: Edit a", "No", ("Yes", "Always"), is_beside=is_beside, letter=letter
                )
                return await self.screen.ask(question, translate, quiet=quiet)

        return asyncio.ensure_future(asked())

    def answer(self, number: int, choice: str) -> None:
        """Choose on that message."""
        self.editor.asked[number][3].set_result(choice)

    async def answer_at(self, ms: float, number: int, choice: str) -> None:
        """The same at this time."""
        await self.clock.pass_until(ms)
        self.answer(number, choice)

    async def confirm(self, answer: str) -> None:
        """Choose again on the confirmation page, after reading it."""
        await self.clock.pass_until(self.clock.ms)
        assert answer in self.editor.asked[-1][2][2:]
        await self.answer_at(self.clock.ms + 1500, -1, answer)

    async def type_until(self, ms: float) -> None:
        """A key every half second."""
        while self.clock.ms < ms:
            self.typed_ms = self.clock.ms
            await self.clock.pass_until(self.clock.ms + 500)


translate = cast(Translate, lambda template, plural="", **values: template.format(**values))


@pytest.fixture
def neovim() -> Desk:
    return Desk("Neovim")


@pytest.fixture
def emacs() -> Desk:
    return Desk("Eglot")


async def test_a_user_who_does_not_type_is_asked_at_once(neovim: Desk) -> None:
    answer = neovim.ask()
    await neovim.clock.pass_until(0)
    assert neovim.editor.times == [0]
    await neovim.answer_at(1500, 0, "Yes")
    await neovim.confirm("Yes")
    assert await answer == "Yes"


async def test_the_next_question_waits_until_a_withdrawn_one_has_left_the_screen(neovim: Desk) -> None:
    neovim.editor.is_free.clear()
    first, second = neovim.ask(), neovim.ask()
    await neovim.clock.pass_until(YIELD_S * 1000 - 1)
    assert neovim.editor.times == []
    neovim.editor.is_free.set()
    await neovim.clock.pass_until(neovim.clock.ms)
    assert len(neovim.editor.times) == 1
    neovim.editor.is_free.clear()
    first.cancel()
    await neovim.clock.pass_until(2 * YIELD_S * 1000)
    assert len(neovim.editor.times) == 2  # a limited time
    second.cancel()


async def test_a_yes_too_early_to_have_read_it_is_asked_for_again_where_keys_answer(neovim: Desk) -> None:
    answer = neovim.ask()
    await neovim.answer_at(1499, 0, "Yes")
    await neovim.clock.pass_until(2498)
    assert neovim.editor.times == [0]
    neovim.typed_ms = 2498
    await neovim.clock.pass_until(3498)
    assert neovim.editor.times == [0, 3498]
    await neovim.answer_at(4998, 1, "Yes")
    await neovim.confirm("Yes")
    assert await answer == "Yes"


async def test_a_no_too_early_to_have_read_it_closes_the_question_unanswered(neovim: Desk) -> None:
    answer = neovim.ask()
    await neovim.answer_at(0, 0, "No")
    assert await answer is None


async def test_saying_yes_three_times_too_early_to_have_read_it_is_a_no(neovim: Desk) -> None:
    answer = neovim.ask()
    for time in range(3):
        await neovim.answer_at(time * 1000, time, "Always")
    await neovim.clock.pass_until(3000)
    assert await answer is None


async def test_where_keys_answer_nothing_a_yes_counts_at_once() -> None:
    desk = Desk("code-server")
    answer = desk.ask()
    await desk.answer_at(0, 0, "Yes")
    assert await answer == "Yes"


async def test_a_page_is_turned_only_after_time_to_read_it(neovim: Desk) -> None:
    answer = neovim.ask([f"+{number}" for number in range(20)])
    await neovim.answer_at(0, 0, "Next (2/2)")
    await neovim.clock.pass_until(1000)
    assert neovim.editor.asked[1][1:3] == neovim.editor.asked[0][1:3]
    await neovim.answer_at(2500, 1, "Next (2/2)")
    await neovim.clock.pass_until(2500)
    assert neovim.editor.asked[2][2] == ("No", "Yes", "Always")
    await neovim.answer_at(4000, 2, "Yes")
    await neovim.confirm("Yes")
    assert await answer == "Yes"


async def test_a_user_who_types_is_asked_a_second_after_the_last_key(neovim: Desk) -> None:
    answer = neovim.ask()
    neovim.typed_ms = 0
    await neovim.type_until(2000)
    assert neovim.editor.asked == []
    await neovim.clock.pass_until(2499)
    assert neovim.editor.asked == []
    await neovim.clock.pass_until(2500)
    [(_, message, actions, future)] = neovim.editor.asked
    assert (message.split("\n")[-1], actions) == ("agentfs: Edit a", ("No", "Yes", "Always"))
    future.set_result(None)
    assert await answer is None


async def test_a_user_who_never_stops_typing_approves_with_no_single_answer() -> None:
    desk = Desk("helix")
    desk.typed_ms = 0
    answer = desk.ask()
    await desk.type_until(4500)
    [(at, _, actions, future)] = desk.editor.asked
    assert (at, actions) == (4000, ("No", "Next (2/2)"))
    await desk.clock.pass_until(5500)
    desk.typed_ms = desk.clock.ms
    future.set_result("Next (2/2)")
    await desk.clock.pass_until(desk.typed_ms + 999)
    assert len(desk.editor.asked) == 1
    await desk.clock.pass_until(desk.typed_ms + 1000)
    assert desk.editor.asked[1][2] == ("No", "Yes", "Always")
    await desk.answer_at(desk.typed_ms + 2500, 1, "Yes")
    assert await answer == "Yes"


@pytest.mark.parametrize("name", ["Eglot", "helix"])
async def test_a_question_that_the_editor_lost_is_asked_again_and_either_answer_counts(name: str) -> None:
    desk = Desk(name)
    answer = desk.ask()
    await desk.clock.pass_until(29_999)
    assert desk.editor.times == [0]
    await desk.clock.pass_until(600_000)
    assert desk.editor.times == [0, 30_000]
    assert desk.editor.asked[0][1:3] == desk.editor.asked[1][1:3]
    desk.answer(0, "Yes")
    assert await answer == "Yes"
    assert desk.editor.asked[1][3].cancelled()


async def test_a_lost_question_lets_the_next_one_go_first(emacs: Desk) -> None:
    first = emacs.ask()
    await emacs.clock.pass_until(0)
    second = emacs.ask(["+second"])
    await emacs.clock.pass_until(60_000)
    assert "+second" in emacs.editor.asked[2][1]
    assert emacs.editor.times == [0, 30_000, 60_000]
    await emacs.clock.pass_until(61_500)
    with pytest.raises(Unanswered):
        await first
    emacs.answer(2, "Yes")
    assert await second == "Yes"


async def test_an_error_to_the_repetition_tells_that_the_question_is_still_open(emacs: Desk) -> None:
    answer, behind = emacs.ask(), emacs.ask()
    for asked in range(1, 10):
        await emacs.clock.pass_until(asked * 30_000)
        emacs.editor.asked[asked][3].set_exception(NobodyToAsk("busy"))
    emacs.answer(0, "Yes")
    assert await answer == "Yes"
    behind.cancel()


async def test_an_editor_that_cannot_ask_is_not_asked_again(emacs: Desk) -> None:
    answer = emacs.ask()
    await emacs.clock.pass_until(0)
    emacs.editor.asked[0][3].set_exception(NobodyToAsk("no_message"))
    with pytest.raises(NobodyToAsk):
        await answer
    assert len(emacs.editor.asked) == 1


@pytest.mark.parametrize(("name", "times"), [("coc.nvim", [0, 360_000]), ("Neovim", [0])])
async def test_in_other_editors_nothing_is_repeated_and_others_go_first_after_a_while(
    name: str, times: list[float]
) -> None:
    """Except where the question would stay on the screen, and an answer to it would be dropped."""
    desk = Desk(name)
    first = desk.ask()
    await desk.clock.pass_until(300_000)
    assert desk.editor.times == [0]
    second = desk.ask(["+second"])
    await desk.clock.pass_until(720_000)
    assert desk.editor.times[:2] == times
    for question in (first, second):
        question.cancel()
    await asyncio.gather(first, second, return_exceptions=True)


@pytest.mark.parametrize("how", ["lost", "busy"])
async def test_a_repeated_question_waits_for_typing_and_reading(emacs: Desk, how: str) -> None:
    answer = emacs.ask()
    await emacs.clock.pass_until(0)
    if how == "busy":
        emacs.editor.asked[0][3].set_exception(NobodyToAsk("busy"))
    emacs.typed_ms = 0
    await emacs.type_until(40_000)
    assert emacs.editor.times == [0]
    await emacs.clock.pass_until(40_500)
    assert emacs.editor.times == [0, 40_500]
    emacs.typed_ms = 40_500
    emacs.answer(1, "Yes")
    await emacs.type_until(50_000)
    assert emacs.editor.times == [0, 40_500]
    await emacs.clock.pass_until(50_500)
    assert emacs.editor.times == [0, 40_500, 50_500]
    await emacs.answer_at(52_000, 2, "Yes")
    assert await answer == "Yes"


@pytest.mark.parametrize("how", ["lost", "busy", "hasty"])
async def test_a_question_that_waits_for_the_typing_lets_the_next_one_go_first(emacs: Desk, how: str) -> None:
    first = emacs.ask()
    await emacs.clock.pass_until(0)
    second = emacs.ask(["+second"])
    if how == "busy":
        emacs.editor.asked[0][3].set_exception(NobodyToAsk("busy"))
    elif how == "hasty":
        emacs.answer(0, "Yes")
    await emacs.type_until(70_000)
    assert isinstance(first.exception(), Unanswered)
    assert [message.split("\n")[0] for _, message, *_ in emacs.editor.asked[1:]] == ["agentfs: Edit a"]
    second.cancel()


@pytest.mark.parametrize("said", ["No", None])
@pytest.mark.parametrize("refused", [0, 1])
async def test_of_two_answers_at_once_a_no_counts(emacs: Desk, refused: int, said: str | None) -> None:
    answer = emacs.ask()
    await emacs.clock.pass_until(31_500)
    emacs.editor.asked[refused][3].set_result(said)
    emacs.answer(1 - refused, "Yes")
    assert await answer == said


@pytest.mark.parametrize("name", ["Eglot", "emacs", ""])
async def test_where_only_the_end_of_a_message_is_sure_to_be_seen_the_first_page_measures(name: str) -> None:
    limits = limits_of(EditorTraits(name=name))
    desk = Desk(name)
    answer = desk.ask(is_beside=False)
    await desk.clock.pass_until(1500)
    _, message, actions, asked = desk.editor.asked[0]
    rows = message.split("\n")
    assert [limits.prefix + len(rows[0]), *map(len, rows[1:-1])] == [limits.columns] * (limits.rows - 1)
    assert rows[-1] == "agentfs: Edit a"
    (letter,) = re.findall(r"The letter is (\w)\.", rows[0])
    assert (actions[0], letter in actions[1:]) == ("No", True)
    asked.set_result(letter)
    await desk.clock.pass_until(3000)
    assert "+x" in desk.editor.asked[1][1]
    answer.cancel()


async def test_another_letter_than_that_of_the_first_row_is_no_yes(emacs: Desk) -> None:
    answer = emacs.ask(is_beside=False)
    await emacs.clock.pass_until(1500)
    _, message, actions, asked = emacs.editor.asked[0]
    asked.set_result(next(one for one in actions[1:] if f"is {one}." not in message))
    assert await answer is None
    assert len(emacs.editor.asked) == 1


@pytest.mark.parametrize(("chosen", "told"), [("d", "Always"), ("e", None), ("No", "No")])
async def test_a_yes_beside_a_small_window_is_confirmed_by_the_letter_at_its_end(
    emacs: Desk, chosen: str, told: str | None
) -> None:
    answer = emacs.ask(letter="d")
    await emacs.answer_at(1500, 0, "Always")
    await emacs.clock.pass_until(1500)
    _, message, actions, _ = emacs.editor.asked[1]
    assert message == ("The end of the diff names a letter.\nChoose it to confirm “Always”.\nagentfs: Edit a")
    assert (actions[0], {"d", "e"} <= set(actions)) == ("No", True)
    await emacs.answer_at(3000, 1, chosen)
    assert await answer == told


async def test_after_questions_that_were_withdrawn_the_next_ones_wait_longer_and_longer(neovim: Desk) -> None:
    pauses: list[float] = []
    for _ in range(9):
        began_ms = neovim.clock.ms
        shown = asyncio.ensure_future(neovim.screen.may_show())
        while not shown.done():
            await neovim.clock.pass_until(neovim.clock.ms + 500)
        pauses.append(neovim.clock.ms - began_ms)
        neovim.screen.withdrawn()
    assert pauses == [500, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]
    await neovim.clock.pass_until(neovim.clock.ms + 60_000)
    neovim.screen.withdrawn()
    shown = asyncio.ensure_future(neovim.screen.may_show())
    await neovim.clock.pass_until(neovim.clock.ms + 500)
    assert shown.done()


async def test_nothing_is_shown_while_the_user_types(neovim: Desk) -> None:
    neovim.typed_ms = 0
    shown = asyncio.ensure_future(neovim.screen.may_show())
    await neovim.clock.pass_until(999)
    assert not shown.done()
    await neovim.clock.pass_until(1000)
    assert await shown
