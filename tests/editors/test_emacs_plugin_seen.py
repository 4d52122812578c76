"""Emacs with agentfs.el: what is accepted has all been on the screen."""

import re
from pathlib import Path

import pytest

from support.real_emacs import REVIEW, decision, reviewing

pytestmark = pytest.mark.usefixtures("each_emacs")

LONG = "".join(f"line {number}.\n" for number in range(40))
CREATE = {"path": "c.txt", "content": LONG, "agent": "Ada"}
READ_ON = "Not all of it was on the screen: read on"


async def test_a_long_change_is_accepted_once_all_of_it_was_on_the_screen(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = emacs.wire.ask("agentfs/write", CREATE)
        shown = [await emacs.review("+line 0.")]
        while "+line 39." not in shown[-1]:
            last = max(int(number) for number in re.findall(r"line (\d+)\.", shown[-1]))
            emacs.screen.press("y")
            await emacs.screen.shows(READ_ON)
            shown.append(await emacs.ready(f"+line {last + 1}."))
            assert not emacs.wire.all("agentfs/settle")
        assert all(f"+line {number}." in "".join(shown) for number in range(40))
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
    assert (root / "c.txt").read_text() == LONG


async def test_a_long_line_is_not_cut(root: Path) -> None:
    async with reviewing(root, more="(setq-default truncate-lines t)\n") as emacs:
        emacs.wire.ask("agentfs/write", {"path": "c.txt", "content": f"{'x' * 100}end\n", "agent": "Ada"})
        assert "xend" in await emacs.review("+xxx")


async def test_amending_accepts_nothing_that_was_not_on_the_screen(root: Path) -> None:
    async with reviewing(root) as emacs:
        emacs.wire.ask("agentfs/write", CREATE)
        await emacs.counts()
        emacs.screen.press(f"{REVIEW}e\x03\x03")
        await emacs.screen.shows("look at it with your text")
        assert not emacs.wire.all("agentfs/settle")
