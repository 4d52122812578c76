"""What is told where the usual advice names a parameter that the tools of a dialect do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown

if TYPE_CHECKING:
    from agentfs_lsp.domain import errors
    from agentfs_lsp.domain.translation import Say, Told


def folder_missing(error: errors.FolderMissing, say: Say, _: str) -> Told:
    return (
        say("There is no folder '{path}'.", path=shown(error.path)),
        say("The user's settings say that none is created."),
    )


def lossy_replace(_: errors.LossyReplace, say: Say, path: str) -> Told:
    return (
        say("Not all bytes of '{path}' are text in a known encoding.", path=path),
        say("Change parts of it with {Edit}."),
    )


def too_large(error: errors.TooLarge, say: Say, path: str) -> Told:
    return (
        say(
            "'{path}' is too large: {size} bytes, the limit is {limit}.",
            path=path,
            size=error.size,
            limit=error.limit,
        ),
        say("The user can raise agentfs.limits.max_file_bytes."),
    )


def several_matches(error: errors.SeveralMatches, say: Say, _: str) -> Told:
    return (
        say("{old_string} was found {count} times.", count=error.count),
        say("Lines: {lines}. Add context to make it unique.", lines=lines(error)),
    )


def lines(error: errors.SeveralMatches) -> str:
    """The lines of the places, "…" for those left out."""
    return ", ".join(map(str, error.lines)) + (", …" if error.count > len(error.lines) else "")
