"""What is told when a change that landed is not to be had any more, or can't be kept
(docs/protocol.md#11-history-and-undo)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import LONGEST_UNKNOWN, cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import nothing_changed

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Told, Translate
    from agentfs_lsp.service.proposal.record import HistoryTrouble


_MOST_NAMED = 3
"""So many files of a change are named."""


def change_unknown(error: errors.ChangeUnknown, translate: Translate) -> Told:
    return (
        translate("No change '{id}' is kept.", id=shown(cut_name(error.change_id, LONGEST_UNKNOWN))),
        translate("agentfs/history lists those that are; older ones make room for new ones."),
    )


def nothing_to_undo(_: errors.NothingToUndo, translate: Translate) -> Told:
    return (
        translate("This session has made no change that is kept."),
        translate("agentfs/history lists the changes of others; undo one by its change_id."),
    )


def last_undecided(error: errors.LastUndecided, translate: Translate) -> Told:
    change_id, paths = (
        shown(error.change_id),
        ", ".join(f"'{shown(path)}'" for path in error.paths[:_MOST_NAMED]),
    )
    message = (
        translate("Change '{id}' of this session, of {paths}, has no answer yet.", id=change_id, paths=paths)
        if paths
        else translate("Change '{id}' of this session has no answer yet.", id=change_id)
    )
    return message, nothing_changed(
        translate, translate("Wait for its answer, or name the change that is to be undone by its change_id.")
    )


def not_undoable(error: errors.NotUndoable, translate: Translate) -> Told:
    change_id = shown(error.change_id)
    if error.reason == "texts":
        return (
            translate("The texts of change '{id}' are not kept: there was no room for them.", id=change_id),
            nothing_changed(translate, translate("Read the files and undo it by edits.")),
        )
    if error.reason == "bytes":
        return (
            translate("Change '{id}' took out bytes that are no text, and they are not kept.", id=change_id),
            nothing_changed(translate, translate("Only the user can bring them back, from a copy.")),
        )
    return (
        translate("Change '{id}' is also of files in a folder that is not open.", id=change_id),
        nothing_changed(translate, translate("The user can open that folder too.")),
    )


def trouble_text(trouble: HistoryTrouble, where: str, translate: Translate) -> str:
    """What the user is told, once, of something wrong with the history in that file."""
    if trouble == "damaged":
        return translate(
            "agentfs: the history of changes was damaged and has been set aside as {path}; a new one begins.",
            path=shown(where),
        )
    return translate(
        "agentfs: the history of changes can't be written to {path}. Changes land all the same, but can't be"
        " undone by agentfs.",
        path=shown(where),
    )
