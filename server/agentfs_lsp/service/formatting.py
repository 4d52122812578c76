"""Formats a proposed text by the user's own programs (docs/protocol.md#61-corrections).

Only where the file was formatted before, or the difference would drown in what the formatter changes besides.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.formatters import PATH, Command, commands_for
from agentfs_lsp.domain.text.byte_order_mark import MARK
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.landing.last_line_end import checked
from agentfs_lsp.service.programs import Program, ProgramFailed
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.state.workspace import Workspace, off_loop


def formatters_of(change: FileChange) -> tuple[Command, ...]:
    """The commands to format the file with. None for a file that the session may not see: how long they take
    would tell something about it."""
    formatters = change.settings.correction.formatters
    if not formatters or change.is_blind or change.base.text.lossy:
        return ()
    return commands_for(formatters, change.base.location.relative)


async def formatted(ws: Workspace, change: FileChange, commands: tuple[Command, ...]) -> FileChange | None:
    """The change with its text as these commands write it, one after the other; None if none of them applies.
    One that fails leaves the text as it was, with a warning."""
    base, text = await off_loop(change.extent, _plain, change)
    if not text or text.isspace():
        return None
    made, corrections, hints = text, [], []
    for words in commands:
        program = words[0].rpartition("/")[2]
        before = made
        try:
            made = await _as_formatted(ws, change, words, base, made)
        except ProgramFailed as failed:
            why = f"exit {failed.code}" if failed.failure == "exit" else failed.failure
            hints.append(Warned("formatter", 0, f"{program}: {why}"))
        if made != before:
            corrections.append(Correction("formatted", program))
    hinted = replace(change, hints=(*change.hints, *hints))
    if not corrections:
        return hinted if hints else None
    with suppress(DomainError):
        moved = replace(change, hints=(*change.hints_of_file, *hints))
        return await off_loop(change.extent, _with_text, moved, made, corrections)
    return replace(hinted, hints=(*hinted.hints, Warned("formatter", 0, f"{corrections[0].detail}: output")))


def _plain(change: FileChange) -> tuple[str, str]:
    """The texts before and after with `\\n` as line end: formatters need not keep others."""
    base, text = change.base.text.shown.removeprefix(MARK), change.shown.removeprefix(MARK)
    return normalize(base), normalize(text)


def _with_text(change: FileChange, text: str, corrections: list[Correction]) -> FileChange:
    amended = change.amended(text)
    return checked(replace(amended, corrections=(*change.corrections, *corrections)))


async def _as_formatted(ws: Workspace, change: FileChange, words: Command, base: str, text: str) -> str:
    """The text as this command writes it, if it writes the text before as it is. Raises ProgramFailed."""
    location, settings = change.base.location, change.settings
    program = Program(
        (words[0], *(word.replace(PATH, location.absolute) for word in words[1:])),
        [root.path for root in ws.distinct_roots],
        settings.correction.formatter_timeout_ms / 1000,
        settings.limits.max_file_bytes,
    )
    if not base or base.isspace():
        return await ws.programs.filter(program, text)
    was = asyncio.ensure_future(ws.programs.filter(program, base))
    now = asyncio.ensure_future(ws.programs.filter(program, text))
    try:
        return await now if await was == base else text
    finally:
        for one in (was, now):
            one.cancel()
        await asyncio.wait((was, now))
        for one in (was, now):
            if not one.cancelled():
                one.exception()  # retrieved, so that asyncio does not log it
