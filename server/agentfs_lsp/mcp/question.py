"""What the user is asked through the client, where no editor has the folder open (elicitation)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentfs_lsp.client import Accept, Decision, Reject, Review

MAX_CHARS: Final = 12_000
MAX_LINES: Final = 300
"""A longer diff is not asked about: nobody could review it in a dialog."""

_HEAD: Final = "An agent wants to change files. This is the whole change, and what the agent says about it:"

FORM: Final = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "title": "Decision", "enum": ["accept", "reject"]},
        "reason": {"type": "string", "title": "Message to the agent"},
    },
    "required": ["decision"],
}
"""Not empty: a client with full access accepts an empty form by itself."""


def question(review: Review, client: str = "") -> dict[str, Any] | None:
    """The params of an elicitation: who wants to do what, and the whole diff. None if that is too long for
    the client of this name.

    Clients show the message as it is, as Markdown, or as a notification: whatever others wrote is in one
    block of code, and holds no link."""
    # Only a client that is asked needs these modules.
    from agentfs_lsp.adapters.review.message_limits import limits_of_mcp_client  # noqa: PLC0415
    from agentfs_lsp.adapters.review.paging import joined  # noqa: PLC0415
    from agentfs_lsp.adapters.terminal.visible import visible  # noqa: PLC0415
    from agentfs_lsp.domain.diff.hunks import diff  # noqa: PLC0415
    from agentfs_lsp.domain.diff.unified import whole  # noqa: PLC0415
    from agentfs_lsp.domain.text.escaping import escape_links  # noqa: PLC0415
    from agentfs_lsp.domain.text.markdown import code_block  # noqa: PLC0415

    told = [f"Agent: {visible(review.agent) or '(no name)'}", f"Change: {visible(review.title)}"]
    if review.explanation:
        told.append(f"Reason: {visible(review.explanation)}")
    parts = ["\n".join(told)]
    for file in review.files:
        hunks = diff(file.before, file.after)
        parts.append(whole(file.before, hunks, file.path, operation=file.operation).replace("\r", ""))
        parts += [
            visible(f"Warning, line {one['line']}: {one['kind']}: {one['detail']}") for one in file.warnings
        ]
    shown = escape_links("\n\n".join(part.rstrip("\n") for part in parts))
    limits = limits_of_mcp_client(client)
    if limits and limits.joins_lines:
        shown = "\n".join(map(joined, shown.split("\n")))
    message = f"{_HEAD}\n\n{code_block(shown)}"
    if len(message) > MAX_CHARS or message.count("\n") > MAX_LINES:
        return None
    if limits and len(message.encode("utf-16-le")) > 2 * limits.characters:
        return None
    return {"message": message, "requestedSchema": FORM}


def decision(reply: object) -> Decision:
    """The decision in a reply. Everything but a clear yes is a no."""
    told = reply if isinstance(reply, Mapping) else {}
    content = told.get("content")
    content = content if isinstance(content, Mapping) else {}
    reason = content.get("reason")
    reason = reason if isinstance(reason, str) else ""
    if told.get("action") == "accept" and content.get("decision") == "accept":
        return Accept(reason)
    return Reject(reason)
