"""`on_conflict: "merge"`: a change brought into what others have made of the file since it was read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from support.client import Editor
from support.editor import AUTO, editing
from support.wire import Message

LINES = [f"line {number}\n" for number in range(1, 11)]
BASE = "".join(LINES)
THEIRS = BASE.replace("line 9\n", "line 9 by them\nand one more\n")
OURS = BASE.replace("line 2\n", "line 2 by us\n")
BOTH = THEIRS.replace("line 2\n", "line 2 by us\n")


async def by_edit(editor: Editor, **more: Any) -> Message:
    return await editor.edit("a.txt", "line 2\n", "line 2 by us\n", on_conflict="merge", **more)


async def by_write(editor: Editor, **more: Any) -> Message:
    return await editor.write("a.txt", OURS, on_conflict="merge", **more)


@pytest.mark.parametrize("change", [by_edit, by_write])
async def test_changes_elsewhere_are_kept(root: Path, change: Callable[..., Awaitable[Message]]) -> None:
    (root / "a.txt").write_text(BASE)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(THEIRS)
        answer = await change(editor)
        again = await editor.edit("a.txt", "line 5\n", "line five\n")
    assert answer["status"] == "success"
    assert answer["data"]["merged"].count("+line 9 by them") == 1
    assert "line 9" not in answer["data"]["diff_preview"]
    assert "merged with changes that others made" in answer["text"]
    assert again["status"] == "success"
    assert (root / "a.txt").read_text() == BOTH.replace("line 5", "line five")


@pytest.mark.parametrize("change", [by_edit, by_write])
async def test_the_same_lines_are_a_conflict(root: Path, change: Callable[..., Awaitable[Message]]) -> None:
    (root / "a.txt").write_text(BASE)
    theirs = BASE.replace("line 2\n", "line 2 by them\n")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        (root / "a.txt").write_text(theirs)
        answer = await change(editor)
    assert answer["error"]["code"] == "CONFLICT"
    assert "in the same lines (2)" in answer["text"]
    assert "+line 2 by them" in answer["context"]["conflict"]["diff_since_read"]
    assert (root / "a.txt").read_text() == theirs
