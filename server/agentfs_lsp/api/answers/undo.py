"""The answer of agentfs/undo (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.api.answers.proposal import warnings_on_wire
from agentfs_lsp.api.messages.landing import files_text, landed_texts
from agentfs_lsp.api.review import landed_facts
from agentfs_lsp.domain.translation import sentences
from agentfs_lsp.service.proposal.preview import preview_together
from agentfs_lsp.service.proposal.wording import secrets_text

if TYPE_CHECKING:
    from collections.abc import Container

    from agentfs_lsp.api.envelope import Envelope
    from agentfs_lsp.api.exchange import Exchange
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.undo import Undone

_WITH_TEXT = {"amendments", "on_save"}
"""What of `review` holds text of the files."""


def undo_answer(exchange: Exchange, undone: Undone) -> Envelope:
    """The envelope of an undo that landed, or of one that had nothing to do."""
    translate, shown, landings = exchange.translate, exchange.trace.seen, undone.landings
    changes = [landing.change for landing in landings]
    in_editor = any(landing.where == "editor" for landing in landings)
    preview = preview_together(changes, exchange.ws.settings)
    data: dict[str, object] = {
        "applied": not in_editor,
        "undone": undone.change.id,
        "unchanged": not landings,
        "files": [
            {"path": one.change.path, "operation": one.change.operation, "landing": one.where}
            for one in landings
        ],
        "diff_preview": preview.text if shown else "",
        "diff_truncated": preview.truncated if shown else False,
        "warnings": [
            {"path": change.path, **warning}
            for change in changes
            for warning in warnings_on_wire(change.warnings, translate)
        ],
    }
    review: dict[str, object] = {}
    if landings and exchange.trace.proposal is not None:
        data["landing"] = "editor" if in_editor else "disk"
        facts = landed_facts(exchange.trace.proposal, *landings)
        review = facts if shown else {key: facts[key] for key in facts.keys() - _WITH_TEXT}
        data["review"] = review
        if exchange.ws.settings.history.enabled:
            data["change_id"] = exchange.trace.proposal.id
    truncated = shown and preview.truncated
    text = _text(exchange, undone, review, in_editor=in_editor, truncated=truncated)
    return exchange.succeed(data, text, _stats(changes), partial=in_editor or truncated)


def _text(
    exchange: Exchange, undone: Undone, review: Container[str], *, in_editor: bool, truncated: bool
) -> str:
    translate = exchange.translate
    if not undone.landings:
        return translate("Nothing of change {id} is left to undo.", id=undone.change.id)
    stats = _stats([landing.change for landing in undone.landings])
    said = [
        translate(
            "Undid change {id} of {paths} (+{added}/-{removed} lines).",
            id=undone.change.id,
            paths=files_text([landing.change.path for landing in undone.landings], translate),
            added=stats["lines_added"],
            removed=stats["lines_removed"],
        )
    ]
    said += landed_texts(undone.landings, review, translate)
    if in_editor:
        said.append(translate("The user saves it; until then the disk holds the old content."))
    if exchange.trace.seen:
        said.append(secrets_text((one.change for one in undone.landings), translate, with_paths=True))
    if truncated:
        said.append(translate("(Diff preview truncated. Use {Read} to verify full content.)"))
    return sentences(translate, said)


def _stats(changes: list[FileChange]) -> dict[str, object]:
    counted = [change.line_counts for change in changes]
    return {
        "files_changed": len(changes),
        "lines_added": sum(added for added, _ in counted),
        "lines_removed": sum(removed for _, removed in counted),
    }
