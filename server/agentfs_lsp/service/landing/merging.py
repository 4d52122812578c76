"""Merge a change computed on an earlier version of a file into the current one (docs/protocol.md#8-lock,
docs/protocol.md#11-history-and-undo).

The result is an ordinary change of the current file, reviewed as it will land. Line ends, encoding and
untouched lines are those of the current file.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from agentfs_lsp.domain.diff.line_ends import placed
from agentfs_lsp.domain.diff.merging import merge
from agentfs_lsp.domain.errors import Conflict
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.byte_order_mark import both_marked_like, marked_like
from agentfs_lsp.domain.text.lines import first_eol, normalize
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.landing.precondition import preview_between
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.state.sessions import ReadRecord

_MOVED_ON = ("changed", "expected")
"""Conflicts that leave the same file in place with other content."""


def merge_base(
    snapshot: Snapshot, record: ReadRecord | None, expected: Expected, conflict: Conflict
) -> Snapshot | None:
    """The file with the text this session read, to compute a change on. None if a merge is impossible: the
    text is no longer stored, or is not what the caller expected."""
    if conflict.reason not in _MOVED_ON or record is None or record.text is None:
        return None
    if expected and not expected.met_by(record.revision):
        return None
    text = replace(snapshot.text, text=record.text)
    return snapshot._replace(text=text, hash=record.revision.hash or "")


def rebased(change: FileChange, snapshot: Snapshot) -> FileChange:
    """Rebase a change of the text read onto the current file. Raises Conflict if both changed a line."""
    read, shown = change.base.text.shown, snapshot.text.shown
    since = preview_between(change.path, marked_like(shown, read), shown, change.settings)
    try:
        splices = splices_into(change.path, read, change.shown, snapshot)
    except Conflict as conflict:
        conflict.expected, conflict.diff = Expected(hash=change.base.hash), since
        raise
    return replace(change, base=snapshot, splices=splices, merged=since, hints=change.hints_of_file)


def splices_into(path: str, before: str, after: str, snapshot: Snapshot) -> tuple[Splice, ...]:
    """The step from `before` to `after` as splices of the current text, whatever the line ends. Raises
    Conflict."""
    shown = snapshot.text.shown
    before, after = both_marked_like(shown, before, after)
    found = merge(normalize(before), normalize(after), normalize(shown))
    if found.clashes:
        source: Literal["disk", "editor"] = "editor" if snapshot.dirty else "disk"
        raise Conflict(path, source, "overlap", actual=snapshot.revision, lines=found.clashes)
    pieces = placed(shown, found.splices, snapshot.lost_eol or first_eol(after))
    return tuple(shortened(shown, piece) for piece in pieces)
