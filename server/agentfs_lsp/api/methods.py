"""The handlers of all methods that return an envelope (docs/protocol.md#2-requests)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agentfs_lsp.api.exchange import Exchange, Request
from agentfs_lsp.api.requests.batch import batch_request
from agentfs_lsp.api.requests.call import call_request
from agentfs_lsp.api.requests.edit import edit_request
from agentfs_lsp.api.requests.history import history_request
from agentfs_lsp.api.requests.read import read_request
from agentfs_lsp.api.requests.status import status_request
from agentfs_lsp.api.requests.tools import tools_request
from agentfs_lsp.api.requests.undo import undo_request, user_undo_request
from agentfs_lsp.api.requests.write import write_request
from agentfs_lsp.api.results import Envelope
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.domain.settings.rules import Operation

_RUN_BY_TOOLS: dict[Operation, Request] = {"read": read_request, "write": write_request, "edit": edit_request}

AGENT_REQUESTS: dict[str, Request] = {
    "agentfs/status": status_request,
    "agentfs/read": read_request,
    "agentfs/write": write_request,
    "agentfs/edit": edit_request,
    "agentfs/batch": batch_request,
    "agentfs/history": history_request,
    "agentfs/undo": undo_request,
    "agentfs/tools": tools_request,
    "agentfs/call": partial(call_request, _RUN_BY_TOOLS),
}
"""The requests of agents."""

OPERATIONS: dict[Request, str] = {
    request: method.removeprefix("agentfs/")
    for method, request in AGENT_REQUESTS.items()
    if method not in ("agentfs/status", "agentfs/tools")
}
"""Those that may access files, with the names of their operations."""

USER_REQUESTS: dict[str, Request] = {
    "agentfs/userHistory": partial(history_request, by_user=True),
    "agentfs/userUndo": user_undo_request,
}
"""Requests only the editor sends, answered like agents' but for the user, who may see every file."""


def unknown_command(known: Sequence[str], _: Exchange) -> Envelope:
    raise BadParameter("command", "choice", tuple(known))
