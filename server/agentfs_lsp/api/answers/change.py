"""The responses to write and edit (docs/protocol.md#6-agentfswrite, docs/protocol.md#7-agentfsedit)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentfs_lsp.api.answers.diagnostics import diagnostics_of, diagnostics_text
from agentfs_lsp.api.answers.proposal import corrections_on_wire, warnings_on_wire
from agentfs_lsp.api.exchange import Exchange
from agentfs_lsp.api.messages.landing import created_folder, hidden_amendments
from agentfs_lsp.api.results import ChangeStats, Diagnosed, EditData, Envelope, Review, Stats, WriteData
from agentfs_lsp.api.review import landed_facts
from agentfs_lsp.domain.text.escaping import escape_invisible, escape_to_one_line
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.translation import Translate, sentences
from agentfs_lsp.service.change_request import Submitted
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.wording import always_asked_text, corrected_text, hints_text


def change_answer(exchange: Exchange, submitted: Submitted) -> Envelope:
    """The envelope of a change that landed, is in the editor, was a dry run, or changed nothing."""
    change, landing, proposal = submitted.change, submitted.landing, submitted.proposal
    if not submitted.access.seen:
        return _unseen_answer(exchange, submitted)
    if submitted.unchanged and not submitted.dry_run:
        applied = not change.base.dirty
    else:
        applied = landing is not None and landing.where == "disk"
    data: WriteData | EditData = {
        "applied": applied,
        "operation": change.operation,
        "diff_preview": change.preview.text,
        "diff_truncated": change.preview.truncated,
        "warnings": warnings_on_wire(change.warnings, exchange.translate),
        "corrections": corrections_on_wire(change.corrections),
        "unchanged": submitted.unchanged,
    }
    if found := diagnostics_of(change, exchange.translate):
        data["diagnostics"] = found
    if landing is not None and proposal is not None:
        data["landing"] = landing.where
        if exchange.ws.settings.history.enabled:
            data["change_id"] = proposal.id
        data["review"] = landed_facts(proposal, landing)
    if change.merged is not None:
        data["merged"] = change.merged
    if change.level is not None:
        data = {**data, "replacements": change.replacements, "match": change.level}
        if is_fallback(change.level):
            data["fallback"] = change.level
    text = _text(exchange, submitted, found, amended="amendments" in data.get("review", ()))
    stats = _stats(exchange, submitted)
    limited = not submitted.unchanged and (is_fallback(change.level) or change.preview.truncated)
    return exchange.succeed(data, text, stats, partial=not applied or limited, access=submitted.access)


def is_fallback(level: str | None) -> bool:
    """Whether an edit matched only loosely, which the response says."""
    return level not in (None, "exact", "eol")


def _stats(exchange: Exchange, submitted: Submitted) -> ChangeStats:
    change = submitted.change
    added, removed = change.line_counts
    blob, landing = change.base.blob, submitted.landing
    before = blob.stat.size if blob else 0
    revision = landing.seen if landing else change.base.revision
    stats: ChangeStats = {
        "time_ms": exchange.time_ms(),
        "bytes_written": landing.bytes_written if landing else 0,
        "original_size": before,
        "new_size": change.proposed_size,
        "lines_added": added,
        "lines_removed": removed,
    }
    if revision.mtime_ms is not None:
        stats["file_mtime_ms"] = revision.mtime_ms
    if revision.size_bytes is not None:
        stats["file_size_bytes"] = revision.size_bytes
    return stats


def _text(
    exchange: Exchange, submitted: Submitted, diagnostics: Sequence[Diagnosed], *, amended: bool
) -> str:
    translate, change = exchange.translate, submitted.change
    said = [_headline(exchange, submitted), *exchange.remarks]
    in_full = exchange.phrasing.amended if amended and _fits(change) else None
    if amended and in_full is None:
        said.append(translate("The user accepted the change with amendments. See review.amendments."))
    if is_fallback(change.level):
        said.append(
            translate(
                "The text was matched loosely ({level}). See diff_preview for what was replaced.",
                level=change.level,
            )
            if change.preview.text
            else translate(
                "The text was matched loosely ({level}). Use {Read} to see what was replaced.",
                level=change.level,
            )
        )
    if change.merged is not None:
        said.append(
            translate("The change was merged with changes that others made since the read. See merged.")
        )
    corrected = [
        translate("Its line endings ({eol}) are kept.", eol=one.detail)
        if submitted.unchanged and one.kind == "line_ends"  # nothing is written with those of the content
        else corrected_text(translate, one.kind, one.detail)
        for one in change.corrections
    ]
    said += dict.fromkeys(corrected)  # one program may run twice, as ruff does to sort imports first
    if any(one.kind == "formatted" for one in change.corrections):
        said.append(
            translate("Later edits must match it: see diff_preview.")
            if change.preview.text
            else translate("Later edits must match it: use {Read}.")
        )
    if submitted.landing is not None:
        said += _after_landing(translate, submitted.landing)
    said.append(hints_text((change,), translate))
    said.append(always_asked_text((change,), translate, with_paths=False))
    said.append(diagnostics_text(diagnostics, translate, dry_run=submitted.dry_run))
    if change.preview.truncated:
        said.append(translate("(Diff preview truncated. Use {Read} to see the full content.)"))
    if in_full is not None:
        said.append(in_full(change, escape_invisible(normalize(change.shown)), translate))
    return sentences(translate, said)


def _fits(change: FileChange) -> bool:
    """Whether the text is within the limits of a read."""
    limits = change.settings.limits
    return len(change.shown) <= limits.read_chars and change.shown.count("\n") <= limits.read_lines


def _headline(exchange: Exchange, submitted: Submitted) -> str:
    translate, change = exchange.translate, submitted.change
    added, removed = change.line_counts
    facts: dict[str, Any] = {"path": exchange.shown(submitted.access), "added": added, "removed": removed}
    if submitted.unchanged:
        return _unchanged(translate, submitted, facts)
    if submitted.landing is None:
        if change.operation == "create":
            return translate("[Dry Run] Would create '{path}' (+{added} lines).", **facts)
        return translate("[Dry Run] Would update '{path}' (+{added}/-{removed} lines).", **facts)
    if submitted.landing.where == "disk" and exchange.phrasing.landed is not None:
        own = exchange.phrasing.landed(submitted.landing, facts["path"], translate)
        if own is not None:
            return own
    return _landed(translate, submitted.landing, facts)


def _unchanged(translate: Translate, submitted: Submitted, facts: dict[str, Any]) -> str:
    if submitted.dry_run:
        return translate("[Dry Run] '{path}' already has this content.", **facts)
    if submitted.change.base.dirty:
        return translate("'{path}' already has this content in the editor, but it is not saved.", **facts)
    return translate("'{path}' already has this content. Nothing was written.", **facts)


def _landed(translate: Translate, landing: Landing, facts: dict[str, Any]) -> str:
    if landing.where == "editor":
        return translate(
            "The change of '{path}' (+{added}/-{removed} lines) is in the editor, but not saved.", **facts
        )
    facts["size"] = landing.seen.size_bytes
    if landing.change.operation == "create":
        return translate(
            "Created '{path}' (1 line, {size} bytes).",
            plural="Created '{path}' ({added} lines, {size} bytes).",
            **facts,
            count=facts["added"],
        )
    return translate("Updated '{path}' (+{added}/-{removed} lines, {size} bytes).", **facts)


def _after_landing(translate: Translate, landing: Landing) -> list[str]:
    said = []
    if folder := created_folder(landing):
        said.append(translate("(Created directory: {path}/)", path=escape_to_one_line(folder)))
    if landing.hard_links:
        said.append(translate("The file had other names (hard links), which keep the old content."))
    if landing.owner_lost:
        said.append(
            translate("The file's owner or group could not be kept, so others may have lost access to it.")
        )
    if landing.on_save is not None:
        said.append(translate("It was saved with other changes. See review.on_save."))
    if landing.where == "editor":
        said.append(translate("The user must save it. Until then it is not on disk."))
    return said


def _unseen_answer(exchange: Exchange, submitted: Submitted) -> Envelope:
    """The envelope of a change of a file that the session may not read, with all members of `data`, but only
    the time in `stats`. It reveals only that the change was made, not even whether the text differs now. What
    became of it in an open document would tell that: an editor saves only what differs
    (docs/protocol.md#13-settings-and-policy)."""
    landing, proposal = submitted.landing, submitted.proposal
    in_editor = landing is not None and landing.change.base.buffer is not None
    applied = landing is not None and not in_editor
    data: WriteData = {
        "applied": applied,
        "operation": submitted.change.operation,
        "diff_preview": "",
        "diff_truncated": False,
        "warnings": [],
        "corrections": [],
        "unchanged": False,
    }
    if landing is not None and proposal is not None:
        data["landing"] = "editor" if in_editor else "disk"
        if exchange.ws.settings.history.enabled:
            data["change_id"] = proposal.id
        data["review"] = landed_facts(proposal, landing, texts=False)
    stats: Stats = {"time_ms": exchange.time_ms()}
    text = _unseen_text(exchange, submitted, data.get("review"), in_editor=in_editor)
    return exchange.succeed(data, text, stats, partial=not applied, access=submitted.access)


def _unseen_text(exchange: Exchange, submitted: Submitted, review: Review | None, *, in_editor: bool) -> str:
    translate = exchange.translate
    path = exchange.shown(submitted.access)
    if submitted.landing is None:
        done = translate("[Dry Run] Would write '{path}'.", path=path)
    elif in_editor:
        done = translate("'{path}' is changed in the editor. Whether it is saved is not reported.", path=path)
    else:
        done = translate("Wrote '{path}'.", path=path)
    amended = hidden_amendments(review, translate)
    why = translate("Reading this file is denied or requires approval, so its content is not reported.")
    return sentences(translate, (done, *exchange.remarks, amended, why))
