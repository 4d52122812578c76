"""What changes break: syntax errors, before they are proposed, and what other programs in the editor find
after they have landed (docs/protocol.md#95-diagnostics)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentfs_lsp.domain.diagnostics import introduced
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.found import Found
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.syntax import Texts
from agentfs_lsp.service.state.workspace import Workspace, off_loop

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


def announce_landing(ws: Workspace, proposal: Proposal, changes: Sequence[FileChange]) -> None:
    """The changes are about to land: the editor remembers what is said about their files."""
    told = [_uri_of(change) for change in changes if _is_reported(ws, proposal, change)]
    if told and ws.found_in_editor is not None:
        ws.found_in_editor.landing(proposal.id, told)


async def with_reported(ws: Workspace, proposal: Proposal, landings: Sequence[Landing]) -> list[Landing]:
    """The landings with what other programs have found in their files since. Files that the session may not
    read are left out. A cancellation ends the wait, and nothing else: the changes have landed."""
    uris = [_uri_of(one.change) for one in landings if _is_reported(ws, proposal, one.change)]
    if not uris or ws.found_in_editor is None:
        return list(landings)
    try:
        found = await ws.found_in_editor.since(proposal.id, uris, ws.settings.diagnostics.wait_ms)
        return await _with_new(ws, proposal, landings, found)
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
        return list(landings)


async def _with_new(
    ws: Workspace, proposal: Proposal, landings: Sequence[Landing], found: Mapping[str, Found]
) -> list[Landing]:
    """The landings with what is new of what was found in their files."""
    result: list[Landing] = []
    for one in landings:
        change, of_file = one.change, found.get(_uri_of(one.change))
        if of_file is not None and _is_reported(ws, proposal, change):  # it may have been denied since
            news = await off_loop(change.extent, introduced, change.base.text.shown, change.hunks, *of_file)
            one = replace(one, change=replace(change, reported=news)) if news else one  # noqa: PLW2901
        result.append(one)
    return result


def _is_reported(ws: Workspace, proposal: Proposal, change: FileChange) -> bool:
    return (
        ws.found_in_editor is not None
        and ws.found_in_editor.is_available
        and ws.settings.diagnostics.wait_ms > 0
        and proposal.tool != "undo"
        and change.operation != "delete"
        and ws.judge("read", change.base.location, proposal.session).decision == "allow"
    )


def _uri_of(change: FileChange) -> str:
    return change.uri or change.base.location.uri
