"""agentfs' tools for LangChain and LangGraph (docs/frameworks.md)."""

from __future__ import annotations

from typing import Any

try:
    from langchain_core.tools import StructuredTool
except ImportError as error:
    raise ImportError(
        "This needs LangChain: run pip install '.[langchain]' in a clone of agentfs."
    ) from error

from agentfs_lsp.client import AgentFS, AsyncAgentFS
from agentfs_lsp.client.asynchronous import Dialect


def tools(fs: AgentFS, dialect: Dialect = "standard", **params: Any) -> list[StructuredTool]:
    """The tools that the settings currently allow. `params`: of `agentfs/call`, such as `agent`, the name
    that the user sees.

    The model gets `Answer.for_model()`, also for a rejection or a conflict: neither raises. The message's
    `artifact` is the whole response."""

    def tool(definition: dict[str, Any]) -> StructuredTool:
        def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
            answer = fs.call(definition["name"], arguments, dialect, **params)
            return answer.for_model(), dict(answer.envelope)

        return StructuredTool.from_function(call, **_described(definition))

    return [tool(one) for one in fs.tools("mcp", dialect)]


async def async_tools(fs: AsyncAgentFS, dialect: Dialect = "standard", **params: Any) -> list[StructuredTool]:
    """The same for agents that run with `ainvoke`: cancelling one withdraws its proposal."""

    def tool(definition: dict[str, Any]) -> StructuredTool:
        async def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
            answer = await fs.call(definition["name"], arguments, dialect, **params)
            return answer.for_model(), dict(answer.envelope)

        return StructuredTool.from_function(coroutine=call, **_described(definition))

    return [tool(one) for one in await fs.tools("mcp", dialect)]


def _described(definition: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": definition["name"],
        "description": definition["description"],
        "args_schema": definition["inputSchema"],
        "response_format": "content_and_artifact",
    }
