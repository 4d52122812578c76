"""A change computed on what was known of a file, brought into the file as it is now
(docs/protocol.md#8-lock, docs/protocol.md#11-history-and-undo).

What comes out is a change of the present file like any other: it is reviewed as what will land. Line ends,
encoding and every line that nobody changed stay the present file's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.diff.line_ends import first_eol, placed
from agentfs_lsp.domain.diff.merging import merge
from agentfs_lsp.domain.errors import Conflict
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.text.lines import normalise
from agentfs_lsp.service.landing.precondition import preview_between

if TYPE_CHECKING:
    from agentfs_lsp.domain.splices import Splice
    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.proposal.change import FileChange
    from agentfs_lsp.service.state.sessions import ReadRecord

_MOVED_ON = ("changed", "expected")
"""Reasons of a conflict behind which the file is still the one that was read, with other content."""


def as_read(
    snapshot: Snapshot, record: ReadRecord | None, expected: Expected, conflict: Conflict
) -> Snapshot | None:
    """The file with the text that this session has read, to compute a change on; None where nothing can be
    merged: the text is no longer held, or is not what the caller says it builds on."""
    if conflict.reason not in _MOVED_ON or record is None or record.text is None:
        return None
    if expected and not expected.met_by(record.revision):
        return None
    text = replace(snapshot.text, text=record.text)
    return replace(snapshot, text=text, hash=record.revision.hash or "")


def brought_into(change: FileChange, snapshot: Snapshot) -> FileChange:
    """A change of what was read as a change of what is present. Raises Conflict where both changed the same
    lines."""
    read = change.base.text.shown
    since = preview_between(change.path, read, snapshot.text.shown, change.settings)
    try:
        splices = splices_into(change.path, read, change.shown, snapshot)
    except Conflict as conflict:
        conflict.expected, conflict.diff = Expected(hash=change.base.hash), since
        raise
    return replace(change, base=snapshot, splices=splices, merged=since)


def splices_into(path: str, before: str, after: str, snapshot: Snapshot) -> tuple[Splice, ...]:
    """The step from one text to another, as pieces of what is present, whatever line ends each has. Raises
    Conflict."""
    shown = snapshot.text.shown
    found = merge(normalise(before), normalise(after), normalise(shown))
    if found.clashes:
        source: Literal["disk", "editor"] = "editor" if snapshot.dirty else "disk"
        raise Conflict(path, source, "overlap", actual=snapshot.revision, lines=found.clashes)
    pieces = placed(shown, found.splices, snapshot.lost_eol or first_eol(after))
    return tuple(shortened(shown, piece) for piece in pieces)
