"""agentfs/write: create a file or replace it whole (docs/protocol.md#6-agentfswrite)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentfs_lsp.domain.diff.elision import find_left_out
from agentfs_lsp.domain.diff.hunks import diff
from agentfs_lsp.domain.diff.line_ends import splices_towards
from agentfs_lsp.domain.errors import EmptyContent, FolderMissing, LossyReplace, ResultTooLarge, TextLeftOut
from agentfs_lsp.domain.paths import check_new_name
from agentfs_lsp.domain.splices import Splice
from agentfs_lsp.domain.text.lines import with_eol
from agentfs_lsp.domain.text.textfile import eol_of
from agentfs_lsp.service.files.editorconfig import eol_for
from agentfs_lsp.service.landing.propose import ChangeRequest, Submitted, Trace, submit
from agentfs_lsp.service.proposal.change import MARK, Correction, FileChange

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Write:
    """The whole content a file is to have; `create_dirs` False: not in a folder that is
    missing, though the setting would have it created."""

    request: ChangeRequest
    content: str
    allow_empty: bool = False
    create_dirs: bool | None = None


async def write(ws: Workspace, command: Write, trace: Trace) -> Submitted:
    """Propose the content and land it. Raises what `plan_write` and its plan raise, and what the
    precondition, the review and the landing raise."""
    return await submit(ws, command.request, plan_write(ws, command, trace), trace)


def plan_write(
    ws: Workspace, command: Write, trace: Trace, *, folder_comes: bool = False
) -> Callable[[Snapshot], FileChange]:
    """What makes the change of the file as it is when its turn has come. `folder_comes`: its folder will be
    there when it lands. Raises EmptyContent and ResultTooLarge; the plan TextLeftOut, LossyReplace,
    FolderMissing, MalformedPath."""
    if not command.content.lstrip(MARK) and not command.allow_empty:
        raise EmptyContent
    limit = ws.settings.limits.max_file_bytes
    if len(command.content) > limit:
        raise ResultTooLarge(command.request.path, len(command.content), limit)

    def compute(snapshot: Snapshot) -> FileChange:
        path = trace.resolved or command.request.path
        if snapshot.exists:
            return _replacement(ws, command, path, snapshot, redacted=not trace.seen)
        check_new_name(snapshot.location.relative)
        settings = ws.settings_in(snapshot.location.root)
        create_dirs = settings.create_dirs and command.create_dirs is not False
        if not create_dirs and not folder_comes and not ws.files.has_folder(snapshot.location):
            raise FolderMissing(path.rpartition("/")[0] + "/", by_setting=not settings.create_dirs)
        return _creation(ws, command, path, snapshot, create_dirs=create_dirs)

    return compute


def _creation(
    ws: Workspace, command: Write, path: str, snapshot: Snapshot, *, create_dirs: bool
) -> FileChange:
    content, corrections = _without_mark(command.content)
    wanted = eol_for(ws.files, snapshot.location)
    if wanted and eol_of(content) not in ("none", wanted.name):
        content = with_eol(content, wanted.end)
        corrections.append(Correction("line_ends", wanted.name))
    splices = (Splice(0, 0, content),) if content else ()
    return FileChange(
        path,
        snapshot,
        "create",
        splices,
        ws.settings_in(snapshot.location.root),
        tools=("write",),
        create_dirs=create_dirs,
        corrections=tuple(corrections),
    )


def _replacement(
    ws: Workspace, command: Write, path: str, snapshot: Snapshot, *, redacted: bool
) -> FileChange:
    """`redacted`: whether the file holds a marker, or anything, is not to be told."""
    if snapshot.text.lossy and command.request.expected.hash is None:
        raise LossyReplace(path)
    shown = snapshot.text.shown
    left_out = find_left_out(command.content, None if redacted else shown)
    if left_out is not None:
        raise TextLeftOut(left_out.line, left_out.marker)
    content, corrections = _without_mark(command.content)
    if shown.startswith(MARK):  # an editor that keeps the mark in the text
        content = MARK + content
    own, given = eol_of(shown), eol_of(content)
    splices = diff(shown, content) if own == "none" else splices_towards(shown, content)
    if snapshot.lost_eol:
        own = eol_of(snapshot.lost_eol)
    if own != "none" and given not in ("none", own):
        corrections.append(Correction("line_ends", own))
    return FileChange(
        path,
        snapshot,
        "update",
        splices,
        ws.settings_in(snapshot.location.root),
        tools=("write",),
        corrections=tuple(corrections),
    )


def _without_mark(content: str) -> tuple[str, list[Correction]]:
    """The content without a byte-order mark in front: a file keeps its own, and a new one has none."""
    text = content.lstrip(MARK)
    return text, [Correction("byte_order_mark", "")] if len(text) < len(content) else []
