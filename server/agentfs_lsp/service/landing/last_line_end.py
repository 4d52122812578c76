"""How a document's last line ends in the editor, and in its file (docs/protocol.md#93-how-it-lands).

Most editors hold the file's text. Neovim (`ends_last_line`) stores lines, and separately whether the last of
them is ended. It reports these as one text, and an empty file as an empty line. No edit removes that end, and
one that inserts text behind it adds an empty line. After an edit that reaches past the last line, Neovim
removes an empty last line if it will end the file itself: so an unended line gets one end, and an emptied
document has no line. It reports that removal up to 150 ms later, and skips edits of earlier versions. So the
part of such an edit that it reports at once must not give the accepted text.
"""

from __future__ import annotations

from dataclasses import replace

from agentfs_lsp.domain.diff.line_ends import splices_between
from agentfs_lsp.domain.splices import Splice, apply_splices
from agentfs_lsp.domain.text.lines import is_ended, normalize, without_end
from agentfs_lsp.service.files.documents import Document
from agentfs_lsp.service.files.snapshot import Buffer
from agentfs_lsp.service.proposal.change import Correction, FileChange
from agentfs_lsp.service.proposal.review import DocumentEdit


def fitted(change: FileChange) -> FileChange:
    """The change with the last line end that its document will have. If the editor adds one on save, there
    would be two; one that Neovim keeps stays, and an empty file or line stays what it is."""
    buffer = change.base.buffer
    if buffer is None or change.operation != "update" or change.changes_nothing:
        return change
    base, wanted = change.base.text.text, change.shown
    if change.base.ended_by_save:
        return change.amended(without_end(wanted)) if is_ended(wanted) else change
    if not buffer.ends_last_line:
        return change
    if not without_end(wanted):
        kept = wanted if without_end(base) else base
    else:
        kept = wanted if is_ended(wanted) or not is_ended(buffer.text) else f"{wanted}\n"
    return change if kept == wanted else _corrected(change.amended(kept))


def checked(change: FileChange) -> FileChange:
    """As a change is computed: fitted to its document, and in its line ends."""
    change = fitted(change).in_its_line_ends()
    change.check()
    return change


def edit_of(change: FileChange) -> DocumentEdit:
    """The change as a document edit, pinned to the version if the file is open."""
    buffer, text = change.base.buffer, change.base.text.shown
    if buffer is None:
        return DocumentEdit(change.base.location.uri, None, text, change.hunks)
    return _edit(buffer, text, change.hunks, change.shown)


def reversal(edit: DocumentEdit, document: Document | None) -> DocumentEdit | None:
    """The edit that undoes `edit`, provided the document contains no other change."""
    if document is None or not document.in_sync:
        return None
    text, accepted = normalize(document.text), normalize(apply_splices(edit.base, edit.splices))
    if edit.past_last_line:  # early versions of Neovim report that they removed the empty last line
        text, accepted = without_end(text), without_end(accepted)
    if text != accepted:
        return None
    return _edit(document, document.text, splices_between(document.text, edit.base), edit.base)


def landed_as(change: FileChange, document: Buffer | Document, *, applied: bool) -> FileChange | None:
    """The change as the document holds it, alone; None if it does not. `applied`: the client says that it
    applied the change, without which a text as before, with the end that was to go, shows nothing."""
    buffer, text, accepted = change.base.buffer, normalize(document.text), normalize(change.shown)
    if text == accepted:
        return change
    if buffer is None or change.operation != "update" or document.version == buffer.version:
        return None
    was_ended = is_ended(buffer.text)
    if was_ended == is_ended(accepted) or not (was_ended or buffer.ends_last_line):
        return None
    if without_end(text) != without_end(accepted) or not (applied or text != normalize(buffer.text)):
        return None
    kept = replace(change.amended(text), end_is_kept=True)
    return _corrected(kept) if was_ended and accepted else kept


def _corrected(change: FileChange) -> FileChange:
    return replace(change, corrections=(*change.corrections, Correction("last_line_end", "")))


def _edit(document: Buffer | Document, text: str, splices: tuple[Splice, ...], after: str) -> DocumentEdit:
    """The edit that gives a document with the text `text` the text `after`, by these whole-line splices."""
    edit = DocumentEdit(document.uri, document.version, text, splices)
    to_end = splices and splices[-1].end == len(text) and (is_ended(after) or not after)
    if not document.ends_last_line or not to_end:
        return edit
    *others, last = splices
    end = len(without_end(text))
    if is_ended(text) and after:
        start = last.start if last.text and last.start <= end else len(without_end(text[: last.start]))
        whole = Splice(start, end, without_end(text[start : last.start] + last.text))
        return replace(edit, splices=(*others, whole))
    at = last.start if without_end(last.text) else end
    parts = (Splice(last.start, at, last.text), Splice(at, end, ""))
    return replace(edit, splices=(*others, *parts), past_last_line=True)
