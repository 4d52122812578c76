"""hello-agents' SimpleAgent with agentfs' tools."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hello_agents import HelloAgentsLLM, SimpleAgent, ToolRegistry
from hello_agents.core.config import Config

from agentfs_lsp.client import AgentFS, Reject
from agentfs_lsp.integrations.hello_agents import tools
from support.documented import Project
from support.scripted_turn import Turn


class Scripted(HelloAgentsLLM):
    def __init__(self, turn: Turn | Project) -> None:
        self.turn, self.model, self.offered = turn, "scripted", set[str]()

    def invoke_with_tools(self, messages: list[dict[str, Any]], tools: Any, **_: Any) -> Any:
        self.offered.update(tool["function"]["name"] for tool in tools)
        told = [one["content"] for one in messages if one["role"] == "tool"]
        call = self.turn.next(told)
        calls = None
        if call is not None:
            function = SimpleNamespace(name=call[0], arguments=json.dumps(call[1]))
            calls = [SimpleNamespace(id=str(len(told)), function=function)]
        message = SimpleNamespace(content="" if calls else "done", tool_calls=calls)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=None)


def test_the_model_is_told_what_became_of_each_change(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    turn, registry = Turn(root), ToolRegistry()
    model = Scripted(turn)
    with AgentFS.open(root, turn.review) as fs:
        for tool in tools(fs, agent="Ada"):
            registry.register_tool(tool)
        config = Config(trace_enabled=False)
        agent = SimpleAgent("Ada", model, tool_registry=registry, config=config, max_tool_iterations=20)
        assert agent.run("Use figures.") == "done"
    turn.check()
    assert model.offered >= {"Read", "Write", "Edit"}
    assert [one for one in turn.told if one.startswith(("❌", "⚠"))] == []


def test_the_documented_example_runs(project: Project) -> None:
    project.run("hello-agents", Scripted(project))


def test_a_no_leaves_the_circuit_breaker_closed(root: Path, file: Path) -> None:
    registry = ToolRegistry()
    edit = {"path": "a.py", "old_string": "two", "new_string": "2"}
    with AgentFS.open(root, lambda _: Reject("No.")) as fs:
        for tool in tools(fs):
            registry.register_tool(tool)
        registry.execute_tool("Read", {"path": "a.py"})
        for _ in range(registry.circuit_breaker.failure_threshold + 1):
            response = registry.execute_tool("Edit", edit)
            assert (response.error_info or {})["code"] == "USER_REJECTED"
            assert "“No.”" in response.text


def test_a_tool_without_a_server_is_broken(root: Path) -> None:
    registry = ToolRegistry()
    with AgentFS.open(root) as fs:
        offered = tools(fs)
        (read,) = (tool for tool in offered if tool.name == "Read")
        registry.register_tool(read)
        assert read.to_openai_schema()["function"]["parameters"]["additionalProperties"] is False
    for _ in range(3):
        registry.execute_tool("Read", {"path": "a.py"})
    assert registry.circuit_breaker.is_open("Read")
