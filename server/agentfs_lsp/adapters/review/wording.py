"""How a proposal is put into words for the user: its title, who asks and why, what to look out for.

Whatever comes from agents or files is shown with its invisible characters escaped
(docs/protocol.md#94-what-the-answer-says).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.shown import escape_invisible

if TYPE_CHECKING:
    from agentfs_lsp.domain.texts import Say
    from agentfs_lsp.service.proposals import Proposal


def title_of(proposal: Proposal, say: Say) -> str:
    """One line: what happens to which file, and how much of it."""
    change = proposal.computed
    added, removed = change.line_counts
    templates = {
        ("write", "create"): say("Create {path} (+{added})", path="{path}", added=added),
        ("write", "update"): say("Write {path} (+{added}/-{removed})", path="{path}", added=added, removed=removed),
    }
    edit = say("Edit {path} (+{added}/-{removed})", path="{path}", added=added, removed=removed)
    return templates.get((proposal.tool, change.operation), edit).replace("{path}", escape_invisible(change.path))


def reasons_of(proposal: Proposal, say: Say) -> str:
    """Who asks, as claimed, and why; then the warnings, a line each."""
    lines = []
    if proposal.agent:
        lines.append(say("Asked by: {agent}", agent=escape_invisible(proposal.agent)))
    if proposal.explanation:
        lines.append(say("Why: {explanation}", explanation=escape_invisible(proposal.explanation)))
    for warning in proposal.computed.warnings:
        where = say("line {line}", line=warning.line) if warning.line else say("file")
        lines.append(f"⚠ {where}: {warning_text(warning.kind, warning.detail, say)}")
    return "\n".join(lines)


def warning_text(kind: str, detail: str, say: Say) -> str:
    """What a warning means."""
    meanings = {
        "bidirectional": say("a character that turns the direction of text"),
        "invisible": say("an invisible character"),
        "control": say("a control character"),
        "secret": say("what looks like a secret"),
        "hard_links": say("the file has other names, which keep the old content"),
        "on_save": say("the editor's save will change it"),
    }
    meaning = meanings.get(kind, kind)
    return f"{meaning} ({escape_invisible(detail)})" if detail else meaning
