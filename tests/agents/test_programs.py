"""Real agents' programs with `agentfs-lsp mcp`, and a user who reviews their changes in an editor.

What is compared is what their model gets, what the user is asked, and what is on disk.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from support.editor import Editor
from support.programs import PROGRAMS, Agent, Program, asked, running, withdrawn
from support.sample import TEXT

pytestmark = pytest.mark.asyncio(loop_scope="module")

EDITED = TEXT.replace("two", "2")
EDIT = {"old_string": "two", "new_string": "2"}


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in PROGRAMS]
)
def program(request: pytest.FixtureRequest) -> Program:
    return PROGRAMS[request.param]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def agent(program: Program, editor: Editor, sockets: Path) -> AsyncIterator[Agent]:
    """One turn, which most tests share."""
    async with running(program, editor.root, sockets) as agent:
        yield agent


@pytest.fixture
def file(request: pytest.FixtureRequest, editor: Editor) -> Path:
    """A file of the test's own, with three lines."""
    path = editor.root / f"{request.node.originalname}-{request.node.callspec.id}.py"
    path.write_text(TEXT)
    return path


async def test_the_model_reads_unsaved_text(agent: Agent, editor: Editor, file: Path) -> None:
    editor.open(file.name, "unsaved\n")
    await editor.request("agentfs/status")
    assert "\n\nunsaved" in await agent.call("read", path=str(file))


async def test_an_accepted_edit_lands(agent: Agent, editor: Editor, file: Path) -> None:
    assert TEXT in await agent.call("read", path=str(file))
    call = asyncio.ensure_future(agent.call("edit", path=str(file), explanation="Figures.", **EDIT))
    proposal = await asked(editor, file)
    assert (proposal["agent"], proposal["explanation"]) == (f"outside: {agent.program.label}", "Figures.")
    assert proposal["files"][0]["proposed_text"] == EDITED
    assert file.read_text() == TEXT
    await editor.settle(proposal)
    assert f"Updated '{file}'" in await call
    assert file.read_text() == EDITED


async def test_a_rejected_edit_comes_with_the_users_reason(agent: Agent, editor: Editor, file: Path) -> None:
    await agent.call("read", path=str(file))
    call = asyncio.ensure_future(agent.call("edit", path=str(file), **EDIT))
    await editor.settle(await asked(editor, file), "rejected", feedback="Not now.")
    told = await call
    assert "“Not now.” Nothing was changed." in told
    assert "agentfs-envelope" not in told
    assert file.read_text() == TEXT


async def test_the_model_is_told_what_the_user_amended(agent: Agent, editor: Editor, file: Path) -> None:
    await agent.call("read", path=str(file))
    call = asyncio.ensure_future(agent.call("edit", path=str(file), **EDIT))
    proposal = await asked(editor, file)
    amended = {"uri": proposal["files"][0]["uri"], "decision": "amended", "text": "mine\n"}
    await editor.settle(proposal, "amended", files=[amended])
    assert "+mine" in await call
    assert file.read_text() == "mine\n"


async def test_an_edit_of_unsaved_text_stays_in_the_editor(agent: Agent, editor: Editor, file: Path) -> None:
    editor.open(file.name, TEXT + "unsaved\n")
    await editor.request("agentfs/status")
    await agent.call("read", path=str(file))
    call = asyncio.ensure_future(agent.call("edit", path=str(file), **EDIT))
    await editor.settle(await asked(editor, file))
    assert "is in the editor, but not saved" in await call
    assert editor.documents[editor.uri(file.name)].text == EDITED + "unsaved\n"
    assert file.read_text() == TEXT


async def test_a_conflict_comes_with_what_has_changed(agent: Agent, editor: Editor, file: Path) -> None:
    await agent.call("read", path=str(file))
    file.write_text(TEXT + "four\n")
    assert "+four" in await agent.call("edit", path=str(file), **EDIT)
    assert file.read_text() == TEXT + "four\n"


async def test_a_long_review_is_waited_for(
    program: Program, editor: Editor, sockets: Path, file: Path
) -> None:
    async with running(program, editor.root, sockets, "--hold", "1") as agent:
        await agent.call("read", path=str(file))
        assert "Call wait with id p-2" in await agent.call("edit", path=str(file), **EDIT)
        await editor.settle(await asked(editor, file))
        assert f"Updated '{file}'" in await agent.call("wait", id="p-2")
        assert await agent.end() == 0
    assert file.read_text() == EDITED


async def test_after_a_programs_time_limit_the_change_can_be_repeated(
    program: Program, editor: Editor, sockets: Path, file: Path
) -> None:
    async with running(program, editor.root, sockets, limit_s=3) as agent:
        await agent.call("read", path=str(file))
        assert "timed out" in (await agent.call("edit", path=str(file), **EDIT)).lower()
        proposal = await asked(editor, file)
        if program.tells_of_its_limit is None:
            await editor.settle(proposal)  # its answer goes to the first call, or to the repeated one
            assert EDITED in await agent.call("read", path=str(file))
            return
        if program.tells_of_its_limit:
            await editor.settle(proposal)
            repeated = agent.call("edit", path=str(file), **EDIT)
        else:
            await withdrawn(editor, file)
            repeated = asyncio.ensure_future(agent.call("edit", path=str(file), **EDIT))
            await editor.settle(await asked(editor, file, 2))
        assert f"Updated '{file}'" in await repeated
    assert file.read_text() == EDITED


async def test_two_agents_change_one_file(
    agent: Agent, program: Program, editor: Editor, sockets: Path, file: Path
) -> None:
    edit_of_other = {"path": str(file), "old_string": "one", "new_string": "1"}
    async with running(program, editor.root, sockets) as other:
        for one in (agent, other):
            await one.call("read", path=str(file))
        call = asyncio.ensure_future(agent.call("edit", path=str(file), **EDIT))
        proposal = await asked(editor, file)
        late = asyncio.ensure_future(other.call("edit", **edit_of_other))
        await editor.settle(proposal)
        assert "Updated" in await call
        assert "+2" in await late
        await other.call("read", path=str(file))
        again = asyncio.ensure_future(other.call("edit", **edit_of_other))
        await editor.settle(await asked(editor, file, 2))
        assert "Updated" in await again
        assert await other.end() == 0
    assert file.read_text() == EDITED.replace("one", "1")


async def test_its_own_tools_change_nothing(agent: Agent, file: Path) -> None:
    for tool, arguments, refusal in agent.program.own(str(file)):
        assert refusal in await agent.call_own(tool, arguments)
    assert file.read_text() == TEXT
