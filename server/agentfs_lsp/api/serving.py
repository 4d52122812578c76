"""Serves agents' requests, whichever way they came (docs/protocol.md#2-requests)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from functools import partial
from typing import Protocol

from agentfs_lsp.api.exchange import Answering, Exchange, Request, answer, answered
from agentfs_lsp.api.methods import OPERATIONS
from agentfs_lsp.api.operations import observe
from agentfs_lsp.api.pending_requests import DelayedResponse
from agentfs_lsp.api.requests.status import status_request
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.wording import doing_text
from agentfs_lsp.service.state.workspace import Workspace
from agentfs_lsp.service.timing import UNTIMED, Timing


class Configuration(Protocol):
    """The settings, as far as requests wait for them."""

    def up_to_date(self) -> Awaitable[object] | None:
        """What to wait for before policy is asked; None if the settings are known."""


class Host(Protocol):
    """The server behind a door."""

    @property
    def workspace(self) -> Workspace:
        """Its state."""

    def language(self) -> Translate:
        """The user's current language."""

    async def wait_until_prepared(self) -> None:
        """Wait for the settings and the cleanup after killed servers."""

    @property
    def configuration(self) -> Configuration:
        """Its settings."""


def serve(
    host: Host, request: Request, params: object, *, namespace: str = "", raw: object = None
) -> Envelope | DelayedResponse:
    """Respond with an envelope, immediately or later. `raw`: the params as received, if `params` were derived
    from them. `namespace`: what the names of the caller's sessions begin with: it sees no
    others."""
    ws = host.workspace
    operation = OPERATIONS.get(request) if ws.operations.is_observed else None
    exchange = Exchange(
        ws,
        params,
        host.language(),
        host.wait_until_prepared,
        ws.sessions.moment,
        raw=raw,
        namespace=namespace,
        timing=Timing(ws.clock.now_ms) if operation else UNTIMED,
    )
    waiting = None if request is status_request else host.configuration.up_to_date()
    result = (
        answer(request, exchange)
        if waiting is None
        else Answering(_behind(waiting, request, exchange), exchange)
    )
    ended = partial(observe, exchange, operation) if operation else _ignore
    if isinstance(result, dict):
        if operation:
            asyncio.get_running_loop().call_soon(ended, result)  # after it was sent
        return result
    token = params.get("workDoneToken") if isinstance(params, dict) else None
    doing = partial(_doing, host)
    return DelayedResponse(result, ws.proposals.past_return, token, ws.proposals.stop, doing, ended)


def _ignore(_: object) -> None:
    """Nobody observes this request."""


def _doing(host: Host, task: asyncio.Task[object] | None) -> str:
    """What the task's proposal does; empty if there is none yet, as while the user is asked about a read."""
    running = (proposal for proposal in host.workspace.proposals if task and proposal.runs_in(task))
    proposal = next(running, None)
    return doing_text(proposal, host.language()) if proposal and proposal.changes else ""


async def _behind(first: Awaitable[object], request: Request, exchange: Exchange) -> Envelope:
    await first
    return await answered(request, exchange)
