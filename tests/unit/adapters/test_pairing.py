"""Whether the user is asked about a reviewer, and what counts as a yes
(docs/protocol.md#18-the-reviewers-socket)."""

import asyncio
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from agentfs_lsp.adapters.review.asking import Asking
from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.adapters.review.paging import fits
from agentfs_lsp.adapters.review.pairing import FIRST_PAUSE_S, LONGEST_PAUSE_S, Pairings
from agentfs_lsp.adapters.review.questions import READING_S, Screen
from agentfs_lsp.domain.errors import NobodyToAsk
from agentfs_lsp.domain.translation import english
from agentfs_lsp.service.proposal.review import EditorTraits
from support.fakes.time import ManualClock

CODE = "K7M-2PX"


class FakeEditor:
    """Answers with `title`, after the time that reading takes."""

    def __init__(self, clock: ManualClock, traits: EditorTraits, title: str | None) -> None:
        self.traits, self.title = traits, title
        self.asked: list[str] = []
        self._clock = clock

    def question(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def ask(self, message: str, actions: Any) -> str | None:
        self.asked.append(message)
        self._clock.advance(READING_S + 1)
        if self.title == "fails":
            raise NobodyToAsk("no_message")
        return self.title if self.title in actions else None

    async def withdrawn_answered(self) -> None:
        pass


def pairings(title: str | None, traits: EditorTraits = EditorTraits(review=True)) -> Any:  # noqa: B008
    clock = ManualClock()
    editor: Any = FakeEditor(clock, traits, title)
    screen = Screen(editor, clock, lambda: None)
    nothing: Any = SimpleNamespace()
    asking = Asking(editor, clock, nothing, lambda: english, nothing, nothing, screen, nothing)
    return Pairings(asking), editor, clock


async def test_only_the_button_is_a_yes() -> None:
    for title, outcome in (("Allow", "ALLOWED"), ("Deny", "DENIED"), (None, "DENIED"), ("fails", "NOBODY")):
        asked, editor, _ = pairings(title)
        allowed: list[str] = []
        pairing = await asked.begin().ask(CODE, lambda allowed=allowed: allowed.append(CODE))
        assert (pairing.outcome, allowed) == (outcome, [CODE] if outcome == "ALLOWED" else [])
        assert CODE in editor.asked[0]
        assert bool(pairing.reason) != pairing.is_allowed


async def test_each_no_doubles_the_pause_until_a_yes() -> None:
    asked, editor, clock = pairings("Deny")
    pause = FIRST_PAUSE_S
    for _ in range(12):
        assert (await asked.begin().ask(CODE, lambda: None)).outcome == "DENIED"
        clock.advance(pause - 0.5)
        refused = await asked.begin().ask(CODE, lambda: None)
        assert (refused.outcome, refused.reason[-7:]) == ("TOO_SOON", "in 1 s.")
        clock.advance(0.5)
        pause = min(2 * pause, LONGEST_PAUSE_S)
    assert len(editor.asked) == 12
    editor.title = "Allow"
    clock.advance(pause)
    for _ in range(2):
        assert (await asked.begin().ask(CODE, lambda: None)).is_allowed


async def test_one_is_asked_about_at_a_time() -> None:
    asked, editor, _ = pairings("Deny")
    begun, waiting = asyncio.Event(), asyncio.Event()

    async def never(*_: object) -> None:
        begun.set()
        await waiting.wait()

    editor.ask = never
    first = asyncio.ensure_future(asked.begin().ask(CODE, lambda: None))
    await begun.wait()
    assert (await asked.begin().ask("ABC-DEF", lambda: None)).outcome == "BUSY"
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    assert (await asked.begin().ask("ABC-DEF", lambda: None)).outcome == "TOO_SOON"


async def test_who_leaves_without_asking_counts_as_a_no() -> None:
    """Who knows the server's nonce knows the code."""
    asked, editor, clock = pairings("Allow")
    pause = FIRST_PAUSE_S
    for _ in range(12):
        turns = [asked.begin() for _ in range(3)]
        for turn in turns:
            turn.end()
        refusals = [turn.refusal and turn.refusal.outcome for turn in turns]
        assert refusals == [None, "BUSY", "BUSY"]
        for turn in turns:
            assert not (await turn.ask(CODE, lambda: None)).is_allowed
        clock.advance(pause - 0.5)
        assert (await asked.begin().ask(CODE, lambda: None)).outcome == "TOO_SOON"
        clock.advance(0.5)
        pause = min(2 * pause, LONGEST_PAUSE_S)
    assert editor.asked == []
    assert (await asked.begin().ask(CODE, lambda: None)).is_allowed


@pytest.mark.parametrize(
    "name", ["Neovim", "Eglot", "emacs", "vim-lsp", "coc.nvim", "helix", "Visual Studio Code", "other", ""]
)
async def test_every_editor_shows_the_code(name: str) -> None:
    traits = EditorTraits(name=name, first_action_only=name == "vim-lsp")
    asked, editor, _ = pairings("Allow", traits)
    await asked.begin().ask(CODE, lambda: None)
    first = editor.asked[0]
    assert CODE in first
    assert fits(first, limits_of(traits))
    assert len(editor.asked) <= 2  # the second confirms
