"""agentfs' tools for Pydantic AI (docs/frameworks.md)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

try:
    from pydantic_ai import FunctionToolset, Tool
except ImportError as error:
    raise ImportError(
        "This needs Pydantic AI: run pip install '.[pydantic-ai]' in a clone of agentfs."
    ) from error

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.client.asynchronous import Dialect


def toolset(
    fs: AsyncAgentFS, dialect: Dialect = "standard", **params: Any
) -> Callable[[object], Awaitable[FunctionToolset[Any]]]:
    """For `Agent(toolsets=[toolset(fs)])`: the tools that the settings currently allow, asked for before each
    step. `params`: of `agentfs/call`, such as `agent`, the name that the user sees.

    The model gets `Answer.for_model()`, also for a rejection or a conflict: neither is retried or ends the
    run."""

    async def current(_: object) -> FunctionToolset[Any]:
        return FunctionToolset([tool(one) for one in await fs.tools("mcp", dialect)])

    def tool(definition: dict[str, Any]) -> Tool[Any]:
        name = definition["name"]

        async def call(**arguments: Any) -> str:
            return (await fs.call(name, arguments, dialect, **params)).for_model()

        return Tool.from_schema(call, name, definition["description"], definition["inputSchema"])

    return current
