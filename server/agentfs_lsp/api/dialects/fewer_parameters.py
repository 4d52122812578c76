"""Errors for dialects whose tools lack a parameter that the usual message suggests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentfs_lsp.api.messages.content import lines_text
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate


def folder_missing(error: errors.FolderMissing, translate: Translate, _: str) -> ErrorText:
    return (
        translate("Folder not found: '{path}'.", path=shown(error.path)),
        translate("The user's settings do not allow creating folders."),
    )


def lossy_replace(_: errors.LossyReplace, translate: Translate, path: str) -> ErrorText:
    return (
        translate("Some bytes of '{path}' are not text in a known encoding.", path=path),
        translate("Use {Edit} to change parts of it."),
    )


def too_large(error: errors.TooLarge, translate: Translate, path: str) -> ErrorText:
    return (
        translate(
            "'{path}' is too large: {size} bytes. The limit is {limit} bytes.",
            path=path,
            size=error.size,
            limit=error.limit,
        ),
        translate("The user can raise agentfs.limits.max_file_bytes."),
    )


def several_matches(error: errors.SeveralMatches, translate: Translate, _: str) -> ErrorText:
    return (
        translate("{old_string} was found {count} times.", count=error.count),
        translate(
            "Lines: {lines}. Add context to make it unique.", lines=lines_text(error.lines, error.count)
        ),
    )


WITHOUT_SETTINGS: Mapping[type[errors.DomainError], Callable[..., ErrorText]] = {
    errors.FolderMissing: folder_missing,
    errors.LossyReplace: lossy_replace,
}
"""For tools without `create_dirs` and `expected_hash`."""

WITHOUT_RANGES: Mapping[type[errors.DomainError], Callable[..., ErrorText]] = {
    **WITHOUT_SETTINGS,
    errors.TooLarge: too_large,
}
"""Also for tools that can read only whole files."""
