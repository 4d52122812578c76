"""The guidance for a model's system prompt: how to work with the tools of a dialect
(docs/protocol.md#12-tool-catalogue).

It speaks only of tools that are there; what each does is in its definition.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentfs_lsp.api.dialects.dialect import Dialect
    from agentfs_lsp.api.dialects.files import Files
    from agentfs_lsp.domain.settings.rules import Operation
    from agentfs_lsp.domain.translation import Translate


def guidance(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> str:
    """A heading and a list, in Markdown, without a line end behind it; empty where there is no tool."""
    if not files:
        return ""
    heading = translate("## Files of the workspace")
    return "\n".join([heading, "", *(f"- {line}" for line in _lines(dialect, files, translate))])


def _lines(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    changes = "write" in files or "edit" in files
    tools = ", ".join(tool.name for tool in dialect.tools if tool.operation in files)
    yield translate("Use these tools for files, and no other way: {tools}.", tools=tools)
    yield from _paths(dialect, next(iter(files.values())), translate)
    yield from _closed(dialect, files, translate)
    if "read" in files and changes:
        yield translate(
            "Read a file with {Read} before you change it. What you read is the user's text as it is in the"
            " editor, unsaved changes included."
        )
    if "edit" in files:
        yield translate(
            "Use {Edit} to change a part of a file. {old_string} must be copied exactly, and stand in one"
            " place only: take more lines round it if it does not."
        )
    if "write" in files:
        yield translate(
            "{Write} takes the complete text of a file: never shorten it by a remark like “rest as before”."
        )
        yield translate(
            "{Write} creates missing folders, unless the user's settings forbid it; the answer names the new"
            " folder. Empty content is refused unless allow_empty is true: set that only if the file is"
            " meant to be empty."
        )
    if changes:
        yield from _answers(dialect, files, translate)


def _paths(dialect: Dialect, one: Files, translate: Translate) -> Iterator[str]:
    folders = ", ".join(map(shown, one.roots))
    if dialect.absolute_paths:
        yield translate("Give absolute paths. The workspace is: {folders}.", folders=folders)
    elif len(one.roots) > 1:
        yield translate("Paths begin with the name of a folder: {folders}.", folders=folders)
    else:
        yield translate("Paths are relative to the workspace folder, such as src/main.py.")


def _closed(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    for tool in dialect.tools:
        one = files.get(tool.operation)
        if one is not None and one.closed is not None:
            yield translate(
                "{tool} takes these files only: {files}.", tool=tool.name, files=_list(one.closed)
            )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(map(shown, names))


def _answers(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    """What the answers to changes mean, and what to do about them."""
    yield translate(
        "The user may review a change first, and accept, amend or reject it. Wait for the answer."
    )
    yield translate(
        "“applied” in the answer tells whether the file on disk holds the change; “status” does not. If"
        " “applied” is true, never send the change again, even if “status” is “partial”: then only the diff"
        " was cut, or the text was matched loosely."
    )
    yield translate(
        "If “applied” is false, “text” says why. A change that waits in the editor, unsaved, is for the user"
        " to save: do not send it again."
    )
    if any(
        each.name == "dry_run"
        for tool in dialect.tools
        if tool.operation in files
        for each in fields(tool.takes)
    ):
        yield translate(
            "With dry_run nothing is changed and nobody is asked: the answer is “partial”, “applied” is"
            " false, and the diff is what would change. To make the change, send it again without dry_run."
        )
    yield translate(
        "A diff that ends in “... (truncated)” was cut to fit the answer; the change itself is complete."
    )
    yield translate(
        "If the user amended the change, the file holds the user's version. Build on it, and do not put yours"
        " back."
    )
    yield translate("An error means that nothing was changed, unless “text” says otherwise.")
    yield translate(
        "USER_REJECTED: the user did not approve this change. Do what the user wrote, or ask; do not send"
        " it again, and do not look for a way round it."
    )
    yield translate(
        "CONFLICT: the file has changed since you read it. Read it again and redo your change on what it says"
        " now."
    )
    yield translate("ACCESS_DENIED: you may not touch this file. Go on without it, or ask the user.")
