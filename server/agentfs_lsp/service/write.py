"""agentfs/write: create a file or replace it entirely (docs/protocol.md#6-agentfswrite)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentfs_lsp.domain.access import Access
from agentfs_lsp.domain.diff.elision import find_placeholder
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.line_ends import placed
from agentfs_lsp.domain.errors import EmptyContent, FolderMissing, LossyReplace, ResultTooLarge, TextLeftOut
from agentfs_lsp.domain.paths import check_new_name
from agentfs_lsp.domain.settings.groups import is_among
from agentfs_lsp.domain.splices import Splice, produced
from agentfs_lsp.domain.text.byte_order_mark import MARK, marked_like
from agentfs_lsp.domain.text.double_escapes import has_escaped_newlines, with_newlines
from agentfs_lsp.domain.text.lines import normalize, with_eol
from agentfs_lsp.domain.text.textfile import empty_as, eol_of
from agentfs_lsp.service.change_request import ChangeRequest, Plan
from agentfs_lsp.service.files.editorconfig import Style, style_of
from agentfs_lsp.service.files.snapshot import Snapshot
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.risks import Warned
from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Write:
    """The new content. `create_dirs` False forbids creating the folder even if the setting allows it."""

    request: ChangeRequest
    content: str
    allow_empty: bool = False
    create_dirs: bool | None = None

    def plan(self, ws: Workspace, *, folder_comes: bool = False) -> Plan:
        """Return the computation. `folder_comes`: an earlier operation creates the folder. Raises
        EmptyContent and ResultTooLarge; the computation TextLeftOut, LossyReplace, FolderMissing,
        MalformedPath."""
        if not self.content.lstrip(MARK) and not self.allow_empty:
            raise EmptyContent
        limit = ws.settings.limits.max_file_bytes
        if len(self.content) > limit:
            raise ResultTooLarge(self.request.path, len(self.content), limit)

        def compute(snapshot: Snapshot, access: Access) -> FileChange:
            if not has_escaped_newlines(self.content):
                return self.computed(ws, snapshot, access, folder_comes)
            globs, relative = ws.settings_in(snapshot.location.root).correction, snapshot.location.relative
            meant = with_newlines(self.content) if is_among(globs.escapes, relative) else None
            if meant is not None:
                change = replace(self, content=meant).computed(ws, snapshot, access, folder_comes)
                return replace(change, corrections=(*change.corrections, Correction("escapes", "\\n")))
            hint = (Warned("escaped", 1, "\\n"),) if is_among(globs.escape_hints, relative) else ()
            change = self.computed(ws, snapshot, access, folder_comes)
            return replace(change, hints=(*change.hints, *hint))

        return compute

    def computed(self, ws: Workspace, snapshot: Snapshot, access: Access, folder_comes: bool) -> FileChange:
        """The change of this file. Raises what `plan` says."""
        if snapshot.exists:
            return _replacement(ws, self, access, snapshot)
        check_new_name(snapshot.location.relative)
        settings = ws.settings_in(snapshot.location.root)
        create_dirs = settings.create_dirs and self.create_dirs is not False
        if not create_dirs and not folder_comes and not ws.files.has_folder(snapshot.location):
            folder = access.path.rpartition("/")[0] + "/"
            raise FolderMissing(folder, by_setting=not settings.create_dirs)
        return _creation(ws, self, access, snapshot, create_dirs=create_dirs)


def _creation(
    ws: Workspace, command: Write, access: Access, snapshot: Snapshot, *, create_dirs: bool
) -> FileChange:
    content, corrections = _without_mark(command.content)
    settings, location = ws.settings_in(snapshot.location.root), snapshot.location
    style = style_of(ws.files, location)
    wanted = style.eol if is_among(settings.correction.line_ends, location.relative) else None
    if wanted and eol_of(content) not in ("none", eol_of(wanted)):
        content = with_eol(content, wanted)
        corrections.append(Correction("line_ends", eol_of(wanted)))
    if is_among(settings.correction.charset, location.relative):
        encoded = _in_charset(snapshot, style, ws.source_of(location).named)
        if encoded is not snapshot:
            snapshot = encoded
            corrections.append(Correction("charset", style.charset or ""))
    splices = (Splice(0, 0, content),) if content else ()
    return FileChange(
        access.path,
        snapshot,
        "create",
        splices,
        settings,
        tools=("write",),
        create_dirs=create_dirs,
        corrections=tuple(corrections),
        access=access,
    )


def _replacement(ws: Workspace, command: Write, access: Access, snapshot: Snapshot) -> FileChange:
    if snapshot.text.lossy and command.request.expected.hash is None:
        raise LossyReplace(access.path)
    shown = snapshot.text.shown
    content, corrections = _without_mark(command.content)
    content = marked_like(shown, content)
    plain, wanted = normalize(shown), normalize(content)
    hunks = diff(plain, wanted)
    # Don't reveal whether an unreadable file contains a marker.
    original, changed = (plain, produced(hunks)) if access.seen else (None, None)
    left_out = find_placeholder(wanted, original, changed)
    settings = ws.settings_in(snapshot.location.root)
    if left_out is not None and is_among(settings.correction.elided, snapshot.location.relative):
        raise TextLeftOut(left_out.line, left_out.marker)
    own, given = eol_of(shown), eol_of(content)
    splices = diff(shown, content) if own == "none" else placed(shown, hunks)
    if snapshot.lost_eol:
        own = eol_of(snapshot.lost_eol)
    if own != "none" and given not in ("none", own):
        corrections.append(Correction("line_ends", own))
    return FileChange(
        access.path,
        snapshot,
        "update",
        splices,
        settings,
        tools=("write",),
        corrections=tuple(corrections),
        hints=(Warned("elided", left_out.line, ""),) if left_out else (),
        access=access,
    )


def _in_charset(snapshot: Snapshot, style: Style, told: str | None) -> Snapshot:
    """The new file in the encoding of `.editorconfig`, unless the editor has `told` one or shows the file."""
    if style.charset is None or told is not None or snapshot.buffer is not None:
        return snapshot
    text = empty_as(style.charset)
    return snapshot if text == snapshot.text else snapshot._replace(text=text)


def _without_mark(content: str) -> tuple[str, list[Correction]]:
    """Drop a leading byte-order mark: a file keeps its own, and a new one has none."""
    text = content.lstrip(MARK)
    return text, [Correction("byte_order_mark", "")] if len(text) < len(content) else []
