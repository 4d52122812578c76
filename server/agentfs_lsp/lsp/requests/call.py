"""agentfs/call: a tool of a dialect, by its name (docs/protocol.md#12-tool-catalogue).

It runs the request that the tool stands for, with params of that request's own: there is no second way to a
file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import NoRoot, ToolNotListed
from agentfs_lsp.domain.texts import naming, sentences
from agentfs_lsp.lsp.dialects.table import DIALECTS
from agentfs_lsp.lsp.exchange import answer
from agentfs_lsp.lsp.wire import CallParams, parse
from agentfs_lsp.service.reach import reaches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentfs_lsp.domain.rules import Operation
    from agentfs_lsp.lsp.dialects.dialect import Dialect, Tool
    from agentfs_lsp.lsp.envelope import Envelope
    from agentfs_lsp.lsp.exchange import Exchange, Request


async def call_request(requests: Mapping[Operation, Request], exchange: Exchange) -> Envelope:
    """Answer agentfs/call with what the tool's request answers, in the dialect's words. Raises BadParameter,
    NoRoot, and ToolNotListed for a tool that the catalogue does not list now."""
    params = parse(CallParams, exchange.params)
    await exchange.prepared()
    dialect = DIALECTS[params.dialect]
    tool = _listed(exchange, dialect, params.name)
    arguments = parse(tool.takes, params.arguments)
    inner = replace(
        exchange,
        params=_request_params(params, tool, arguments),
        came=exchange.params,
        say=naming(exchange.say, dialect.words.names),
        words=dialect.words,
        paths="any" if dialect.absolute_paths else None,
    )
    answered = answer(requests[tool.operation], inner)
    envelope = answered if isinstance(answered, dict) else await answered
    if envelope["status"] != "error":
        said = [tell(inner.say) for name, tell in tool.told.items() if getattr(arguments, name)]
        envelope["text"] = sentences(inner.say, (envelope["text"], *said))
    return envelope


def _listed(exchange: Exchange, dialect: Dialect, name: str) -> Tool:
    if not exchange.ws.roots:
        raise NoRoot
    tool = dialect.tool(name)
    if tool is None or not reaches(exchange.ws, tool.operation):
        listed = [one.name for one in dialect.tools if reaches(exchange.ws, one.operation)]
        raise ToolNotListed(name, tuple(listed))
    return tool


def _request_params(params: CallParams, tool: Tool, arguments: object) -> dict[str, object]:
    """The host's own beside what the model gave."""
    host: dict[str, object] = {
        "session": params.session,
        "agent": params.agent,
        "workDoneToken": params.workDoneToken,
    }
    if tool.operation != "read":
        host["explanation"] = params.explanation
    return {**tool.request_params(arguments), **host}
