"""Proposals and responses to review clients in the wire format (docs/protocol.md#91-review-clients)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentfs_lsp.api.results import (
    Corrected,
    FileWarned,
    LineStats,
    Proposal,
    Proposed,
    ProposedFile,
    ReviewedFile,
    State,
    Warned,
)
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.proposal import Proposal as PendingProposal
from agentfs_lsp.service.proposal.proposal import State as PendingState
from agentfs_lsp.service.proposal.risks import Warned as FoundWarning
from agentfs_lsp.service.proposal.wording import corrected_text, detail_text, title_of

STATES: Mapping[PendingState, State] = {
    "asked": "queued",
    "queued": "queued",
    "computed": "queued",
    "waiting": "queued",
    "shown": "shown",
    "settled": "shown",
    "landing": "landing",
    "ended": "landing",
}
"""A proposal's states on the wire."""


def proposed_on_wire(proposal: PendingProposal, translate: Translate) -> Proposed:
    """The params of `agentfs/proposed`."""
    told: Proposed = {
        "id": proposal.id,
        "title": title_of(proposal, translate),
        "tool": proposal.tool,
        "session": proposal.session,
        "agent": proposal.agent,
        "explanation": proposal.explanation,
        "atomic": proposal.atomic,
        "files": [_file(change) for change in proposal.changes],
    }
    if proposal.blind:
        told["blind"] = True
    return told


def proposal_on_wire(proposal: PendingProposal, translate: Translate) -> Proposal:
    """The result of `agentfs/proposal`: the same with the state and the texts, whose line endings are
    `\\n`."""
    return {
        **proposed_on_wire(proposal, translate),
        "state": STATES[proposal.state],
        "files": [_reviewed(change, translate) for change in proposal.changes],
    }


def _reviewed(change: FileChange, translate: Translate) -> ReviewedFile:
    return {
        **_file(change),
        "base_text": normalize(change.base.text.shown),
        "proposed_text": normalize(change.shown),
        "encoding": change.base.text.encoding,
        "eol": eol_of(change.shown),
        "warnings": [*_corrected(change, translate), *warnings_on_wire(change.review_warnings, translate)],
    }


def _corrected(change: FileChange, translate: Translate) -> list[Warned]:
    """What was corrected in the agent's text, in words."""
    return [
        {"kind": "corrected", "line": 0, "detail": corrected_text(translate, one.kind, one.detail)}
        for one in change.corrections
    ]


def warnings_on_wire(warnings: Sequence[FoundWarning], translate: Translate) -> list[Warned]:
    """`warnings` as docs/protocol.md#94-what-the-answer-says has them."""
    return [
        {"kind": one.kind, "line": one.line, "detail": detail_text(one.kind, one.detail, translate)}
        for one in warnings
    ]


def warnings_of_files(changes: Sequence[FileChange], translate: Translate) -> list[FileWarned]:
    """The same for several files, each with its path."""
    return [
        {**warning, "path": change.path}
        for change in changes
        for warning in warnings_on_wire(change.warnings, translate)
    ]


def corrections_on_wire(corrections: Sequence[Correction]) -> list[Corrected]:
    """`corrections` as docs/protocol.md#6-agentfswrite has them."""
    return [{"kind": one.kind, "detail": one.detail} for one in corrections]


def line_stats(changes: Sequence[FileChange], time_ms: int, *, shown: bool) -> LineStats:
    """The stats of a change of several files. `shown`: the session may be told all that landed."""
    stats: LineStats = {"time_ms": time_ms, "files_changed": len(changes)}
    if shown:
        counted = [change.line_counts for change in changes]
        stats["lines_added"] = sum(added for added, _ in counted)
        stats["lines_removed"] = sum(removed for _, removed in counted)
    return stats


def _file(change: FileChange) -> ProposedFile:
    buffer = change.base.buffer
    added, removed = change.line_counts
    return {
        "uri": buffer.uri if buffer else change.base.location.uri,
        "path": change.path,
        "operation": change.operation,
        "version": buffer.version if buffer else None,
        "base_hash": change.base.hash if change.base.exists else None,
        "lines_added": added,
        "lines_removed": removed,
    }
