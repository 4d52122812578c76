"""After a kill -9 in the middle of a transaction the next server tells the user what became of it, once
(docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from support.editor import AUTO, editing

if TYPE_CHECKING:
    from pathlib import Path

INFO, WARNING = 3, 2
NAMES = ("a.py", "b.py", "c.py")
MINE, THEIRS = "new\n", "theirs\n"

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


async def interrupted(root: Path, state: Path, at_swap: int) -> None:
    """A batch of three files whose server is killed as it changes the names of this one, from 1."""
    inject = f"inject=renameat2:signal=KILL:when={at_swap}"
    traced = ["strace", "-f", "-o", "/dev/null", "-e", "trace=renameat2", "-e", inject]
    command = [*traced, sys.executable, "-m", "agentfs_lsp"]
    operations = [{"tool": "write", "params": {"path": name, "content": MINE}} for name in NAMES]
    async with editing(root, options=AUTO, state=state, command=command) as editor:
        for name in NAMES:
            await editor.read(name)
        with pytest.raises(EOFError):
            await editor.request("agentfs/batch", {"operations": operations})
        await editor.ended()


def in_root(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


@pytest.mark.parametrize(
    ("at_swap", "theirs", "left", "told"),
    [
        (1, (), [MINE] * 3, (INFO, "was finished: ")),
        (3, (), [MINE] * 3, (INFO, "was finished: ")),
        (3, ("c.py",), ["old\n", "old\n", THEIRS], (INFO, "was taken back: ")),
        (3, ("b.py", "c.py"), [MINE, THEIRS, THEIRS], (WARNING, "it is half done, ")),
    ],
    ids=["finished from the start", "finished from the middle", "taken back", "half done"],
)
async def test_the_user_is_told(
    root: Path, at_swap: int, theirs: tuple[str, ...], left: list[str], told: tuple[int, str]
) -> None:
    for name in NAMES:
        (root / name).write_text("old\n")
    state = root.parent / "state"
    await interrupted(root, state, at_swap)
    for name in theirs:
        (root / name).write_text(THEIRS)
    async with editing(root, options=AUTO, state=state) as editor:
        message = await editor.seen("window/showMessage")
        assert len(editor.all("window/showMessage")) == 1
    kind, words = told
    assert message["type"] == kind
    assert words in message["message"]
    assert str(root / "a.py") in message["message"]
    assert in_root(root) == dict(zip(NAMES, left, strict=True))
    async with editing(root, options=AUTO, state=state) as editor:
        await editor.request("shutdown")  # which waits for what the start has to do
        assert editor.all("window/showMessage") == []


async def test_a_chinese_user_is_told_in_chinese(root: Path) -> None:
    for name in NAMES:
        (root / name).write_text("old\n")
    state = root.parent / "state"
    await interrupted(root, state, 1)
    async with editing(root, options=AUTO, state=state, locale="zh-cn") as editor:
        message = await editor.seen("window/showMessage")
    assert message["message"].startswith("agentfs：")
    assert "was finished" not in message["message"]
