"""Pydantic AI's agent with agentfs' tools."""

from pathlib import Path

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.integrations.pydantic_ai import toolset
from support.documented import Project
from support.scripted_turn import Turn, check_cancelling


def told(messages: list[ModelMessage]) -> list[str]:
    return [str(part.content) for one in messages for part in one.parts if isinstance(part, ToolReturnPart)]


def scripted(turn: Turn | Project) -> FunctionModel:
    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} == {"Read", "Write", "Edit"}
        call = turn.next(told(messages))
        return ModelResponse([ToolCallPart(*call) if call else TextPart("done")])

    return FunctionModel(model)


async def test_the_model_is_told_what_became_of_each_change(root: Path) -> None:
    turn = Turn(root)
    async with AsyncAgentFS.open(root, turn.review) as fs:
        agent = Agent(scripted(turn), toolsets=[toolset(fs, agent="Ada")])
        assert (await agent.run("Use figures.")).output == "done"
    turn.check()


def test_the_documented_example_runs(project: Project) -> None:
    project.run("Pydantic AI", scripted(project))


async def test_cancelling_a_run_withdraws_its_proposal(root: Path) -> None:
    async def start(fs: AsyncAgentFS, turn: Turn) -> None:
        await Agent(scripted(turn), toolsets=[toolset(fs)]).run("Use figures.")

    await check_cancelling(root, start)
