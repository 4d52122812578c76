"""The agents in programs of their own (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine
from typing import Any

from agentfs_lsp.api.parsing import parse
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.lsp.editor_exchange import EditorExchange
from agentfs_lsp.lsp.results import (
    AgentsAnswer,
    AgentsParams,
    ConnectedAgent,
    DisconnectParams,
    Done,
    Refusal,
)
from agentfs_lsp.service.state.outside import OutsideAgent
from agentfs_lsp.service.state.workspace import Workspace
from agentfs_lsp.sockets import discovery


def agents_request(exchange: EditorExchange) -> Coroutine[Any, Any, AgentsAnswer]:
    """List those that are connected, and where else they may be."""
    parse(AgentsParams, exchange.params)
    return _listed(exchange.ws)


async def _listed(ws: Workspace) -> AgentsAnswer:
    entries = await asyncio.to_thread(lambda: tuple(discovery.entries()))
    others = [
        one for one in entries if one.pid != os.getpid() and not ws.folders.keys().isdisjoint(one.roots)
    ]
    return {
        "ok": True,
        "agents": [_told(ws, agent) for agent in ws.outside],
        "editors": [shown(one.editor) for one in others],
    }


def disconnect_request(exchange: EditorExchange) -> Refusal | Coroutine[Any, Any, Done]:
    """Disconnect one; the response is sent when what it had under way has ended."""
    params = parse(DisconnectParams, exchange.params)
    agent = exchange.ws.outside.get(params["id"])
    if agent is not None:
        return _disconnected(agent)
    reason = exchange.translate("This agent is no longer connected.")
    return {"ok": False, "code": "UNKNOWN", "reason": reason}


async def _disconnected(agent: OutsideAgent) -> Done:
    await agent.disconnect()
    return {"ok": True}


def _told(ws: Workspace, agent: OutsideAgent) -> ConnectedAgent:
    return {
        "id": agent.id,
        "name": shown(agent.name),
        "version": None if agent.version is None else shown(agent.version),
        "since_ms": round(ws.clock.now_ms() - agent.since_ms),
        "sessions": [name for name in ws.sessions.names() if name.startswith(agent.namespace)],
        "pending": [one.id for one in ws.proposals if one.session.startswith(agent.namespace)],
    }
