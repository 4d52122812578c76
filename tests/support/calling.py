"""Sends agentfs/call as a host does."""

from typing import Any

from support.editor import Editor
from support.wire import Message

QUESTION = "window/showMessageRequest"


async def call(editor: Editor, dialect: str, name: str, /, **arguments: Any) -> Message:
    asked = {"dialect": dialect, "name": name, "arguments": arguments}
    return await editor.request("agentfs/call", asked)


async def read(editor: Editor, path: str = "a.md", **params: Any) -> None:
    assert (await editor.read(path, **params))["status"] == "success"
