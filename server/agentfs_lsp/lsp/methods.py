"""The requests that this server serves, by their methods: one table for agents, two for the editor itself.

LSP's own methods are in `server.py`, since they change the connection's state.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agentfs_lsp.api.requests.batch import batch_request
from agentfs_lsp.api.requests.call import call_request
from agentfs_lsp.api.requests.edit import edit_request
from agentfs_lsp.api.requests.history import history_request
from agentfs_lsp.api.requests.read import read_request
from agentfs_lsp.api.requests.status import status_request
from agentfs_lsp.api.requests.tools import tools_request
from agentfs_lsp.api.requests.undo import undo_request
from agentfs_lsp.api.requests.write import write_request
from agentfs_lsp.domain.errors import BadParameter
from agentfs_lsp.lsp.requests.applied import applied_request
from agentfs_lsp.lsp.requests.proposal import proposal_request
from agentfs_lsp.lsp.requests.saved import saved_request
from agentfs_lsp.lsp.requests.set_approval_mode import set_approval_mode_request
from agentfs_lsp.lsp.requests.set_switch import set_switch_request
from agentfs_lsp.lsp.requests.settle import settle_request

if TYPE_CHECKING:
    from agentfs_lsp.api.envelope import Envelope
    from agentfs_lsp.api.exchange import Exchange, Request
    from agentfs_lsp.domain.settings.rules import Operation
    from agentfs_lsp.lsp.editor_exchange import EditorRequest

_RUN_BY_TOOLS: dict[Operation, Request] = {
    "read": read_request,
    "write": write_request,
    "edit": edit_request,
}

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
"""What agents call; each is a command too (docs/protocol.md#15-commands)."""

EDITOR_REQUESTS: dict[str, EditorRequest] = {
    "agentfs/proposal": proposal_request,
    "agentfs/settle": settle_request,
    "agentfs/applied": applied_request,
    "agentfs/saved": saved_request,
    "agentfs/setApprovalMode": set_approval_mode_request,
    "agentfs/setSwitch": set_switch_request,
}
"""What only the editor itself calls: the user's decisions."""

USER_REQUESTS: dict[str, Request] = {
    "agentfs/userHistory": partial(history_request, by_user=True),
    "agentfs/userUndo": partial(undo_request, by_user=True),
}
"""What only the editor itself calls, and is answered as agents are: for the user, who may see every file."""

COMMANDS = {method.replace("agentfs/", "agentfs."): request for method, request in AGENT_REQUESTS.items()}
MANUAL_COMMAND = "agentfs.manual"


def unknown_command(_: Exchange) -> Envelope:
    """Answer a command that there is not."""
    raise BadParameter("command", "choice", (*COMMANDS, MANUAL_COMMAND))
