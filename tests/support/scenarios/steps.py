"""The table of scenarios, and steps that several share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from support.transcripts import Recorder, Transcript
from support.wire import Message

TEXT = "one\ntwo\nthree\nfour\nfive\n"

SCENARIOS: dict[str, Callable[[Transcript], Awaitable[None]]] = {}


def scenario(play: Callable[[Transcript], Awaitable[None]]) -> Callable[[Transcript], Awaitable[None]]:
    """One transcript, named like the function."""
    SCENARIOS[play.__name__.replace("_", "-")] = play
    return play


def edit_a(old: str, new: str, **more: object) -> tuple[str, Message]:
    """A request to change a.py."""
    return "agentfs/edit", {"path": "a.py", "old_string": old, "new_string": new, **more}


async def configured(editor: Recorder, **settings: Any) -> None:
    """Change the user's settings to these."""
    await editor.tell("workspace/didChangeConfiguration", {"settings": {"agentfs": settings}})
