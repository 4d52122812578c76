"""Nobody waits for another's large file: slow work runs off the event loop (docs/architecture.md#state).

Which thread has worked is compared, not how long anyone waited: a busy machine changes the latter."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from support.editor import AUTO, REVIEWING, Editor, editing

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Linux alone tells threads' times"),
]

T = TypeVar("T")

OLD = "".join(f"line {number:07} of the old text\n" for number in range(500_000))
NEW = "".join(f"line {number:07} of the new text\n" for number in range(1, 500_000))


def worked(thread: Path) -> int:
    """The processor time that a thread or a process has used, in ticks."""
    user, system = (thread / "stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


async def off_the_loop(editor: Editor, work: Awaitable[T]) -> T:
    """What `work` returns. The server's event loop, its main thread, must leave most of it to others."""
    process = Path(f"/proc/{editor.process.pid}")
    loop = process / "task" / process.name
    before = worked(process), worked(loop)
    result = await work
    in_all, on_loop = worked(process) - before[0], worked(loop) - before[1]
    assert on_loop < in_all / 3
    return result


def rewriting(editor: Editor, **params: Any) -> asyncio.Future[Any]:
    return editor.start("agentfs/write", {"path": "a.txt", "content": NEW, **params})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    path = tmp_path / "root" / "a.txt"
    path.write_text(OLD)
    return path


async def test_a_dry_run_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, options=AUTO) as editor:
        await editor.read("a.txt")
        answer = await off_the_loop(editor, rewriting(editor, dry_run=True))
        assert answer["data"]["diff_truncated"]


async def test_a_conflict_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, options=AUTO) as editor:
        await editor.read("a.txt")
        file.write_text(NEW)
        answer = await off_the_loop(editor, rewriting(editor))
        assert answer["context"]["conflict"]["diff_since_read"]


async def test_a_proposal_holds_nobody_up(file: Path) -> None:
    async with editing(file.parent, **REVIEWING) as editor:
        await editor.read("a.txt")
        rewriting(editor)
        await off_the_loop(editor, editor.proposed())
