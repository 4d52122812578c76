"""Proposals and the answers of docs/protocol.md#91-review-clients as they look on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.lines import normalise
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.service.proposal.wording import detail_text, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentfs_lsp.domain.translation import Translate
    from agentfs_lsp.service.proposal.change import FileChange, Warned
    from agentfs_lsp.service.proposal.proposals import Proposal


def proposed_on_wire(proposal: Proposal, translate: Translate) -> dict[str, object]:
    """The params of `agentfs/proposed`."""
    return {
        "id": proposal.id,
        "title": title_of(proposal, translate),
        "tool": proposal.tool,
        "session": proposal.session,
        "agent": proposal.agent,
        "explanation": proposal.explanation,
        "atomic": proposal.atomic,
        "files": [_file(change) for change in proposal.changes],
    }


def proposal_on_wire(proposal: Proposal, translate: Translate) -> dict[str, object]:
    """The result of `agentfs/proposal`: the same, with the state and the texts, line ends `\\n`."""
    return {
        **proposed_on_wire(proposal, translate),
        "state": proposal.state,
        "files": [{**_file(change), **_texts(change, translate)} for change in proposal.changes],
    }


def _texts(change: FileChange, translate: Translate) -> dict[str, object]:
    return {
        "base_text": normalise(change.base.text.shown),
        "proposed_text": normalise(change.shown),
        "encoding": change.base.text.encoding,
        "eol": eol_of(change.shown),
        "warnings": warnings_on_wire(change.warnings, translate),
    }


def warnings_on_wire(warnings: Sequence[Warned], translate: Translate) -> list[dict[str, object]]:
    """`warnings` as docs/protocol.md#94-what-the-answer-says has them."""
    return [
        {"kind": one.kind, "line": one.line, "detail": detail_text(one.kind, one.detail, translate)}
        for one in warnings
    ]


def _file(change: FileChange) -> dict[str, object]:
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
