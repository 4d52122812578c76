"""What is told when a path leads nowhere an agent may go, or the system does not let it
(docs/protocol.md#4-paths-and-roots)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import nothing_changed

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Told, Translate

_LONGEST_MALFORMED = 1000  # characters of a path that is none


def absolute_path(_: errors.AbsolutePath, translate: Translate) -> Told:
    return translate("Absolute path not allowed. Use relative path."), ""


def malformed_path(error: errors.MalformedPath, translate: Translate) -> Told:
    reasons = {
        "empty": translate("The path is empty."),
        "backslash": translate("The path has a backslash. Use '/' between folders."),
        "control": translate("The path has a control character."),
        "bidi": translate("The name has a control or bidirectional character, which no new file may have."),
        "uri": translate("The path is a URI. Use a path relative to the root."),
        "too_long": translate("The path is longer than the file system allows."),
        "unstorable": translate(
            "The name is not valid in Unicode or on this file system; a file that has it must be renamed"
            " first."
        ),
        "link_loop": translate("The path leads through a loop of links."),
        "below_file": translate("The path goes on below a file that is no folder."),
    }
    return reasons[error.reason], translate(
        "Path: '{path}'.", path=shown(cut_name(error.path, _LONGEST_MALFORMED))
    )


def unknown_root(error: errors.UnknownRoot, translate: Translate) -> Told:
    names = ", ".join(f"'{shown(name)}'" for name in error.names)
    return (
        translate("Several folders are open: the path must begin with the name of one."),
        translate("Folders: {names}.", names=names),
    )


def ambiguous_root(error: errors.AmbiguousRoot, translate: Translate) -> Told:
    return (
        translate("Two open folders are named '{name}'.", name=shown(error.name)),
        translate("The user can name them with the setting agentfs.roots."),
    )


def no_root(_: errors.NoRoot, translate: Translate) -> Told:
    return translate("No folder is open in the editor."), translate("Ask the user to open one.")


def outside_roots(_: errors.OutsideRoots, translate: Translate) -> Told:
    return translate("Path must be within project root."), ""


def file_missing(error: errors.FileMissing, translate: Translate) -> Told:
    return (
        translate("File not found: '{path}'.", path=shown(error.path)),
        translate("Check the path; a new file is created with {Write}."),
    )


def root_missing(error: errors.RootMissing, translate: Translate) -> Told:
    return (
        translate("The open folder '{name}' is not on the disk any more.", name=shown(error.path)),
        translate("Ask the user to open it again."),
    )


def folder_missing(error: errors.FolderMissing, translate: Translate) -> Told:
    return (
        translate("There is no folder '{path}'.", path=shown(error.path)),
        translate("The setting agentfs.create_dirs is off: ask the user to create the folder.")
        if error.by_setting
        else translate("Give create_dirs=true to have it created."),
    )


def is_directory(error: errors.IsDirectory, translate: Translate) -> Told:
    return translate("'{path}' is a directory.", path=shown(error.path)), translate("Name a file in it.")


def not_regular(error: errors.NotRegular, translate: Translate) -> Told:
    kinds = {
        "device": translate("a device"),
        "fifo": translate("a named pipe"),
        "socket": translate("a socket"),
        "other": translate("of an unknown kind"),
    }
    return (
        translate(
            "'{path}' is no regular file: it is {kind}.", path=shown(error.path), kind=kinds[error.kind]
        ),
        "",
    )


def system_refused(error: errors.SystemRefused, translate: Translate) -> Told:
    reasons = {
        "system": shown(error.detail),
        "write_protected": translate("the file is write-protected"),
        "other_owner": translate("it belongs to another user"),
    }
    return (
        translate(
            "Permission denied for '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]
        ),
        nothing_changed(
            translate, translate("Ask the user to look at the file's and the folder's permissions.")
        ),
    )


def system_failed(error: errors.SystemFailed, translate: Translate) -> Told:
    reasons = {
        "system": shown(error.detail),
        "unsteady": translate("the file changes while it is read"),
        "temporary_lost": translate("its temporary file was changed or removed"),
        "landing_here": translate("another change is landing"),
        "landing_elsewhere": translate("another agentfs server is landing a change"),
        "later_version": translate("a later version of agentfs made it"),
    }
    return (
        translate(
            "The system failed on '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]
        ),
        nothing_changed(translate, translate("Try again when the cause is gone.")),
    )
