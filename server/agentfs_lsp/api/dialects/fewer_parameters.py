"""Errors for dialects whose tools lack a parameter that the usual message suggests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentfs_lsp.api.messages import content as contents
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate


def folder_missing(error: errors.FolderMissing, translate: Translate, _: str) -> ErrorText:
    said = translate("Folder not found: '{path}'.", path=shown(error.path))
    return said, translate("The user's settings do not allow creating folders.")


def lossy_replace(error: errors.LossyReplace, translate: Translate, _: str) -> ErrorText:
    return contents.lossy_replace(error, translate)[0], translate("Use {Edit} to change parts of it.")


def too_large(error: errors.TooLarge, translate: Translate, _: str) -> ErrorText:
    next_step = translate("The user can raise agentfs.limits.max_file_bytes.")
    return contents.too_large(error, translate)[0], next_step


def several_matches(error: errors.SeveralMatches, translate: Translate, _: str) -> ErrorText:
    lines = contents.lines_text(error.lines, error.count)
    next_step = translate("Lines: {lines}. Add context to make it unique.", lines=lines)
    return contents.several_matches(error, translate)[0], next_step


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
