"""agentfs/edit: replace a unique passage of an existing file (docs/protocol.md#7-agentfsedit)."""

from __future__ import annotations

from dataclasses import dataclass

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.diff.elision import find_placeholder
from agentfs_lsp.domain.errors import FileMissing, NothingChanges, TextLeftOut
from agentfs_lsp.domain.matching.matching import find
from agentfs_lsp.domain.settings.groups import is_among
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.service.change_request import ChangeRequest, Plan
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Edit:
    """What to search for and its replacement; `expected_count` None: exactly one match."""

    request: ChangeRequest
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_count: int | None = None

    def plan(self, ws: Workspace) -> Plan:
        """Return the computation. It raises FileMissing, TextLeftOut, and what matching raises."""

        def compute(snapshot: Snapshot, access: Access) -> FileChange:
            if not snapshot.exists:
                raise FileMissing(access.path)
            shown, old, new = snapshot.text.shown, self.old_string, self.new_string
            settings = ws.settings_in(snapshot.location.root)
            left_out = find_placeholder(new, shown)
            if left_out and is_among(settings.correction.elided, snapshot.location.relative):
                raise TextLeftOut(left_out.line, left_out.marker)
            match = find(shown, old, new, replace_all=self.replace_all, expected_count=self.expected_count)
            splices, corrections = _without_mark(match.splices, snapshot)
            return FileChange(
                access.path,
                snapshot,
                "update",
                splices,
                settings,
                corrections=corrections,
                hints=(Warned("elided", 0, ""),) if left_out else (),
                replacements=match.replacements,
                level=match.level,
                access=access,
            )

        return compute


def _without_mark(
    splices: tuple[Splice, ...], snapshot: Snapshot
) -> tuple[tuple[Splice, ...], tuple[Correction, ...]]:
    """Drop a byte-order mark inserted in front of the text: the file keeps its own, or none. Some editors
    keep it in the text."""
    first, *others = splices
    kept = len(MARK) if snapshot.text.text.startswith(MARK) else 0
    put_in = first.text.startswith(MARK)
    if first.start > kept or not (put_in or first.start < kept):
        return splices, ()
    behind = Splice(kept, max(kept, first.end), first.text.lstrip(MARK))
    if behind.start == behind.end and not behind.text and not others:
        raise NothingChanges
    corrections = (Correction("byte_order_mark", ""),) if put_in and first.start == kept else ()
    return (behind, *others), corrections
