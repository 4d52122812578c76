"""agentfs/edit: replace a unique piece of an existing file (docs/protocol.md#7-agentfsedit)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.domain.correction import find_left_out
from agentfs_lsp.domain.errors import FileMissing, NoMatch, TextLeftOut
from agentfs_lsp.domain.matching import find
from agentfs_lsp.service.change import FileChange
from agentfs_lsp.service.submit import Asked, Submitted, Trace, submit

if TYPE_CHECKING:
    from agentfs_lsp.service.present import Present
    from agentfs_lsp.service.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Edit:
    """What to look for and what to put in its place; `expected_count` None: exactly one place."""

    asked: Asked
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_count: int | None = None


async def edit(ws: Workspace, command: Edit, trace: Trace) -> Submitted:
    """Propose the edit and land it. Raises what matching, the lock, the review and the landing raise."""

    def compute(present: Present) -> FileChange:
        path = trace.resolved or command.asked.path
        if not present.exists:
            raise FileMissing(path)
        shown = present.text.shown
        left_out = find_left_out(command.new_string, shown)
        if left_out is not None:
            raise TextLeftOut(left_out.line, left_out.marker)
        try:
            match = find(
                shown,
                command.old_string,
                command.new_string,
                replace_all=command.replace_all,
                expected_count=command.expected_count,
            )
        except NoMatch as miss:
            if not trace.seen:
                miss.near, miss.detail = (), ""
            raise
        return FileChange(
            path,
            present,
            "update",
            match.splices,
            ws.settings,
            replacements=match.replacements,
            level=match.level,
        )

    return await submit(ws, command.asked, compute, trace)
