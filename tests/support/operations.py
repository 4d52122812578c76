"""Operations of agentfs/batch."""

from typing import Any

from support.wire import Message


def writes(path: str, content: str, **params: Any) -> Message:
    return {"tool": "write", "params": {"path": path, "content": content, **params}}


def edits(path: str, old: str, new: str, **params: Any) -> Message:
    return {"tool": "edit", "params": {"path": path, "old_string": old, "new_string": new, **params}}
