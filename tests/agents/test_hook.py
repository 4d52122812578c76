"""`agentfs-lsp hook claude-code` in Claude Code itself: its own Edit and Write are reviewed."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from support.editor import Editor
from support.outside import LAUNCHER
from support.programs import PROGRAMS, Agent, Place, asked, claude_code, running
from support.sample import TEXT

pytestmark = pytest.mark.asyncio(loop_scope="module")

EDITED = TEXT.replace("two", "2")


def hooked(place: Place) -> tuple[list[str], dict[str, str]]:
    """Without a server, and allowed to edit."""
    command = shlex.join([sys.executable, "-P", LAUNCHER, "hook", "claude-code"])
    hook = {"type": "command", "command": command, "timeout": 3600}
    matcher = {"matcher": "Edit|Write|MultiEdit|NotebookEdit", "hooks": [hook]}
    settings = place.write("settings.json", {"hooks": {"PreToolUse": [matcher]}})
    arguments = ["--settings", settings, "--permission-mode", "acceptEdits"]
    return claude_code(place, *arguments, **place.env)


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in PROGRAMS if "claude" in name],
)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agent(name: str, editor: Editor, sockets: Path) -> AsyncIterator[Agent]:
    async with running(replace(PROGRAMS[name], configure=hooked), editor.root, sockets) as agent:
        yield agent


async def test_its_edit_is_reviewed(agent: Agent, name: str, editor: Editor) -> None:
    file = editor.root / f"edited-{name}.py"
    file.write_text(TEXT)
    edit = {"file_path": str(file), "old_string": "two", "new_string": "2"}
    await agent.call_own("Read", {"file_path": str(file)})
    call = asyncio.ensure_future(agent.call_own("Edit", edit))
    await editor.settle(await asked(editor, file), "rejected", feedback="Not now.")
    assert "“Not now.” Nothing was changed." in await call
    assert file.read_text() == TEXT
    call = asyncio.ensure_future(agent.call_own("Edit", edit))
    proposal = await asked(editor, file, 2)
    assert proposal["agent"] == "outside: Claude Code"
    assert proposal["files"][0]["proposed_text"] == EDITED
    assert file.read_text() == TEXT
    await editor.settle(proposal)
    assert "agentfs has handled this change; do not make it again" in await call
    assert file.read_text() == EDITED


async def test_its_write_is_reviewed(agent: Agent, name: str, editor: Editor) -> None:
    file = editor.root / f"written-{name}.py"
    call = asyncio.ensure_future(agent.call_own("Write", {"file_path": str(file), "content": "claude\n"}))
    proposal = await asked(editor, file)
    assert proposal["files"][0]["proposed_text"] == "claude\n"
    amended = {"uri": proposal["files"][0]["uri"], "decision": "amended", "text": "mine\n"}
    await editor.settle(proposal, "amended", files=[amended])
    assert "+mine" in await call
    assert file.read_text() == "mine\n"
