"""The file that most tests change, `a.py` (the fixture `file`), and the edit they request."""

import asyncio
from typing import Any

from support.client import Editor
from support.wire import Message

TEXT = "one\ntwo\nthree\n"
CHANGED = "one\n2\nthree\n"
EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}


async def asked(editor: Editor, number: int = 1, **edit: Any) -> tuple[Message, asyncio.Future[Any]]:
    """Request the edit; returns the client's `number`th proposal and a future for the agent's response."""
    await editor.read("a.py")
    future = editor.start("agentfs/edit", EDIT | edit)
    return await editor.proposed(number), future


async def edited(editor: Editor, **more: Any) -> Message:
    """The response to the edit, whether allowed or decided by the client's answer."""
    await editor.read("a.py")
    return await editor.request("agentfs/edit", EDIT | more)


async def settle(editor: Editor, proposal: Message, decision: str = "accepted", **more: Any) -> Message:
    """The response to agentfs/settle; `Editor.settle` also applies and saves."""
    return await editor.request("agentfs/settle", {"id": proposal["id"], "decision": decision, **more})


async def report(editor: Editor, proposal: Message, what: str, **done: bool) -> Message:
    """The response to agentfs/applied or agentfs/saved (`what`) about files, by their names without .py."""
    files = [{"uri": editor.uri(f"{name}.py"), what: ok} for name, ok in done.items()]
    return await editor.request(f"agentfs/{what}", {"id": proposal["id"], "files": files})
