"""Corrections of a computed change before it is proposed (docs/protocol.md#61-corrections).

Each is listed in the answer and named in the review. What an existing file is, its encoding and line ends, is
kept by `write.py` and `edit.py` themselves; what a new file is to be is in `write.py`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.matching.splicing import shortened
from agentfs_lsp.domain.settings.groups import is_among
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.double_escapes import first_entity, is_code, without_entities
from agentfs_lsp.domain.text.lines import LINE_END, is_ended, line_of
from agentfs_lsp.domain.text.trailing_blanks import has_trailing, ranges_of, trimmed
from agentfs_lsp.service.files.editorconfig import style_of
from agentfs_lsp.service.files.store import FileStore
from agentfs_lsp.service.formatting import formatted, formatters_of
from agentfs_lsp.service.landing.last_line_end import checked
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.state.workspace import Workspace, off_loop


async def corrected(ws: Workspace, change: FileChange) -> FileChange:
    """The change as it is proposed. What can't be corrected stays as it is."""
    if not change.splices or change.operation == "delete":
        return change
    commands = formatters_of(change)
    if not commands:
        return await off_loop(change.extent, _in_its_own_way, ws.files, change)
    change = await off_loop(change.extent, _unescaped, change)
    made = await formatted(ws, change, commands)
    if made is not None and made.corrections != change.corrections:
        return made  # a formatter knows its language better than `.editorconfig`
    return await off_loop(change.extent, _as_the_project_writes, ws.files, made or change)


def _in_its_own_way(files: FileStore, change: FileChange) -> FileChange:
    return _as_the_project_writes(files, _unescaped(change))


def _unescaped(change: FileChange) -> FileChange:
    """Without HTML entities in code that had none, or with a hint at them. Not if the session may not see the
    file, as they depend on what it held."""
    relative, hunks = change.base.location.relative, change.hunks
    if change.is_blind or not is_code(relative):
        return change
    found = first_entity(change.base.text.shown, hunks)
    if found is None:
        return change
    at, entity = found
    if is_among(change.settings.correction.escapes, relative):
        meant = tuple(replace(hunk, text=without_entities(hunk.text)) for hunk in hunks)
        with suppress(DomainError):
            return checked(with_hunks(change, meant, [Correction("escapes", entity)]))
    if not is_among(change.settings.correction.escape_hints, relative):
        return change
    before = apply_splices(change.base.text.shown[: hunks[at].start], hunks[:at])
    line = line_of(before + hunks[at].text, len(before) + hunks[at].text.index(entity))
    return replace(change, hints=(*change.hints, Warned("escaped", line, entity)))


def _as_the_project_writes(files: FileStore, change: FileChange) -> FileChange:
    """With the blanks and the final newline of `.editorconfig`, which is read only if one may be wrong."""
    switched, relative = change.settings.correction, change.base.location.relative
    hunks, text = change.hunks, change.base.text.text
    blanks = has_trailing(hunks) and is_among(switched.trailing_blanks, relative)
    last = hunks[-1] if hunks else None
    # An editor that ends the last line on save does so anyway.
    unended = last is not None and last.end == len(text) and last.text and not is_ended(last.text)
    unended = unended and not change.base.ended_by_save and is_among(switched.final_newline, relative)
    if change.base.text.lossy or not (blanks or unended):
        return change
    style = style_of(files, change.base.location)
    corrections: list[Correction] = []
    if blanks and style.trims:
        hunks, lines = trimmed(text, hunks)
        corrections += [Correction("trailing_blanks", ranges_of(lines))] if lines else []
    last = hunks[-1]
    if unended and style.final_newline and last.text:
        hunks = (*hunks[:-1], replace(last, text=last.text + _eol_of(change, style.eol)))
        corrections.append(Correction("final_newline", ""))
    if not corrections:
        return change
    with suppress(DomainError):
        return checked(with_hunks(change, hunks, corrections))
    return change


def _eol_of(change: FileChange, wanted: str | None) -> str:
    """The line end of the text, or else that of a new file."""
    found = LINE_END.search(change.base.text.text) or LINE_END.search(change.proposed)
    if found is not None:
        return found.group()
    return change.base.lost_eol or (wanted if not change.base.exists and wanted else "\n")


def with_hunks(change: FileChange, hunks: tuple[Splice, ...], corrections: list[Correction]) -> FileChange:
    """The change with these hunks instead of its own."""
    text = change.base.text.text
    pieces = (shortened(text, hunk) for hunk in hunks)
    splices = tuple(piece for piece in pieces if text[piece.start : piece.end] != piece.text)
    return replace(change, splices=splices, corrections=(*change.corrections, *corrections))
