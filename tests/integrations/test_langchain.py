"""LangChain's agent, which runs on LangGraph, with agentfs' tools."""

from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from agentfs_lsp.client import AgentFS, AsyncAgentFS
from agentfs_lsp.integrations.langchain import async_tools, tools
from support.documented import Project
from support.scripted_turn import Turn, check_cancelling


class Scripted(BaseChatModel):
    turn: Any

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> "Scripted":
        assert {tool.name for tool in tools} == {"Read", "Write", "Edit"}
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        told = [str(one.content) for one in messages if isinstance(one, ToolMessage)]
        call = self.turn.next(told)
        calls = [] if call is None else [{"name": call[0], "args": call[1], "id": str(len(told))}]
        said = AIMessage("done" if call is None else "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])


def checked(turn: Turn, state: dict[str, Any]) -> None:
    turn.check()
    assert state["messages"][-1].content == "done"
    codes = [
        one.artifact.get("error", {}).get("code") for one in state["messages"] if isinstance(one, ToolMessage)
    ]
    assert codes == [None, None, "USER_REJECTED", None, "CONFLICT"]


ASKED = {"messages": [("user", "Use figures.")]}
STEPS: Any = {"recursion_limit": 50}


def test_the_model_is_told_what_became_of_each_change(root: Path) -> None:
    turn = Turn(root)
    with AgentFS.open(root, turn.review) as fs:
        agent: Any = create_agent(Scripted(turn=turn), tools(fs, agent="Ada"))
        checked(turn, agent.invoke(ASKED, STEPS))


def test_the_documented_example_runs(project: Project) -> None:
    project.run("LangChain and LangGraph", Scripted(turn=project))


async def run(fs: AsyncAgentFS, turn: Turn) -> dict[str, Any]:
    agent: Any = create_agent(Scripted(turn=turn), await async_tools(fs, agent="Ada"))
    state: dict[str, Any] = await agent.ainvoke(ASKED, STEPS)
    return state


async def test_with_asyncio_too(root: Path) -> None:
    turn = Turn(root)
    async with AsyncAgentFS.open(root, turn.review) as fs:
        checked(turn, await run(fs, turn))


async def test_cancelling_a_run_withdraws_its_proposal(root: Path) -> None:
    await check_cancelling(root, run)
