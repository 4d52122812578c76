"""Agents' requests (docs/protocol.md#2-requests) and commands (docs/protocol.md#15-commands)."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from functools import partial

from lsprotocol import types

from agentfs_lsp.api.exchange import Answering, Exchange, Request, answer, answered
from agentfs_lsp.api.methods import AGENT_REQUESTS, unknown_command
from agentfs_lsp.api.requests.status import status_request
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
from agentfs_lsp.lsp.pending_requests import DelayedResponse
from agentfs_lsp.lsp.raw import member

COMMANDS = {method.replace("agentfs/", "agentfs."): request for method, request in AGENT_REQUESTS.items()}
MANUAL_COMMAND = "agentfs.manual"


def register_agents(server: AgentfsLanguageServer) -> None:
    """Register every agent request, also as a command."""
    for method, request in AGENT_REQUESTS.items():
        server.feature(method)(partial(serve, server, request))
    for name, request in COMMANDS.items():
        server.command(name)(partial(_run, server, request))

    @server.command(MANUAL_COMMAND)
    def manual(ls: AgentfsLanguageServer, *_: object) -> object:
        ls.set_mode("manual", None)
        return {"ok": True}

    @server.feature(types.WORKSPACE_EXECUTE_COMMAND)
    def execute_command(ls: AgentfsLanguageServer, params: object) -> object:
        """Pass the arguments unmodified; pygls would convert them to the types that a command declares."""
        name, arguments = member(params, "command"), member(params, "arguments")
        command = ls.protocol.fm.commands.get(name) if isinstance(name, str) else None
        if command is None:
            return serve(ls, partial(unknown_command, tuple(ls.protocol.fm.commands)), params)
        result = command(*arguments) if isinstance(arguments, list) else command(arguments)
        token = member(params, "workDoneToken")
        if isinstance(result, DelayedResponse) and result.progress_token is None:
            return replace(result, progress_token=token)
        return result


def _run(server: AgentfsLanguageServer, request: Request, *arguments: object) -> object:
    """The only argument of a command is the request's params."""
    return serve(server, request, arguments[0] if len(arguments) == 1 else list(arguments) or None)


def serve(server: AgentfsLanguageServer, request: Request, params: object) -> object:
    """Respond with an envelope, immediately or later."""
    ws = server.workspace
    exchange = Exchange(ws, params, server.language(), server.wait_until_prepared, ws.sessions.moment)
    reading = None if request is status_request else server.configuration.up_to_date()
    result = (
        answer(request, exchange)
        if reading is None
        else Answering(_behind(reading, request, exchange), exchange)
    )
    if isinstance(result, dict):
        return result
    token = member(params, "workDoneToken")
    return DelayedResponse(result, ws.proposals.past_return, token, ws.proposals.stop)


async def _behind(first: Awaitable[object], request: Request, exchange: Exchange) -> Envelope:
    await first
    return await answered(request, exchange)
