"""The OpenAI Agents SDK's agent with agentfs' tools."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, set_tracing_disabled
from agents.models.interface import ModelProvider
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.integrations.openai_agents import tools
from support.documented import Project
from support.scripted_turn import Turn, check_cancelling


class Scripted(Model, ModelProvider):
    def __init__(self, turn: Turn | Project) -> None:
        self.turn, self.offered = turn, set[str]()

    def get_model(self, model_name: str | None) -> Model:
        return self

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        self.offered.update(tool.name for tool in given["tools"])
        items = given["input"] if isinstance(given["input"], list) else []
        told = [item["output"] for item in items if item.get("type") == "function_call_output"]
        call = self.turn.next(told)
        if call is None:
            text = ResponseOutputText(type="output_text", text="done", annotations=[])
            said = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
            return ModelResponse([said], Usage(), None)
        made = ResponseFunctionToolCall(
            type="function_call", call_id=str(len(told)), name=call[0], arguments=json.dumps(call[1])
        )
        return ModelResponse([made], Usage(), None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


async def run(fs: AsyncAgentFS, model: Scripted) -> object:
    agent = Agent(name="Ada", tools=list(await tools(fs, agent="Ada")))
    config = RunConfig(model_provider=model, tracing_disabled=True)
    return (await Runner.run(agent, "Use figures.", run_config=config)).final_output


async def test_the_model_is_told_what_became_of_each_change(root: Path) -> None:
    turn = Turn(root)
    model = Scripted(turn)
    async with AsyncAgentFS.open(root, turn.review) as fs:
        assert await run(fs, model) == "done"
    turn.check()
    assert model.offered == {"Read", "Write", "Edit"}


def test_the_documented_example_runs(project: Project) -> None:
    set_tracing_disabled(True)
    project.run("OpenAI Agents SDK", Scripted(project))


async def test_cancelling_a_run_withdraws_its_proposal(root: Path) -> None:
    await check_cancelling(root, lambda fs, turn: run(fs, Scripted(turn)))


async def test_arguments_that_are_no_json_are_the_models_mistake(root: Path) -> None:
    async with AsyncAgentFS.open(root) as fs:
        read = (await tools(fs))[0]
        assert "not JSON" in await read.on_invoke_tool(None, "{")
        assert "path" in await read.on_invoke_tool(None, "")
