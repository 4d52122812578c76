"""The table of errors with their codes and texts for models (docs/protocol.md#3-envelope).

A test compares it with the tree in `domain/errors.py`. The texts are in the modules beside this one, by
topic. Each consists of two parts: the `message` of the error, and what to do about it. External names and
texts are escaped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentfs_lsp.api.messages import content as contents
from agentfs_lsp.api.messages import history as histories
from agentfs_lsp.api.messages import paths
from agentfs_lsp.api.messages import review as reviews
from agentfs_lsp.api.messages.landing import files_text
from agentfs_lsp.api.messages.parameters import parameter_text
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.translation import ErrorText, Translate, nothing_changed, sentences

_MAX_REASONS = 10
"""The number of reasons to name."""


def undo_blocked(error: errors.UndoBlocked, translate: Translate) -> ErrorText:
    reasons = [_reason(one, translate) for one in error.blocked[:_MAX_REASONS]]
    more = len(error.blocked) - len(reasons)
    if more:
        reasons.append(translate("One more reason.", plural="{count} more reasons.", count=more))
    said = translate("These changes cannot be undone together.")
    return sentences(translate, (said, *reasons)), nothing_changed(translate)


def _reason(blocked: errors.Blocked, translate: Translate) -> str:
    """The error's own text, after the files' names if it has none."""
    message, _ = error_text(blocked.error, translate)
    if hasattr(blocked.error, "path") or not blocked.paths:
        return message
    return translate("{paths}: {reason}", paths=files_text(blocked.paths, translate), reason=message)


ERRORS: dict[type[DomainError], tuple[str, Callable[[Any, Translate], ErrorText]]] = {
    errors.BadParameter: ("INVALID_PARAM", lambda error, translate: (parameter_text(error, translate), "")),
    errors.AbsolutePath: ("INVALID_PARAM", paths.absolute_path),
    errors.MalformedPath: ("INVALID_PARAM", paths.malformed_path),
    errors.UnknownRoot: ("INVALID_PARAM", paths.unknown_root),
    errors.AmbiguousRoot: ("INVALID_PARAM", paths.ambiguous_root),
    errors.NoRoot: ("ACCESS_DENIED", paths.no_root),
    errors.OutsideRoots: ("ACCESS_DENIED", paths.outside_roots),
    errors.FileMissing: ("NOT_FOUND", paths.file_missing),
    errors.RootMissing: ("NOT_FOUND", paths.root_missing),
    errors.FolderMissing: ("NOT_FOUND", paths.folder_missing),
    errors.IsDirectory: ("IS_DIRECTORY", paths.is_directory),
    errors.NotRegular: ("INVALID_PARAM", paths.not_regular),
    errors.SystemRefused: ("PERMISSION_DENIED", paths.system_refused),
    errors.SystemFailed: ("EXECUTION_ERROR", paths.system_failed),
    errors.BinaryFile: ("BINARY_FILE", contents.binary_file),
    errors.NulPutIn: ("BINARY_FILE", contents.nul_put_in),
    errors.TooLarge: ("INVALID_PARAM", contents.too_large),
    errors.ResultTooLarge: ("INVALID_PARAM", contents.result_too_large),
    errors.BadRange: ("INVALID_PARAM", contents.bad_range),
    errors.Unencodable: ("INVALID_PARAM", contents.unencodable),
    errors.LossyReplace: ("INVALID_PARAM", contents.lossy_replace),
    errors.BytesJoined: ("INVALID_PARAM", contents.bytes_joined),
    errors.EmptyContent: ("INVALID_PARAM", contents.empty_content),
    errors.TextLeftOut: ("INVALID_PARAM", contents.text_left_out),
    errors.EmptyOldString: ("INVALID_PARAM", contents.empty_old_string),
    errors.NothingChanges: ("INVALID_PARAM", contents.nothing_changes),
    errors.NoMatch: ("INVALID_PARAM", contents.no_match),
    errors.SeveralMatches: ("INVALID_PARAM", contents.several_matches),
    errors.CountMismatch: ("INVALID_PARAM", contents.count_mismatch),
    errors.TooManyMatches: ("INVALID_PARAM", contents.too_many_matches),
    errors.OverlappingMatches: ("INVALID_PARAM", contents.overlapping_matches),
    errors.NotRead: ("INVALID_PARAM", reviews.not_read),
    errors.Conflict: ("CONFLICT", reviews.conflict),
    errors.ChangeUnknown: ("NOT_FOUND", histories.change_unknown),
    errors.NothingToUndo: ("NOT_FOUND", histories.nothing_to_undo),
    errors.LastUndecided: ("EXECUTION_ERROR", histories.last_undecided),
    errors.NotUndoable: ("NOT_FOUND", histories.not_undoable),
    errors.UndoBlocked: ("CONFLICT", undo_blocked),
    errors.PolicyDenied: ("ACCESS_DENIED", reviews.policy_denied),
    errors.ToolNotListed: ("ACCESS_DENIED", reviews.tool_not_listed),
    errors.NobodyToAsk: ("ACCESS_DENIED", reviews.nobody_to_ask),
    errors.Rejected: ("USER_REJECTED", reviews.rejected),
    errors.ReadRejected: ("USER_REJECTED", reviews.read_rejected),
    errors.ReviewTimedOut: ("TIMEOUT", reviews.review_timed_out),
    errors.Withdrawn: ("ACCESS_DENIED", reviews.withdrawn),
    errors.TooManyPending: ("EXECUTION_ERROR", reviews.too_many_pending),
    errors.NotLanded: ("EXECUTION_ERROR", reviews.not_landed),
    errors.LeftUndone: ("CANCELLED", reviews.left_undone),
    errors.LandingUnknown: ("EXECUTION_ERROR", reviews.landing_unknown),
}


def error_text(error: DomainError, translate: Translate) -> ErrorText:
    """The usual text of an error."""
    return ERRORS[type(error)][1](error, translate)
