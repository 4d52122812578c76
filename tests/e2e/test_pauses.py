"""Nobody waits for another's large file: slow work runs off the event loop (docs/architecture.md#state)."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, REVIEWING, Editor, editing
from support.wire import Message

pytestmark = pytest.mark.asyncio

OLD = "".join(f"line {number:07} of the old text\n" for number in range(500_000))
NEW = "".join(f"line {number:07} of the new text\n" for number in range(1, 500_000))


async def longest_wait(editor: Editor, until: Callable[[], bool]) -> float:
    """The longest status request, in seconds, until something has arrived."""
    longest = 0.0
    while not until():
        asked = time.perf_counter()
        await editor.request("agentfs/status")
        longest = max(longest, time.perf_counter() - asked)
    return longest


async def rewritten(editor: Editor, **params: Any) -> tuple[Message, float, float]:
    """The response, its duration in seconds, and the longest wait of others meanwhile."""
    begun = time.perf_counter()
    answer = editor.start("agentfs/write", {"path": "a.txt", "content": NEW, **params})
    longest = await longest_wait(editor, answer.done)
    return await answer, time.perf_counter() - begun, longest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    path = tmp_path / "root" / "a.txt"
    path.write_text(OLD)
    return path


async def test_a_dry_run_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, options=AUTO) as editor:
        await editor.read("a.txt")
        answer, took, longest = await rewritten(editor, dry_run=True)
        assert answer["data"]["diff_truncated"]
        assert longest < took / 3


async def test_a_conflict_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, options=AUTO) as editor:
        await editor.read("a.txt")
        file.write_text(NEW)
        answer, took, longest = await rewritten(editor)
        assert answer["context"]["conflict"]["diff_since_read"]
        assert longest < took / 3


async def test_a_proposal_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, **REVIEWING) as editor:
        await editor.read("a.txt")
        begun = time.perf_counter()
        editor.start("agentfs/write", {"path": "a.txt", "content": NEW})
        longest = await longest_wait(editor, lambda: bool(editor.all("agentfs/proposed")))
        assert longest < (time.perf_counter() - begun) / 3
