"""Changes that the editor applies, or reports, after the agent has its answer
(docs/protocol.md#11-history-and-undo).

Some editors leave a preview open when the request is cancelled, and slow ones apply it file by file: that is
the user's own edit, which nobody approves any more. Others apply an approved edit only once the user has
answered something, or report it only with the next key.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.splices import is_partly_made
from agentfs_lsp.domain.text.lines import normalize
from agentfs_lsp.service.files.documents import Document
from agentfs_lsp.service.files.snapshot import Buffer
from agentfs_lsp.service.history import keep
from agentfs_lsp.service.landing.holding import holds_all
from agentfs_lsp.service.landing.last_line_end import landed_as
from agentfs_lsp.service.landing.observing import Observation, previewed
from agentfs_lsp.service.proposal.change import FileChange, Landing
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.state.workspace import Workspace, off_loop

WATCHED_S = 3600
MAX_WATCHED = 16
"""Limits of the watch for a preview, in seconds and in proposals: each keeps its texts in memory."""


async def watch_preview(
    ws: Workspace, proposal: Proposal, changes: Sequence[FileChange], limit_s: float
) -> None:
    """Wait for the user to apply these changes of the preview, whole or in part, and add them to history."""
    if ws.late_watched >= MAX_WATCHED:
        return
    ws.late_watched += 1
    try:
        with ExitStack() as watching:
            observed = [watching.enter_context(Observation(ws.documents, one)) for one in changes]
            applied = await previewed([_applied(ws, proposal, one) for one in observed], limit_s)
    finally:
        ws.late_watched -= 1
    finals = zip(changes, applied, strict=True)
    keep(ws, proposal, "withdrawn", "user", [(one, Landing.unsaved(final)) for one, final in finals if final])


async def _applied(ws: Workspace, proposal: Proposal, observation: Observation) -> FileChange | None:
    change = await observation.any_of_it()
    document = observation.document or observation.edited
    return change if await _is_of_editor(ws, proposal, change, document) else None


def hold_until_reported(ws: Workspace, proposal: Proposal, observation: Observation) -> None:
    """Let no other change of the document land until the client reports its next version, closes it, or
    refuses this change, which was approved. If that version has the change, add it to history: later ones are
    the user's. An edit that was not answered may still come into a document that is closed and opened again:
    Neovim applies it once the user has left a prompt. This keeps the texts of one proposal per document
    in memory."""
    change, answer = observation.change, observation.answer
    edited, version = observation.edited, observation.version

    def end() -> None:
        stop_watching()
        answer.remove_done_callback(seen)
        ws.unreported.discard(change.absolute)

    def seen(_: object = None) -> None:
        nonlocal edited, version
        document = observation.document
        if answer.done() and (change.changes_nothing or not answer.result()):
            end()  # refused, or nothing to report
        elif document is not None and document is edited:
            if document.version != version:
                end()  # reported
                if document.in_sync and (reported := Buffer.of(document)):
                    ws.afterwards(_keep_if_in(ws, proposal, change, document, reported))
        elif answer.done() or (
            document is not None and not change.is_blind and observation.shows_some(normalize(document.text))
        ):
            end()  # closed, or opened again with the change on disk
        elif document is None:  # closed before the change came
            edited = None
            ws.unreported.discard(change.absolute)
        else:  # opened again, where the change may still come
            edited, version = document, document.version
            ws.unreported.add(change.absolute)

    stop_watching = ws.documents.watch(change.absolute, seen)
    answer.add_done_callback(seen)
    ws.unreported.add(change.absolute)
    seen()


async def _keep_if_in(
    ws: Workspace, proposal: Proposal, change: FileChange, document: Document, reported: Buffer
) -> None:
    decision = proposal.decision
    made = await off_loop(len(reported.text), _as_in, reported, change)
    if decision is not None and made is not None and await _is_of_editor(ws, proposal, made, document):
        keep(ws, proposal, decision.decision, decision.by, [(change, Landing.unsaved(made))])


def _as_in(version: Buffer, change: FileChange) -> FileChange | None:
    """The change as this version of the document has it, whole or in part."""
    landed = landed_as(change, version, applied=False)
    if landed is not None or holds_all(change, version.text):
        return landed or change
    is_part = is_partly_made(version.text, change.base.text.shown, change.hunks)
    return change.amended(version.text) if is_part else None


async def _is_of_editor(
    ws: Workspace, proposal: Proposal, change: FileChange, document: Document | None
) -> bool:
    """Whether the editor applied this change, in this document, which may be closed by now. Its text may come
    from another change of the file, which is landing, or from the disk: whoever opens a file that holds the
    change applies nothing."""
    for other in ws.proposals:
        lands = other.decision is not None or ws.reviewer.applies_itself(other)
        if lands and other is not proposal and change.absolute in (one.absolute for one in other.changes):
            return False
    try:
        now = await ws.look(change.base.location, change.uri)
    except DomainError:
        return False
    return now.dirty or (document is not None and document.as_saved)
