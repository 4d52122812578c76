"""Errors about changes that are not recorded or cannot be recorded (docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate, nothing_changed
from agentfs_lsp.service.proposal.record import HistoryTrouble

_MAX_NAMED = 3
"""The number of files of a change to name."""


def change_unknown(error: errors.ChangeUnknown, translate: Translate) -> ErrorText:
    change_id = shown(cut_name(error.change_id, LONGEST_UNKNOWN))
    said = translate("Change '{id}' is not in the history.", id=change_id)
    return said, translate(
        "agentfs/history lists the recorded changes. Older changes are deleted to make room for new ones."
    )


def nothing_to_undo(error: errors.NothingToUndo, translate: Translate) -> ErrorText:
    if error.unrecorded:
        said = translate("The last change of this session is not in the history.")
        next_step = translate(
            "To undo it, read its files and change them back. To undo another change, pass its change_id."
        )
        return said, nothing_changed(translate, next_step)
    said = translate("The history contains no changes of this session.")
    return said, translate(
        "agentfs/history lists the changes of other sessions. To undo one, pass its change_id."
    )


def last_undecided(error: errors.LastUndecided, translate: Translate) -> ErrorText:
    change_id = shown(error.change_id)
    paths = ", ".join(f"'{shown(path)}'" for path in error.paths[:_MAX_NAMED])
    message = (
        translate("Change '{id}' of this session ({paths}) is still in progress.", id=change_id, paths=paths)
        if paths
        else translate("Change '{id}' of this session is still in progress.", id=change_id)
    )
    return message, nothing_changed(
        translate, translate("Wait for its result, or pass the change_id of the change to undo.")
    )


def not_undoable(error: errors.NotUndoable, translate: Translate) -> ErrorText:
    own = shown(error.change_id)
    reasons = {
        "texts": (
            translate(
                "The texts of change '{id}' were not recorded because there was no room for them.", id=own
            ),
            translate("Read the files and undo the change with edits."),
        ),
        "bytes": (
            translate("Change '{id}' removed bytes that are not text, and they were not recorded.", id=own),
            translate("Only the user can restore them, from a copy."),
        ),
        "denied": (
            translate("Change '{id}' also contains files that may not be read.", id=own),
            translate("Ask the user to undo it."),
        ),
        "elsewhere": (
            translate("Change '{id}' also contains files in a folder that is not open.", id=own),
            translate("Ask the user to open that folder too."),
        ),
        "size": (
            translate("With change '{id}', these changes hold too much text to undo them together.", id=own),
            translate("Undo fewer at a time, the newest first."),
        ),
    }
    why, next_step = reasons[error.reason]
    return why, nothing_changed(translate, next_step)


def trouble_text(trouble: HistoryTrouble, where: str, translate: Translate) -> str:
    """The message, shown once, about a problem with the history file."""
    if trouble == "damaged":
        return translate(
            "agentfs: The history of changes was damaged and has been moved to {path}. A new "
            "history was started.",
            path=shown(where),
        )
    return translate(
        "agentfs: Cannot write the history of changes to {path}. Changes are still applied, but "
        "agentfs cannot undo them.",
        path=shown(where),
    )
