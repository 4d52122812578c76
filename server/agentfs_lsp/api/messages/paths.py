"""What is told when a path leads nowhere an agent may go, or the system does not let it
(docs/protocol.md#4-paths-and-roots)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import nothing_changed

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Say, Told

_LONGEST_MALFORMED = 1000  # characters of a path that is none


def absolute_path(_: errors.AbsolutePath, say: Say) -> Told:
    return say("Absolute path not allowed. Use relative path."), ""


def malformed_path(error: errors.MalformedPath, say: Say) -> Told:
    reasons = {
        "empty": say("The path is empty."),
        "backslash": say("The path has a backslash. Use '/' between folders."),
        "control": say("The path has a control character."),
        "bidi": say("The name has a control or bidirectional character, which no new file may have."),
        "uri": say("The path is a URI. Use a path relative to the root."),
        "too_long": say("The path is longer than the file system allows."),
        "unstorable": say(
            "The name is not valid in Unicode or on this file system; a file that has it must be renamed"
            " first."
        ),
        "link_loop": say("The path leads through a loop of links."),
        "below_file": say("The path goes on below a file that is no folder."),
    }
    return reasons[error.reason], say("Path: '{path}'.", path=shown(cut_name(error.path, _LONGEST_MALFORMED)))


def unknown_root(error: errors.UnknownRoot, say: Say) -> Told:
    names = ", ".join(f"'{shown(name)}'" for name in error.names)
    return (
        say("Several folders are open: the path must begin with the name of one."),
        say("Folders: {names}.", names=names),
    )


def ambiguous_root(error: errors.AmbiguousRoot, say: Say) -> Told:
    return (
        say("Two open folders are named '{name}'.", name=shown(error.name)),
        say("The user can name them with the setting agentfs.roots."),
    )


def no_root(_: errors.NoRoot, say: Say) -> Told:
    return say("No folder is open in the editor."), say("Ask the user to open one.")


def outside_roots(_: errors.OutsideRoots, say: Say) -> Told:
    return say("Path must be within project root."), ""


def file_missing(error: errors.FileMissing, say: Say) -> Told:
    return (
        say("File not found: '{path}'.", path=shown(error.path)),
        say("Check the path; a new file is created with {Write}."),
    )


def root_missing(error: errors.RootMissing, say: Say) -> Told:
    return (
        say("The open folder '{name}' is not on the disk any more.", name=shown(error.path)),
        say("Ask the user to open it again."),
    )


def folder_missing(error: errors.FolderMissing, say: Say) -> Told:
    return (
        say("There is no folder '{path}'.", path=shown(error.path)),
        say("The setting agentfs.create_dirs is off: ask the user to create the folder.")
        if error.by_setting
        else say("Give create_dirs=true to have it created."),
    )


def is_directory(error: errors.IsDirectory, say: Say) -> Told:
    return say("'{path}' is a directory.", path=shown(error.path)), say("Name a file in it.")


def not_regular(error: errors.NotRegular, say: Say) -> Told:
    kinds = {
        "device": say("a device"),
        "fifo": say("a named pipe"),
        "socket": say("a socket"),
        "other": say("of an unknown kind"),
    }
    return (
        say("'{path}' is no regular file: it is {kind}.", path=shown(error.path), kind=kinds[error.kind]),
        "",
    )


def system_refused(error: errors.SystemRefused, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "write_protected": say("the file is write-protected"),
        "other_owner": say("it belongs to another user"),
    }
    return (
        say(
            "Permission denied for '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]
        ),
        nothing_changed(say, say("Ask the user to look at the file's and the folder's permissions.")),
    )


def system_failed(error: errors.SystemFailed, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "unsteady": say("the file changes while it is read"),
        "temporary_lost": say("its temporary file was changed or removed"),
        "landing_here": say("another change is landing"),
        "landing_elsewhere": say("another agentfs server is landing a change"),
        "later_version": say("a later version of agentfs made it"),
    }
    return (
        say("The system failed on '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]),
        nothing_changed(say, say("Try again when the cause is gone.")),
    )
