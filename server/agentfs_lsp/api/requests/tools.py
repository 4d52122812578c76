"""agentfs/tools: docs/protocol.md#12-tool-catalog."""

from __future__ import annotations

from agentfs_lsp.api.dialects.definitions import define
from agentfs_lsp.api.dialects.dialect import files_of
from agentfs_lsp.api.dialects.guidance import guidance
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.api.params import ToolsParams
from agentfs_lsp.api.results import Envelope, ToolsData
from agentfs_lsp.domain.errors import NoRoot
from agentfs_lsp.domain.translation import naming, sentences
from agentfs_lsp.service.state.tool_scope import file_scopes


async def tools_request(exchange: Exchange) -> Envelope:
    """Respond to agentfs/tools when the user's settings are known, because the catalog depends on them."""
    params = exchange.parse(ToolsParams)
    await exchange.wait_until_prepared()
    dialect, ws = DIALECTS[params.dialect], exchange.ws
    translate = naming(exchange.translate, dialect.phrasing.names)
    files = files_of(dialect, ws, file_scopes(ws))
    tools = [tool.name for tool in dialect.tools if tool.operation in files]
    data: ToolsData = {
        "tools": define(dialect, files, translate, params.format),
        "prompt": guidance(dialect, files, translate),
    }
    if not ws.roots:
        text = sentences(translate, error_text(NoRoot(), translate))
    elif not tools:
        text = translate("The user's settings currently do not let any tool access files.")
    else:
        text = translate("Tools: {tools}.", tools=", ".join(tools))
    return exchange.succeed(data, text, {"time_ms": exchange.time_ms()})
