"""The file that most tests change, `a.py` (the fixture `file`), and the edit that they ask for."""

from __future__ import annotations

import asyncio
from typing import Any

from support.client import Editor
from support.wire import Message

TEXT = "one\ntwo\nthree\n"
CHANGED = "one\n2\nthree\n"
EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}


async def asked(editor: Editor, number: int = 1, **edit: Any) -> tuple[Message, asyncio.Future[Any]]:
    """The edit is asked for: the proposal, the client's `number`-th, and the agent's answer to come."""
    await editor.read("a.py")
    future = editor.start("agentfs/edit", EDIT | edit)
    return await editor.proposed(number), future


async def edited(editor: Editor, **more: Any) -> Message:
    """The answer to the edit, let through or decided by whatever the client answers."""
    await editor.read("a.py")
    return await editor.request("agentfs/edit", EDIT | more)


async def settle(editor: Editor, proposal: Message, decision: str = "accepted") -> Message:
    """The answer to agentfs/settle; `Editor.settle` goes on to apply and to save."""
    return await editor.request("agentfs/settle", {"id": proposal["id"], "decision": decision})
