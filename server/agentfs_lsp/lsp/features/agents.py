"""Agents' requests (docs/protocol.md#2-requests) and commands (docs/protocol.md#15-commands)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from lsprotocol import types

from agentfs_lsp.api.exchange import Request
from agentfs_lsp.api.methods import AGENT_REQUESTS, unknown_command
from agentfs_lsp.api.pending_requests import DelayedResponse
from agentfs_lsp.api.serving import serve
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
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
