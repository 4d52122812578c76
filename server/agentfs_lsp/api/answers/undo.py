"""The response to agentfs/undo (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from typing import Any

from agentfs_lsp.api.answers.proposal import corrections_on_wire, line_stats, warnings_of_files
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.messages.landing import files_text, folders_left_text, landed_texts
from agentfs_lsp.api.results import Envelope, LineStats, UndoData
from agentfs_lsp.api.review import landed_facts
from agentfs_lsp.domain.translation import sentences
from agentfs_lsp.service.proposal.change import preview_together
from agentfs_lsp.service.proposal.wording import always_asked_text, corrected_text
from agentfs_lsp.service.undo import Undone


def undo_answer(exchange: Exchange, undone: Undone) -> Envelope:
    """The envelope of an undo that landed or had nothing to undo."""
    translate, shown, landings = exchange.translate, undone.access.seen, undone.landings
    changes = [landing.change for landing in landings]
    preview = preview_together(changes if shown else (), exchange.ws.settings)
    data: UndoData = {
        "applied": not undone.unsaved,
        "undone": undone.change.id,
        "unchanged": not landings,
        "files": [
            {"path": one.change.path, "operation": one.change.operation, "landing": one.where}
            for one in landings
        ],
        "diff_preview": preview.text,
        "diff_truncated": preview.truncated,
        "warnings": warnings_of_files(changes if shown else (), translate),
    }
    if len(undone.changes) > 1:
        data["also_undone"] = [change.id for change in undone.changes[1:]]
    if shown and undone.corrections:
        data["corrections"] = corrections_on_wire(undone.corrections)
    if landings:
        data["landing"] = "editor" if undone.unsaved else "disk"
        data["review"] = landed_facts(undone.proposal, *landings, texts=shown)
        if exchange.ws.settings.history.enabled:
            data["change_id"] = undone.proposal.id
    stats = line_stats(changes, exchange.time_ms(), shown=shown)
    text = _text(exchange, undone, data, stats)
    partial = bool(undone.unsaved) or data["diff_truncated"]
    return exchange.succeed(data, text, stats, partial=partial, access=undone.access)


def _text(exchange: Exchange, undone: Undone, data: UndoData, stats: LineStats) -> str:
    translate = exchange.translate
    corrected = [corrected_text(translate, one["kind"], one["detail"]) for one in data.get("corrections", ())]
    after = landed_texts(undone.landings, undone.unsaved, data.get("review"), translate)
    is_one = len(undone.changes) == 1
    if not undone.landings:
        nothing = (
            translate("There is nothing left to undo in change {id}.", id=undone.change.id)
            if is_one
            else translate("There is nothing left to undo in these changes.")
        )
        return sentences(translate, [*(corrected or [nothing]), *after])
    facts: dict[str, Any] = {
        "id": undone.change.id,
        "count": len(undone.changes),
        "paths": files_text([landing.change.path for landing in undone.landings], translate),
        "added": stats.get("lines_added"),
        "removed": stats.get("lines_removed"),
    }
    if not is_one:
        said = [translate("Undid {count} changes of {paths} (+{added}/-{removed} lines).", **facts)]
    elif undone.access.seen:
        said = [translate("Undid change {id} of {paths} (+{added}/-{removed} lines).", **facts)]
    else:
        said = [translate("Undid change {id} of {paths}.", **facts)]
    said += [*corrected, *after, folders_left_text(undone.folders_left, translate)]
    if undone.access.seen:
        said.append(always_asked_text([one.change for one in undone.landings], translate, with_paths=True))
    if data["diff_truncated"]:
        said.append(translate("(Diff preview truncated. Use {Read} to see the full content.)"))
    return sentences(translate, said)
