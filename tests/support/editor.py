"""A scripted editor: a real server process on stdio, and a client controlled by the test.

By default it is a well-behaved client without a review UI: it gives the required answers, applies edits for
matching versions, and asks nobody.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from support.client import NO_ANSWER, Answer, Editor, RpcError, ServerProcess
from support.fork_server import fork_server
from support.text_edits import apply_text_edits, offset_of, path_of
from support.wire import Message

__all__ = [
    "AUTO",
    "MANUAL",
    "NO_ANSWER",
    "REVIEW",
    "Editor",
    "RpcError",
    "apply_text_edits",
    "change_folder",
    "configure",
    "connected",
    "decided",
    "editing",
    "handshake",
    "offset_of",
    "path_of",
    "recorded",
]

APPLY, ASK = "workspace/applyEdit", "window/showMessageRequest"
REVIEW = {"experimental": {"agentfs": {"review": True, "save": True}}}
SAVES: dict[str, Any] = {"experimental": {"agentfs": {"save": True}}}
CAN_SHOW: dict[str, Any] = {"window": {"showDocument": {"support": True}}}
SHOWING: dict[str, Any] = {
    "capabilities": CAN_SHOW,
    "answers": {"window/showDocument": lambda _: {"success": True}, ASK: lambda _: NO_ANSWER},
}
"""Options of `editing` for a client that shows diff files to a user who does not answer."""
PENDING = {"applied": False, "failureReason": "agentfs:pending"}
"""A review client's answer to `APPLY`: the user decides later (docs/protocol.md#91-review-clients)."""
REVIEWING: dict[str, Any] = {"capabilities": REVIEW, "answers": {APPLY: lambda _: PENDING}}
"""Options of `editing` for a review client."""
SERVER = [sys.executable, "-P", str(Path(__file__).with_name("swift_server.py"))]
"""The server, but accepting immediate answers: scripted users need no time to read."""

HASTY: dict[str, Any] = {"command": [sys.executable, "-P", str(Path(__file__).with_name("hasty_server.py"))]}
"""What `editing` takes for a server with short timeouts."""

LIMIT = 1 << 30
"""Maximum bytes of one message for a test's reader."""

MANUAL: dict[str, Any] = {}
AUTO = {"approval": {"mode": "auto_edit"}}


@contextlib.asynccontextmanager
async def connected(
    root: Path,
    *,
    answers: dict[str, Answer] | None = None,
    command: list[str] | None = None,
    arguments: Sequence[str] = (),
    state: Path | None = None,
    env: dict[str, str] | None = None,
    stderr: Path | None = None,
    editor_class: Callable[[ServerProcess, Path, Path], Editor] = Editor,
) -> AsyncIterator[Editor]:
    """A server process before any message; killed at the end if it is still running. `command` starts another
    program than the forked server that most tests use, and `arguments` are added to it; `stderr` is a file
    for its standard error; `editor_class` creates the client."""
    state = state or root.parent / f"{root.name}-state"
    with (stderr or Path(os.devnull)).open("wb") as errors:
        whole_env = {**os.environ, "XDG_STATE_HOME": str(state), **(env or {})}
        kept = errors if stderr else None
        process: ServerProcess
        if command is None:
            process = await fork_server(arguments, whole_env, kept, LIMIT)
        else:
            process = await asyncio.create_subprocess_exec(
                *command,
                *arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=kept,
                env=whole_env,
                limit=LIMIT,
            )
    editor = editor_class(process, root, state)
    editor.answers = {
        "workspace/applyEdit": lambda params: {"applied": editor.apply(params["edit"])},
        "workspace/configuration": lambda params: [None for _ in params["items"]],
        "client/registerCapability": lambda _: None,
        **(answers or {}),
    }
    listening = editor.listening = asyncio.ensure_future(editor._listen())
    try:
        yield editor
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        listening.cancel()
        for task in editor._tasks:
            task.cancel()
        await asyncio.gather(listening, *editor._tasks, return_exceptions=True)
        assert process.stdin is not None
        process.stdin.close()


@contextlib.asynccontextmanager
async def editing(
    root: Path,
    *,
    capabilities: Message | None = None,
    options: Message | None = None,
    name: str = "Neovim",
    folders: list[tuple[str, Path]] | None = None,
    locale: str | None = None,
    **connection: Any,
) -> AsyncIterator[Editor]:
    """An editor with the workspace `root` open, shut down properly at the end. `connection`: options of
    `connected`."""
    async with connected(root, **connection) as editor:
        params = handshake(root, capabilities, options, name, folders, locale)
        editor.initialized = await editor.request("initialize", params)
        editor.notify("initialized", {})
        yield editor
        if editor.process.returncode is None:
            with contextlib.suppress(EOFError, RpcError):
                await editor.request("shutdown")
            editor.notify("exit", None)
            await editor.ended()


def configure(editor: Editor, **settings: Any) -> None:
    """Change the user's settings to these."""
    editor.notify("workspace/didChangeConfiguration", {"settings": {"agentfs": settings}})


def change_folder(editor: Editor, folder: Path, name: str = "", *, opened: bool) -> None:
    """Tell the server that a folder was opened or closed."""
    changed = [{"uri": folder.as_uri(), "name": name or folder.name}]
    event = {"added": changed if opened else [], "removed": [] if opened else changed}
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})


async def decided(editor: Editor, request: asyncio.Future[Any], decision: str = "rejected") -> str:
    """How a change is decided: immediately, or by the user, who answers `decision`."""
    shown = len(editor.all("agentfs/proposed"))
    asked = asyncio.ensure_future(editor.seen("agentfs/proposed", shown + 1))
    await asyncio.wait({request, asked}, return_when=asyncio.FIRST_COMPLETED)
    if not request.done():
        await editor.request("agentfs/settle", {"id": (await asked)["id"], "decision": decision})
    asked.cancel()
    answer = await request
    if answer["status"] == "error" and "review" not in answer["context"]:
        return str(answer["error"]["code"])
    review = answer["data"].get("review") or answer["context"]["review"]
    return f"{review['decision']} by {review['by']}"


def handshake(
    root: Path,
    capabilities: Message | None = None,
    options: Message | None = None,
    name: str = "Neovim",
    folders: list[tuple[str, Path]] | None = None,
    locale: str | None = None,
) -> Message:
    """The params of `initialize`."""
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": name},
        "locale": locale,
        "rootUri": None if folders == [] else root.as_uri(),
        "workspaceFolders": [
            {"name": folder, "uri": path.as_uri()}
            for folder, path in ([(root.name, root)] if folders is None else folders)
        ],
        "capabilities": capabilities or {},
        "initializationOptions": options,
    }


def recorded(name: str) -> Message:
    """What a real editor sent in its `initialize`: {"clientInfo", "capabilities"}."""
    folder = Path(__file__).parents[1] / "editors" / "capabilities"
    loaded = json.loads((folder / f"{name}-client-capabilities.json").read_text())
    assert isinstance(loaded, dict)
    return loaded
