"""The one table of errors: the code of each, and what a model is told of it (docs/protocol.md#3-envelope).

A test holds it against the whole tree in `domain/errors.py`. Each entry gives two sentences: the `message` of the error, and what to do about it. Names and texts of other
people are shown escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentfs_lsp.domain import errors
from agentfs_lsp.domain.shown import escape_invisible as shown
from agentfs_lsp.lsp.parameter_texts import parameter_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from agentfs_lsp.domain.errors import DomainError
    from agentfs_lsp.domain.texts import Say

Told = tuple[str, str]

_LONGEST_SHOWN = 1000  # characters of a path that is none


def _bad_parameter(error: errors.BadParameter, say: Say) -> Told:
    return parameter_text(error, say), ""


def _absolute_path(_: errors.AbsolutePath, say: Say) -> Told:
    return say("Absolute path not allowed. Use relative path."), ""


def _malformed_path(error: errors.MalformedPath, say: Say) -> Told:
    reasons = {
        "empty": say("The path is empty."),
        "backslash": say("The path has a backslash. Use '/' between folders."),
        "control": say("The path has a control character."),
        "bidi": say("The name has a control or bidirectional character, which no new file may have."),
        "uri": say("The path is a URI. Use a path relative to the root."),
        "too_long": say("The path is longer than the file system allows."),
        "unstorable": say("The file system can't hold this name."),
        "link_loop": say("The path leads through a loop of links."),
        "below_file": say("The path goes on below a file that is no folder."),
    }
    return reasons[error.reason], say("Path: '{path}'.", path=shown(_cut(error.path)))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _unknown_root(error: errors.UnknownRoot, say: Say) -> Told:
    names = ", ".join(f"'{shown(name)}'" for name in error.names)
    return (
        say("Several folders are open: the path must begin with the name of one."),
        say("Folders: {names}.", names=names),
    )


def _ambiguous_root(error: errors.AmbiguousRoot, say: Say) -> Told:
    return (
        say("Two open folders are named '{name}'.", name=shown(error.name)),
        say("The user can name them with the setting agentfs.roots."),
    )


def _no_root(_: errors.NoRoot, say: Say) -> Told:
    return say("No folder is open in the editor."), say("Ask the user to open one.")


def _outside_roots(_: errors.OutsideRoots, say: Say) -> Told:
    return say("Path must be within project root."), ""


def _file_missing(error: errors.FileMissing, say: Say) -> Told:
    return (
        say("File not found: '{path}'.", path=shown(error.path)),
        say("Check the path; a new file is created with Write."),
    )


def _folder_missing(error: errors.FolderMissing, say: Say) -> Told:
    return (
        say("There is no folder '{path}'.", path=shown(error.path)),
        say("Give create_dirs=true to have it created."),
    )


def _is_directory(error: errors.IsDirectory, say: Say) -> Told:
    return say("'{path}' is a directory.", path=shown(error.path)), say("Name a file in it.")


def _not_regular(error: errors.NotRegular, say: Say) -> Told:
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


def _system_refused(error: errors.SystemRefused, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "write_protected": say("the file is write-protected"),
        "other_owner": say("it belongs to another user"),
    }
    return (
        say(
            "Permission denied for '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]
        ),
        say("Nothing was changed. Ask the user to look at the file's and the folder's permissions."),
    )


def _system_failed(error: errors.SystemFailed, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "unsteady": say("the file changes while it is read"),
        "temporary_lost": say("its temporary file was changed or removed"),
        "landing_here": say("another change is landing"),
        "landing_elsewhere": say("another agentfs server is landing a change"),
    }
    return (
        say("The system failed on '{path}': {reason}.", path=shown(error.path), reason=reasons[error.reason]),
        say("Nothing was changed. Try again when the cause is gone."),
    )


def _binary_file(error: errors.BinaryFile, say: Say) -> Told:
    return (
        say("'{path}' is a binary file.", path=shown(error.path)),
        say("It can be neither read nor changed as text."),
    )


def _nul_put_in(error: errors.NulPutIn, say: Say) -> Told:
    return (
        say(
            "Line {line} of the new text of '{path}' has a NUL character: that is no text.",
            line=error.line,
            path=shown(error.path),
        ),
        say("Nothing was changed. Leave the character out."),
    )


def _too_large(error: errors.TooLarge, say: Say) -> Told:
    return (
        say(
            "'{path}' is too large: {size} bytes, the limit is {limit}.",
            path=shown(error.path),
            size=error.size,
            limit=error.limit,
        ),
        say("Read a range of it with start_line and limit."),
    )


def _bad_range(error: errors.BadRange, say: Say) -> Told:
    return (
        say(
            "start_line {line} is past the end: the file has one line.",
            plural="start_line {line} is past the end: the file has {count} lines.",
            count=error.total_lines,
            line=error.start_line,
        ),
        "",
    )


def _unencodable(error: errors.Unencodable, say: Say) -> Told:
    if error.ascii_only:
        return (
            say(
                "The file's encoding is not known, so only ASCII can be put in; line {line} of the new text has"
                " '{character}' (U+{code:04X}).",
                line=error.line,
                character=shown(error.character),
                code=ord(error.character),
            ),
            say("Use ASCII characters; the other bytes stay as they are."),
        )
    return (
        say(
            "The file's encoding {encoding} can't express '{character}' (U+{code:04X}) in line {line} of the"
            " new text.",
            encoding=shown(error.encoding),
            character=shown(error.character),
            code=ord(error.character[0]),
            line=error.line,
        ),
        say("Use other characters; the file keeps its encoding."),
    )


def _lossy_replace(error: errors.LossyReplace, say: Say) -> Told:
    return (
        say("Not all bytes of '{path}' are text in a known encoding.", path=shown(error.path)),
        say("Change parts of it with Edit, or give expected_hash from a Read to replace it whole."),
    )


def _empty_content(_: errors.EmptyContent, say: Say) -> Told:
    return say("Content cannot be empty."), say("Give allow_empty=true if the file is meant to be empty.")


def _text_left_out(error: errors.TextLeftOut, say: Say) -> Told:
    return (
        say(
            "Line {line} stands for text that was left out: '{marker}'.",
            line=error.line,
            marker=shown(error.marker),
        ),
        say("Write the text out, or use Edit to change only a part."),
    )


def _empty_old_string(_: errors.EmptyOldString, say: Say) -> Told:
    return say("old_string cannot be empty."), say("Give the text to replace, or use Write for a new file.")


def _nothing_changes(_: errors.NothingChanges, say: Say) -> Told:
    return say("Nothing would change: the new text is the old one."), ""


def _no_match(error: errors.NoMatch, say: Say) -> Told:
    causes = {
        "line_numbers": say("old_string has line numbers in it that are not in the file: leave them out."),
        "over_escaped": say("old_string is escaped once too often."),
        "letter_case": say("The letter case differs."),
        "drifted": say("A part of it differs from the file."),
    }
    parts = [causes[error.cause]] if error.cause else []
    if error.detail:
        parts.append(shown(error.detail))
    for near in error.near:
        lines = "\n".join(f"{near.line + at:4d} | {shown(line)}" for at, line in enumerate(near.text))
        parts.append(say("Closest lines in the file:\n{lines}", lines=lines))
    if not parts:
        parts.append(say("Read the file again and copy the text to replace exactly."))
    return say("old_string was not found."), "\n".join(parts)


def _several_matches(error: errors.SeveralMatches, say: Say) -> Told:
    return (
        say("old_string was found {count} times.", count=error.count),
        say(
            "Lines: {lines}. Add context to make it unique, or give replace_all or expected_count.",
            lines=_lines(error.lines, error.count),
        ),
    )


def _count_mismatch(error: errors.CountMismatch, say: Say) -> Told:
    return (
        say(
            "old_string was found once, not {expected} times.",
            plural="old_string was found {count} times, not {expected}.",
            count=error.count,
            expected=error.expected,
        ),
        say("Lines: {lines}.", lines=_lines(error.lines, error.count)),
    )


def _overlapping_matches(error: errors.OverlappingMatches, say: Say) -> Told:
    return (
        say("old_string was found at {count} places that overlap.", count=error.count),
        say("Lines: {lines}. Replace them one by one.", lines=_lines(error.lines, error.count)),
    )


def _lines(lines: tuple[int, ...], count: int) -> str:
    return ", ".join(map(str, lines)) + (", …" if count > len(lines) else "")


def _not_read(error: errors.NotRead, say: Say) -> Told:
    return say("Read the file first."), say("File: '{path}'.", path=shown(error.path))


def _conflict(error: errors.Conflict, say: Say) -> Told:
    path = shown(error.path)
    where = say("in the editor") if error.source == "editor" else say("on disk")
    reasons = {
        "changed": say("'{path}' was changed {where} since it was read.", path=path, where=where),
        "expected": say("'{path}' is not as expected: it differs {where}.", path=path, where=where),
        "exists": say("'{path}' exists already.", path=path),
        "gone": say("'{path}' is gone.", path=path),
        "wrong_encoding": say("The editor shows '{path}' in an encoding that loses characters.", path=path),
        "reviewing": say("'{path}' was changed {where} while it was being reviewed.", path=path, where=where),
        "out_of_sync": say("What the editor holds of '{path}' is not known for certain.", path=path),
    }
    if error.reason == "wrong_encoding":
        next_step = say("Ask the user to reopen the file with its encoding.")
    elif error.reason == "out_of_sync":
        next_step = say(
            "Nothing was changed. Ask the user to close the file in the editor and open it again."
        )
    else:
        next_step = say("Nothing was changed. Read it again and redo the change on what it says now.")
    return reasons[error.reason], next_step


def _policy_denied(error: errors.PolicyDenied, say: Say) -> Told:
    return (
        say(
            "'{path}' is protected: the rule '{rule}' denies {operation}.",
            path=shown(error.path),
            rule=shown(error.rule),
            operation=error.operation,
        ),
        say("Only the user can change that."),
    )


def _nobody_to_ask(error: errors.NobodyToAsk, say: Say) -> Told:
    reasons = {
        "no_message": say("The editor can't put the question to the user, so the change is refused."),
        "too_long": say("The change is too long to be shown in the editor's messages, so it is refused."),
        "failed": say("The question could not be put to the user, so the change is refused."),
    }
    return (
        reasons[error.reason],
        say(
            "The user can connect an editor that shows reviews, or allow changes with agentfs.approval.mode."
        ),
    )


def _rejected(error: errors.Rejected, say: Say) -> Told:
    if error.feedback:
        return (
            say("The user rejected the change: “{feedback}”.", feedback=shown(error.feedback)),
            say("Nothing was changed. Do as the user says."),
        )
    if error.decision == "dismissed":
        return (
            say("The user dismissed the change without a decision."),
            say("Nothing was changed. Ask the user how to go on."),
        )
    return say("The user rejected the change."), say("Nothing was changed. Ask the user how to go on.")


def _read_rejected(error: errors.ReadRejected, say: Say) -> Told:
    return (
        say("The user did not allow '{path}' to be read.", path=shown(error.path)),
        say("Go on without it, or ask the user."),
    )


def _review_timed_out(error: errors.ReviewTimedOut, say: Say) -> Told:
    return (
        say("Nobody answered the review within {seconds:g} s.", seconds=error.seconds),
        say("Nothing was changed. Ask the user before trying again."),
    )


def _withdrawn(error: errors.Withdrawn, say: Say) -> Told:
    reasons = {
        "shutdown": say("The editor is closing; the change was withdrawn."),
        "root_removed": say("The folder was closed; the change was withdrawn."),
        "settings": say("The user's settings changed; the change was withdrawn."),
    }
    return reasons[error.reason], say("Nothing was changed.")


def _too_many_pending(error: errors.TooManyPending, say: Say) -> Told:
    return (
        say("{count} changes of this session are waiting already.", count=error.limit),
        say("Nothing was changed. Wait for their answers before asking for more."),
    )


def _not_landed(error: errors.NotLanded, say: Say) -> Told:
    reasons = {
        "refused": shown(error.detail) or say("the editor did not apply it"),
        "late": say("the editor did not apply it in time"),
        "unchanged": say("the editor says it applied the change, but nothing changed"),
    }
    return (
        say(
            "'{path}' was accepted but not applied: {reason}.",
            path=shown(error.path),
            reason=reasons[error.reason],
        ),
        say("Nothing was changed. Try again."),
    )


def _landing_unknown(error: errors.LandingUnknown, say: Say) -> Told:
    reasons = {
        "system": shown(error.detail),
        "changed_otherwise": say("the document changed in another way while the edit was applied"),
        "closed": say("the document was closed before it was saved"),
    }
    return (
        say(
            "It is not known whether the change of '{path}' was applied: {reason}.",
            path=shown(error.path),
            reason=reasons[error.reason],
        ),
        say("Read the file before going on."),
    )


ERRORS: dict[type[DomainError], tuple[str, Callable[[Any, Say], Told]]] = {
    errors.BadParameter: ("INVALID_PARAM", _bad_parameter),
    errors.AbsolutePath: ("INVALID_PARAM", _absolute_path),
    errors.MalformedPath: ("INVALID_PARAM", _malformed_path),
    errors.UnknownRoot: ("INVALID_PARAM", _unknown_root),
    errors.AmbiguousRoot: ("INVALID_PARAM", _ambiguous_root),
    errors.NoRoot: ("ACCESS_DENIED", _no_root),
    errors.OutsideRoots: ("ACCESS_DENIED", _outside_roots),
    errors.FileMissing: ("NOT_FOUND", _file_missing),
    errors.FolderMissing: ("NOT_FOUND", _folder_missing),
    errors.IsDirectory: ("IS_DIRECTORY", _is_directory),
    errors.NotRegular: ("INVALID_PARAM", _not_regular),
    errors.SystemRefused: ("PERMISSION_DENIED", _system_refused),
    errors.SystemFailed: ("EXECUTION_ERROR", _system_failed),
    errors.BinaryFile: ("BINARY_FILE", _binary_file),
    errors.NulPutIn: ("BINARY_FILE", _nul_put_in),
    errors.TooLarge: ("INVALID_PARAM", _too_large),
    errors.BadRange: ("INVALID_PARAM", _bad_range),
    errors.Unencodable: ("INVALID_PARAM", _unencodable),
    errors.LossyReplace: ("INVALID_PARAM", _lossy_replace),
    errors.EmptyContent: ("INVALID_PARAM", _empty_content),
    errors.TextLeftOut: ("INVALID_PARAM", _text_left_out),
    errors.EmptyOldString: ("INVALID_PARAM", _empty_old_string),
    errors.NothingChanges: ("INVALID_PARAM", _nothing_changes),
    errors.NoMatch: ("INVALID_PARAM", _no_match),
    errors.SeveralMatches: ("INVALID_PARAM", _several_matches),
    errors.CountMismatch: ("INVALID_PARAM", _count_mismatch),
    errors.OverlappingMatches: ("INVALID_PARAM", _overlapping_matches),
    errors.NotRead: ("INVALID_PARAM", _not_read),
    errors.Conflict: ("CONFLICT", _conflict),
    errors.PolicyDenied: ("ACCESS_DENIED", _policy_denied),
    errors.NobodyToAsk: ("ACCESS_DENIED", _nobody_to_ask),
    errors.Rejected: ("USER_REJECTED", _rejected),
    errors.ReadRejected: ("USER_REJECTED", _read_rejected),
    errors.ReviewTimedOut: ("TIMEOUT", _review_timed_out),
    errors.Withdrawn: ("ACCESS_DENIED", _withdrawn),
    errors.TooManyPending: ("EXECUTION_ERROR", _too_many_pending),
    errors.NotLanded: ("EXECUTION_ERROR", _not_landed),
    errors.LandingUnknown: ("EXECUTION_ERROR", _landing_unknown),
}
