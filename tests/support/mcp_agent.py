"""Agents' programs with the client of the `mcp` package, and what they ask for."""

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult, Implementation

from support.outside import LAUNCHER, environment
from support.sample import TEXT

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""The client's mode, and the protocol's version that it speaks then."""

EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}
EDITED = TEXT.replace("two", "2")

Answer = Callable[[Any], Awaitable[ElicitResult]]


def agent(
    era: str,
    root: Path,
    sockets: Path,
    *arguments: str,
    answer: Answer | None = None,
    name: str = "Tester",
    **more: Any,
) -> AbstractAsyncContextManager[Client]:
    """An agent's program of this name, with a user who gives this answer."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-P", LAUNCHER, "mcp", *arguments],
        cwd=str(root),
        env=environment(root, sockets),
    )

    async def asked(_: Any, params: Any) -> ElicitResult:
        assert answer is not None
        return await answer(params)

    info = Implementation(name=name, version="1")
    callback = None if answer is None else asked
    return Client(server, mode=era, client_info=info, elicitation_callback=callback, **more)


def text(result: Any) -> str:
    (content,) = result.content
    assert result.structured_content is None
    return str(content.text)


def saying(decision: str, reason: str = "") -> Answer:
    async def answer(_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"decision": decision, "reason": reason})

    return answer
