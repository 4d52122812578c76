"""A change preserves its file's encoding, whatever the bytes look like: docs/protocol.md#5-agentfsread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.editor import AUTO, Editor, editing
from support.wire import Message

LATIN_1 = {**AUTO, "encoding": {"default": "latin-1"}}

BEFORE = "Ã© one\nã\n3\n4\n5\ncafé\n".encode("latin-1")
"""Without its last accent and the one in line 2, it is valid UTF-8 with another meaning."""


async def without_accents(editor: Editor, path: str = "a.txt", **more: Any) -> Message:
    """Remove what can't be UTF-8, in one change."""
    await editor.read(path, **more)
    operations = [
        {"tool": "edit", "params": {"path": path, "old_string": old, "new_string": new}}
        for old, new in (("ã", "a"), ("café", "cafe"))
    ]
    answer = await editor.request("agentfs/batch", {"operations": operations, **more})
    assert answer["data"]["applied"], answer
    return answer


async def undo(editor: Editor, change: Message | None = None, **more: Any) -> Message:
    change_id = change["data"]["change_id"] if change else None
    return await editor.request("agentfs/undo", {"change_id": change_id, **more})


async def test_history_knows_the_encoding_after_a_restart(root: Path) -> None:
    (root / "a.txt").write_bytes(BEFORE)
    async with editing(root, options=LATIN_1) as editor:
        change = await without_accents(editor)
    async with editing(root, options=AUTO) as editor:  # without the setting
        assert (await undo(editor, change))["status"] == "success"
    assert (root / "a.txt").read_bytes() == BEFORE


# --- open documents ---------------------------------------------------------------------------------------
