"""The editor's own requests: the user's decisions (docs/protocol.md#14-the-editors-own-methods)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial

from agentfs_lsp.api.methods import USER_REQUESTS
from agentfs_lsp.api.pending_requests import DelayedResponse
from agentfs_lsp.api.serving import serve
from agentfs_lsp.lsp.editor_exchange import EditorExchange, EditorRequest, answer_editor
from agentfs_lsp.lsp.language_server import AgentfsLanguageServer
from agentfs_lsp.lsp.requests.outside import agents_request, disconnect_request
from agentfs_lsp.lsp.requests.reviews import (
    applied_request,
    proposal_request,
    saved_request,
    settle_attached_request,
    settle_request,
)
from agentfs_lsp.lsp.requests.settings import set_approval_mode_request, set_switch_request

EDITOR_REQUESTS: dict[str, EditorRequest] = {
    "agentfs/proposal": proposal_request,
    "agentfs/settle": settle_request,
    "agentfs/applied": applied_request,
    "agentfs/saved": saved_request,
    "agentfs/setApprovalMode": set_approval_mode_request,
    "agentfs/setSwitch": set_switch_request,
    "agentfs/agents": agents_request,
    "agentfs/disconnect": disconnect_request,
}

REVIEWER_REQUESTS: dict[str, EditorRequest] = {
    "agentfs/proposal": proposal_request,
    "agentfs/settle": settle_attached_request,
}
"""Those of reviewers in programs of their own, beside `USER_REQUESTS`
(docs/protocol.md#18-the-reviewers-socket)."""


def register_editor(server: AgentfsLanguageServer) -> None:
    for method, request in EDITOR_REQUESTS.items():
        server.feature(method)(partial(_serve, server, request))
    for method, answered_request in USER_REQUESTS.items():
        server.feature(method)(partial(serve, server, answered_request))
    server.reviewer_requests = {
        **{method: partial(_serve, server, request) for method, request in REVIEWER_REQUESTS.items()},
        **{method: partial(serve, server, request) for method, request in USER_REQUESTS.items()},
    }


def _serve(server: AgentfsLanguageServer, request: EditorRequest, params: object) -> object:
    """Cancelling does not withdraw the editor's report of the user's decision."""
    sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    exchange = EditorExchange(
        params,
        server.workspace,
        server.reviews,
        server.editor.encoding,
        server.language(),
        server.set_mode,
        server.configuration.set_switch,
        sent,
    )
    result = answer_editor(request, exchange)
    if not isinstance(result, Coroutine):
        return result
    return DelayedResponse(result, lambda _: True, sent=lambda _: sent.set_result(None))
