"""What the terminal reviewer looks like: tests/cases/review/ has a screen a file. `AGENTFS_RECORD=1` records
them again."""

import os
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the reviewer's package textual is not installed")

from agentfs_lsp.adapters.catalog import translator_for
from support.reviewer import Screen, file_of, reviewing

CASES = Path(__file__).parents[2] / "cases" / "review"

BEFORE = 'def tide(hour):\n    """The level."""\n    level = 3.0\n    return level\n'
AFTER = (
    'def tide(hour: int) -> float:\n    """The level at this hour, in meters above the chart datum."""\n'
    "    return LEVELS[hour % 24]\n"
)


def check(name: str, screen: Screen) -> None:
    path, text = CASES / f"{name}.txt", f"{screen.text.rstrip()}\n"
    if os.environ.get("AGENTFS_RECORD"):
        path.write_text(text)
    assert text == path.read_text()


def propose(screen: Screen) -> None:
    warned = [{"kind": "bidirectional", "line": 2, "detail": "U+202E RIGHT-TO-LEFT OVERRIDE"}]
    screen.server.propose(
        "p1",
        file_of("src/tides/level.py", BEFORE, AFTER),
        file_of("docs/new file.md", "", "# Tides\n\nsee \u202enothing\u202c\x1b[2J\n", warnings=warned),
        title="Batch of 2 files (+5/-3)",
        explanation="Levels come from the table, as everywhere else.",
        atomic=False,
    )
    screen.server.propose("p2", file_of("a.py", "1\n", "2\n"), agent="outside: Codex")


async def test_nothing_waits() -> None:
    async with reviewing() as (screen, _):
        await screen.shows("Nothing is waiting")
        check("empty", screen)


async def test_a_batch() -> None:
    async with reviewing() as (screen, _):
        propose(screen)
        await screen.drawn("def tide(hour: int)")
        await screen.press("f", "x")
        await screen.shows("rejected by you")
        check("batch", screen)


async def test_a_small_terminal() -> None:
    async with reviewing((40, 12)) as (screen, _):
        propose(screen)
        await screen.drawn("def tide")
        await screen.press("a")
        check("small", screen)


async def test_chinese() -> None:
    async with reviewing(translate=translator_for("zh-cn")) as (screen, _):
        propose(screen)
        await screen.drawn("def tide(hour: int)")
        check("chinese", screen)


async def test_help() -> None:
    async with reviewing() as (screen, _):
        await screen.press("question_mark")
        await screen.shows("reject, with a reason")
        check("help", screen)


async def test_the_history() -> None:
    change = {
        "change_id": "c1",
        "time": "2026-11-27T12:00:00Z",
        "agent": "Ada",
        "tool": "edit",
        "explanation": "Levels come from the table.",
        "files": [
            {
                "path": "src/tides/level.py",
                "operation": "update",
                "before_text": BEFORE,
                "after_text": AFTER,
            }
        ],
    }
    async with reviewing() as (screen, server):
        server.answers["agentfs/userHistory"] = {"status": "success", "data": {"changes": [change]}}
        await screen.press("h")
        await screen.shows("def tide(hour: int)")
        check("history", screen)
