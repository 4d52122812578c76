"""Landed changes in the wire format (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.landing.precondition import preview_between

if TYPE_CHECKING:
    from agentfs_lsp.api.results import LandedChange, LandedFile
    from agentfs_lsp.domain.settings.settings import Settings
    from agentfs_lsp.service.history import NameOf, SettingsOf
    from agentfs_lsp.service.proposal.record import HistoryRecord, RecordedFile


def change_on_wire(
    change: HistoryRecord,
    name_of: NameOf,
    settings_of: SettingsOf,
    *,
    texts: bool,
    namespace: str = "",
    by_user: bool = False,
) -> LandedChange:
    """One entry of `data.changes`; `texts` includes the texts of its files. `namespace`: the viewer knows its
    sessions without it. `by_user`: for the user, who is told the connection, and who decided."""
    shown: LandedChange = {
        "change_id": change.id,
        "time": date_on_wire(change.time_ms),
        "session": change.session.removeprefix(namespace),
        "agent": change.agent,
        "tool": change.tool,
        "explanation": change.explanation,
        "decision": change.decision,
        "by": change.by,
        "landing": change.landing,
        "decided_at": date_on_wire(change.decider.time_ms) if change.decider else None,
        "modified_by_user": change.modified_by_user,
        "files": [_file(file, name_of(file), settings_of(file), texts=texts) for file in change.files],
    }
    if by_user:
        shown["connection"] = change.connection
        if (by := change.decider) is not None:
            shown["decided_by"] = {
                "rung": by.rung,
                "client": by.client,
                "rule": by.rule,
                "feedback": by.feedback,
            }
    return shown


def date_on_wire(time_ms: int) -> str:
    """The time as RFC 3339 in UTC."""
    date = datetime.fromtimestamp(time_ms / 1000, UTC)
    return date.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _file(file: RecordedFile, name: str, settings: Settings, *, texts: bool) -> LandedFile:
    shown: LandedFile = {
        "path": name,
        "operation": file.operation,
        "before_hash": file.before_hash,
        "after_hash": file.after_hash,
        "lines_added": file.lines_added,
        "lines_removed": file.lines_removed,
    }
    if amendment := _amendment(file, name, settings):
        shown["amendment"] = amendment
    if texts:
        shown["before_text"], shown["proposed_text"] = file.before, file.proposed
        shown["after_text"] = file.after
    return shown


def _amendment(file: RecordedFile, name: str, settings: Settings) -> str:
    """The diff from what was proposed to what the user accepted instead, within the `diff.*` limits; empty if
    that is the same, or not known."""
    if file.accepted is None:
        return ""
    return preview_between(name, normalize(file.proposed or ""), normalize(file.accepted), settings)
