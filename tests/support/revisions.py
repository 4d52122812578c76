"""Helpers for the lock: hashes, and changes that meet it."""

from hashlib import sha256
from typing import Any

from support.client import Editor
from support.wire import Message


def hash_of(data: bytes) -> str:
    """As in `expected_hash` (docs/protocol.md#8-lock)."""
    return "sha256:" + sha256(data).hexdigest()


async def both(editor: Editor, name: str, **params: Any) -> list[Message]:
    """The responses to the same change of a file that contains `line`, by write and by edit."""
    return [
        await editor.write(name, "mine\n", **params),
        await editor.edit(name, "line", "mine", **params),
    ]
