"""A response releases what its request used: servers run for days.

Each test repeats with a large file what once kept its text, or a copy, in memory.
"""

import sys
from pathlib import Path
from typing import Any

import pytest

from support.editor import AUTO, REVIEWING, Editor, editing
from support.wire import Message

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tells how much a process takes in /proc")

LINES = [f"line {number} of a long file with many lines\n" for number in range(80_000)]
TEXT = "".join(LINES)
TIMES = 30
MOST = len(TEXT) * TIMES // 2
"""Allowed growth in bytes: less than half a text each time, where it once was one or two."""


def taken(editor: Editor, what: str) -> int:
    """Bytes: `VmRSS` now, `VmHWM` at the peak."""
    told = Path(f"/proc/{editor.process.pid}/status").read_text()
    return int(told.partition(f"{what}:")[2].split()[0]) * 1024


def edits(old: str) -> Message:
    return {"tool": "edit", "params": {"path": "a.txt", "old_string": old, "new_string": "changed\n"}}


async def tried(editor: Editor, *operations: Message, **params: Any) -> Message:
    return await editor.request("agentfs/batch", {"operations": operations, "dry_run": True, **params})


@pytest.mark.parametrize("wanted", [LINES, ["nowhere\n"] * TIMES], ids=["made", "failed"])
async def test_a_batch_holds_no_text_for_each_operation(tmp_path: Path, wanted: list[str]) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_text(TEXT)
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.txt")
        await tried(editor, edits(wanted[0]), atomic=False)
        before = taken(editor, "VmHWM")
        answer = await tried(editor, *map(edits, wanted[:TIMES]), atomic=False)
        assert len(answer["data"]["results"]) == TIMES
        assert taken(editor, "VmHWM") - before < MOST


@pytest.mark.parametrize("moves", [False, True], ids=["rejected", "conflict"])
async def test_a_review_that_ended_without_a_yes_holds_no_text(tmp_path: Path, moves: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    file = root / "a.txt"
    async with editing(root, **REVIEWING) as editor:
        for number in range(3 + TIMES):
            file.write_text(f"{number}\n{TEXT}")
            await editor.read("a.txt")
            if number == 3:
                before = taken(editor, "VmRSS")
            asked = editor.start("agentfs/edit", edits(LINES[70_000])["params"])
            announced = await editor.seen("agentfs/proposed", number + 1)
            if moves:
                file.write_text("something else\n")
            decision = {"id": announced["id"], "decision": "accepted" if moves else "rejected"}
            await editor.request("agentfs/settle", decision)
            assert (await asked)["error"]["code"] == ("CONFLICT" if moves else "USER_REJECTED")
        assert taken(editor, "VmRSS") - before < MOST
