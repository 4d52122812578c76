"""agentfs/call: runs a tool of a dialect by name (docs/protocol.md#12-tool-catalog).

It runs the corresponding request with that request's params: there is no second way to access a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentfs_lsp.api.dialects.dialect import Dialect, Tool
from agentfs_lsp.api.dialects.table import DIALECTS
from agentfs_lsp.api.exchange import Exchange, Request, answered
from agentfs_lsp.api.params import CallParams
from agentfs_lsp.api.parsing import parse
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.domain.errors import BadParameter, NoRoot, ToolNotListed
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.translation import naming
from agentfs_lsp.service.state.tool_scope import may_touch

EXPECTED = ("expected_mtime_ms", "expected_size_bytes", "expected_hash")
"""Params of a change that the host sets."""


async def call_request(requests: Mapping[Operation, Request], exchange: Exchange) -> Envelope:
    """Respond with the response of the tool's request, in the dialect's words. Raises BadParameter, NoRoot,
    and ToolNotListed if the catalog does not list the tool now."""
    params = parse(CallParams, exchange.params)
    await exchange.wait_until_prepared()
    dialect = DIALECTS[params.dialect]
    tool = _listed_tool(exchange, dialect, params.name)
    given, expected = _split_expected(params, tool)
    arguments = parse(tool.takes, given)
    translate = naming(exchange.translate, dialect.phrasing.names)
    inner = replace(
        exchange,
        params=_request_params(params, tool, arguments) | expected,
        raw=exchange.params if exchange.raw is None else exchange.raw,
        translate=translate,
        phrasing=dialect.phrasing_of(tool.operation),
        paths="any" if dialect.absolute_paths else None,
        remarks=tuple(tell(translate) for name, tell in tool.told.items() if getattr(arguments, name)),
    )
    return await answered(requests[tool.operation], inner)


def _listed_tool(exchange: Exchange, dialect: Dialect, name: str) -> Tool:
    if not exchange.ws.roots:
        raise NoRoot
    tool = dialect.tool(name)
    if tool is None or not may_touch(exchange.ws, tool.operation):
        listed = [one.name for one in dialect.tools if may_touch(exchange.ws, one.operation)]
        raise ToolNotListed(name, tuple(listed))
    return tool


def _split_expected(params: CallParams, tool: Tool) -> tuple[dict[str, object], dict[str, object]]:
    """The model's arguments, and the host's expectations of the file to change, which hosts pass next to the
    arguments or among them. Raises BadParameter if both differ."""
    if tool.operation == "read":
        return params.arguments, {}
    arguments = dict(params.arguments)
    expected: dict[str, object] = {}
    for name in EXPECTED:
        beside, among = getattr(params, name), arguments.pop(name, None)
        if beside is not None and among is not None and beside != among:
            raise BadParameter(name, "beside_and_in")
        expected[name] = among if beside is None else beside
    return arguments, expected


def _request_params(params: CallParams, tool: Tool, arguments: object) -> dict[str, object]:
    """The host's params combined with the model's arguments."""
    names = ["session", "agent", "workDoneToken"]
    if tool.operation != "read":
        names.append("explanation")
    return {**tool.request_params(arguments), **{name: getattr(params, name) for name in names}}
