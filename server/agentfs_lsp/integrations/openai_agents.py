"""agentfs' tools for the OpenAI Agents SDK (docs/frameworks.md)."""

from __future__ import annotations

import json
from typing import Any

try:
    from agents import FunctionTool
except ImportError as error:
    raise ImportError(
        "This needs the OpenAI Agents SDK: run pip install '.[openai-agents]' in a clone of agentfs."
    ) from error

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.client.asynchronous import Dialect


async def tools(fs: AsyncAgentFS, dialect: Dialect = "standard", **params: Any) -> list[FunctionTool]:
    """For `Agent(tools=await tools(fs))`. `params`: of `agentfs/call`, such as `agent`, the name that the
    user sees. A tool that the settings no longer allow is not offered.

    The model gets `Answer.for_model()`, also for a rejection or a conflict: neither ends the run."""

    def tool(definition: dict[str, Any]) -> FunctionTool:
        name = definition["name"]

        async def call(_: object, given: str) -> str:
            try:
                arguments = json.loads(given or "{}")
            except ValueError as error:
                return f"The arguments are not JSON: {error}"
            return (await fs.call(name, arguments, dialect, **params)).for_model()

        async def is_allowed(*_: object) -> bool:
            return any(one["name"] == name for one in await fs.tools("mcp", dialect))

        return FunctionTool(
            name=name,
            description=definition["description"],
            params_json_schema=definition["inputSchema"],
            on_invoke_tool=call,
            strict_json_schema=False,  # optional parameters stay optional
            is_enabled=is_allowed,
        )

    return [tool(one) for one in await fs.tools("mcp", dialect)]
