"""agentfs' tools for hello-agents (docs/frameworks.md)."""

from __future__ import annotations

from typing import Any, Final

try:
    from hello_agents.tools.base import Tool, ToolParameter
    from hello_agents.tools.response import ToolResponse, ToolStatus
except ImportError as error:
    raise ImportError(
        "This needs hello-agents 1.0: run pip install '.[hello-agents]' in a clone of agentfs."
    ) from error

from agentfs_lsp.client import AgentFS
from agentfs_lsp.client.asynchronous import Dialect

DECIDED: Final = frozenset({"USER_REJECTED", "ACCESS_DENIED", "TIMEOUT", "CONFLICT"})
"""The codes of a no, or of another's change: the tool has done its work. As errors, they would open the
registry's circuit breaker, and agents would tell the model of a `partial` that it succeeded in part."""


class AgentFSTool(Tool):
    """One tool. `definition`: as in MCP."""

    def __init__(
        self, fs: AgentFS, definition: dict[str, Any], dialect: Dialect, params: dict[str, Any]
    ) -> None:
        super().__init__(definition["name"], definition["description"])
        self._fs, self._dialect, self._params = fs, dialect, params
        self._schema = definition["inputSchema"]

    def run(self, parameters: dict[str, Any]) -> ToolResponse:
        """The model gets `Answer.for_model()`. `data` and `error_info` are the response's, also if the status
        is a success because someone has decided."""
        answer = self._fs.call(self.name, parameters, self._dialect, **self._params)
        status = "success" if answer.code in DECIDED else answer.status
        error = answer.envelope.get("error")
        return ToolResponse(ToolStatus(status), answer.for_model(), dict(answer.data), error)

    def get_parameters(self) -> list[ToolParameter]:
        """What hello-agents can say of the schema: names, types, and descriptions."""
        required = self._schema.get("required", ())
        return [
            ToolParameter(
                name=name,
                type=one.get("type", "string"),
                description=one.get("description", ""),
                required=name in required,
            )
            for name, one in self._schema["properties"].items()
        ]

    def to_openai_schema(self) -> dict[str, Any]:
        """The whole schema."""
        function = {"name": self.name, "description": self.description, "parameters": self._schema}
        return {"type": "function", "function": function}


def tools(fs: AgentFS, dialect: Dialect = "standard", **params: Any) -> list[AgentFSTool]:
    """The tools that the settings currently allow, for a `ToolRegistry`. `params`: of `agentfs/call`, such as
    `agent`, the name that the user sees."""
    return [AgentFSTool(fs, one, dialect, params) for one in fs.tools("mcp", dialect)]
