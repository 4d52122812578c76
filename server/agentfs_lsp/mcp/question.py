"""What the user is asked through the client, where no editor has the folder open (elicitation)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentfs_lsp.client import Accept, Decision, Reject, Review

MAX_CHARS: Final = 12_000
MAX_LINES: Final = 300
"""A longer diff is not asked about: nobody could review it in a dialog."""

LONGEST_REASON: Final = 500
"""Characters of the agent's explanation."""

_HEAD: Final = "An agent wants to change files:"
_SHORT: Final = 20
"""Clients that show fewer rows get less around the change."""

FORM: Final = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "title": "Decision", "enum": ["reject", "accept"]},
        "reason": {"type": "string", "title": "Message to the agent"},
    },
    "required": ["decision"],
}
"""Not empty: a client with full access accepts an empty form by itself."""

TYPED: Final = {
    "type": "object",
    "properties": {
        "decision": {
            "type": "string",
            "title": "Type accept to accept it",
            "description": "Any other text rejects it, and is your message to the agent.",
        }
    },
    "required": ["decision"],
}
"""For clients where keys that the user types on would choose from a list, and submit it."""


def question(review: Review, client: str = "") -> dict[str, Any] | None:
    """The params of an elicitation: who wants to do what, and the whole diff. None if that is too long for
    the client of this name.

    Clients show the message as it is, as Markdown, or as a notification: whatever others wrote is in one
    block of code, and holds no link."""
    # Only a client that is asked needs these modules.
    from agentfs_lsp.adapters.review.message_limits import limits_of_mcp_client  # noqa: PLC0415
    from agentfs_lsp.adapters.review.paging import fits, joined  # noqa: PLC0415
    from agentfs_lsp.adapters.terminal.visible import on_one_line  # noqa: PLC0415
    from agentfs_lsp.domain.diff.hunks import diff  # noqa: PLC0415
    from agentfs_lsp.domain.diff.unified import whole  # noqa: PLC0415
    from agentfs_lsp.domain.text.escaping import cut_name, escape_links  # noqa: PLC0415
    from agentfs_lsp.domain.text.markdown import code_block  # noqa: PLC0415

    limits = limits_of_mcp_client(client)
    is_short = limits is not None and limits.rows < _SHORT
    context, between = (1, "\n") if is_short else (3, "\n\n")
    parts = [f"Agent: {on_one_line(review.agent) or '(no name)'}\nChange: {on_one_line(review.title)}"]
    for file in review.files:
        hunks = diff(file.before, file.after)
        shown = whole(file.before, hunks, file.path, operation=file.operation, context=context)
        parts.append(shown.replace("\r", ""))
        parts += [
            on_one_line(f"Warning, line {one['line']}: {one['kind']}: {one['detail']}")
            for one in file.warnings
        ]
    if review.explanation:  # last, so that it hides nothing
        parts.append(f"Its reason: {on_one_line(cut_name(review.explanation, LONGEST_REASON))}")
    text = escape_links(between.join(part.rstrip("\n") for part in parts))
    if limits:
        text = "\n".join(map(joined, text.split("\n")))
    message = f"{_HEAD}{between}{code_block(text)}"
    if len(message) > MAX_CHARS or message.count("\n") > MAX_LINES:
        return None
    if limits and not fits(message, limits):
        return None
    return {"message": message, "requestedSchema": TYPED if is_short else FORM}


def decision(reply: object) -> Decision:
    """The decision in a reply. Everything but a clear yes is a no."""
    told = reply if isinstance(reply, Mapping) else {}
    content = told.get("content")
    content = content if isinstance(content, Mapping) else {}
    decided, reason = content.get("decision"), content.get("reason")
    reason = reason if isinstance(reason, str) else ""
    if told.get("action") != "accept":
        return Reject(reason)
    if isinstance(decided, str) and decided.strip() == "accept":
        return Accept(reason)
    typed = decided if isinstance(decided, str) and "reason" not in content else ""
    return Reject(reason or ("" if typed.strip() == "reject" else typed))
