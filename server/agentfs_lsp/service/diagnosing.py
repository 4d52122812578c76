"""Looks for syntax errors that changes introduce, before they are proposed
(docs/protocol.md#95-diagnostics)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.syntax import Texts
from agentfs_lsp.service.state.workspace import Workspace

MAX_BYTES = 256 * 1024
"""Larger texts are not parsed: parsing has to stay unnoticed."""


async def diagnosed(ws: Workspace, changes: Sequence[FileChange]) -> list[FileChange]:
    """The changes with the syntax errors that they introduce."""
    numbers = [number for number, change in enumerate(changes) if _is_checked(ws, change)]
    result = list(changes)
    if ws.syntax is None or not numbers:
        return result
    found = await ws.syntax.check([_texts_of(changes[number]) for number in numbers])
    for number, problems in zip(numbers, found, strict=True):
        if problems or changes[number].syntax:
            result[number] = replace(changes[number], syntax=problems)
    return result


def _is_checked(ws: Workspace, change: FileChange) -> bool:
    return (
        ws.syntax is not None
        and change.settings.diagnostics.syntax
        and change.operation != "delete"
        and bool(change.splices)
        and change.extent <= MAX_BYTES
        and ws.syntax.can_check(change.path)
    )


def _texts_of(change: FileChange) -> Texts:
    if change.is_blind:  # what the file held may decide nothing, not even how long this takes
        return Texts(change.path, "", change.shown, (Splice(0, 0, change.shown),))
    return Texts(change.path, change.base.text.shown, change.shown, change.hunks)
