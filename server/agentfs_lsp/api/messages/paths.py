"""Errors about paths that an agent may not use, and errors of the system
(docs/protocol.md#4-paths-and-roots)."""

from __future__ import annotations

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import cut_name
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate, nothing_changed

_LONGEST_MALFORMED = 1000  # characters shown of a malformed path


def absolute_path(_: errors.AbsolutePath, translate: Translate) -> ErrorText:
    return translate("Absolute path not allowed. Use relative path."), ""


def malformed_path(error: errors.MalformedPath, translate: Translate) -> ErrorText:
    reasons = {
        "empty": translate("The path is empty."),
        "backslash": translate("The path contains a backslash. Use '/' between folders."),
        "control": translate("The path contains a control character."),
        "bidi": translate(
            "The name contains a control or bidirectional character, which is not allowed in new files."
        ),
        "uri": translate("The path is a URI. Use a path relative to the root."),
        "too_long": translate("The path is longer than the file system allows."),
        "unstorable": translate(
            "The name is not valid Unicode or not valid on this file system. An existing file with "
            "this name must be renamed first."
        ),
        "link_loop": translate("The path contains a loop of links."),
        "below_file": translate("The path continues below a file that is not a folder."),
    }
    return reasons[error.reason], translate(
        "Path: '{path}'.", path=shown(cut_name(error.path, _LONGEST_MALFORMED))
    )


def unknown_root(error: errors.UnknownRoot, translate: Translate) -> ErrorText:
    names = ", ".join(f"'{shown(name)}'" for name in error.names)
    said = translate("Several folders are open. The path must begin with the name of one of them.")
    return said, translate("Folders: {names}.", names=names)


def ambiguous_root(error: errors.AmbiguousRoot, translate: Translate) -> ErrorText:
    said = translate("Two open folders are named '{name}'.", name=shown(error.name))
    return said, translate("The user can give them different names with the setting agentfs.roots.")


def no_root(_: errors.NoRoot, translate: Translate) -> ErrorText:
    return translate("No folder is open in the editor."), translate("Ask the user to open one.")


def outside_roots(_: errors.OutsideRoots, translate: Translate) -> ErrorText:
    return (
        translate("Path must be within project root."),
        translate("Use a file in an open folder, or ask the user to open the folder that contains it."),
    )


def file_missing(error: errors.FileMissing, translate: Translate) -> ErrorText:
    said = translate("File not found: '{path}'.", path=shown(error.path))
    return said, translate("Check the path. To create a new file, use {Write}.")


def root_missing(error: errors.RootMissing, translate: Translate) -> ErrorText:
    said = translate("The open folder '{name}' no longer exists on disk.", name=shown(error.path))
    return said, translate("Ask the user to open it again.")


def folder_missing(error: errors.FolderMissing, translate: Translate) -> ErrorText:
    return (
        translate("Folder not found: '{path}'.", path=shown(error.path)),
        translate("The setting agentfs.create_dirs is off. Ask the user to create the folder.")
        if error.by_setting
        else translate("Set create_dirs=true to create it."),
    )


def is_directory(error: errors.IsDirectory, translate: Translate) -> ErrorText:
    return translate("'{path}' is a directory.", path=shown(error.path)), translate("Specify a file in it.")


def not_regular(error: errors.NotRegular, translate: Translate) -> ErrorText:
    kinds = {
        "device": translate("a device"),
        "fifo": translate("a named pipe"),
        "socket": translate("a socket"),
        "other": translate("a file of an unknown kind"),
    }
    path, kind = shown(error.path), kinds[error.kind]
    return translate("'{path}' is not a regular file: it is {kind}.", path=path, kind=kind), ""


def system_refused(error: errors.SystemRefused, translate: Translate) -> ErrorText:
    path, reason = shown(error.path), system_reason(error, translate)
    said = translate("Permission denied for '{path}': {reason}.", path=path, reason=reason)
    next_step = translate("Ask the user to check the permissions of the file and its folder.")
    return said, nothing_changed(translate, next_step)


def system_failed(error: errors.SystemFailed, translate: Translate) -> ErrorText:
    path, reason = shown(error.path), system_reason(error, translate)
    said = translate("A system error occurred for '{path}': {reason}.", path=path, reason=reason)
    return said, nothing_changed(translate, translate("Try again after the cause is resolved."))


def system_reason(error: errors.SystemRefused | errors.SystemFailed, translate: Translate) -> str:
    """Why the system denied or failed it, without a full stop."""
    reasons = {
        "write_protected": translate("the file is write-protected"),
        "other_owner": translate("it belongs to another user"),
        "system": shown(error.detail),
        "unsteady": translate("the file keeps changing while it is being read"),
        "temporary_lost": translate("its temporary file was changed or removed"),
        "landing_here": translate("another change is being applied"),
        "landing_elsewhere": translate("another agentfs server is applying a change"),
        "later_version": translate("it was created by a later version of agentfs"),
    }
    return reasons[error.reason]
