"""The dialect `mcp`: read, write, and edit with all parameters of `standard`, and absolute paths
(docs/protocol.md#12-tool-catalog)."""

from __future__ import annotations

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool, names_of
from agentfs_lsp.api.dialects.standard import EditArguments, ReadArguments, WriteArguments
from agentfs_lsp.api.messages.phrasing import Phrasing

_TOOLS = (
    Tool(name="read", operation="read", takes=ReadArguments),
    Tool(name="write", operation="write", takes=WriteArguments),
    Tool(name="edit", operation="edit", takes=EditArguments),
)

MCP = Dialect(
    name="mcp",
    tools=_TOOLS,
    phrasing=Phrasing(names=names_of(_TOOLS), errors=fewer.WITHOUT_SETTINGS, absolute=True),
    absolute_paths=True,
)
