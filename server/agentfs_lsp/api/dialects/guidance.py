"""The guidance for a model's system prompt about the tools of a dialect (docs/protocol.md#12-tool-catalog).

It mentions only tools that are available. What each tool does is in its definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields

from agentfs_lsp.api.dialects.dialect import Dialect, Files
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import Translate


def guidance(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> str:
    """A heading and a list in Markdown, without a trailing newline; empty if there is no tool."""
    if not files:
        return ""
    heading = translate("## Files of the workspace")
    return "\n".join([heading, "", *(f"- {line}" for line in _lines(dialect, files, translate))])


def _lines(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    changes = "write" in files or "edit" in files
    tools = ", ".join(tool.name for tool in dialect.tools if tool.operation in files)
    yield translate("Use only these tools to work with files: {tools}.", tools=tools)
    yield from _paths(dialect, next(iter(files.values())), translate)
    yield from _closed(dialect, files, translate)
    if "read" in files and changes:
        yield translate(
            "Read a file with {Read} before you change it. You get the text that the user sees in "
            "the editor, including unsaved changes."
        )
    if "edit" in files:
        yield translate(
            "Use {Edit} to change a part of a file. Copy {old_string} exactly from the file. It must "
            "be unique in the file: include more lines around it if it is not."
        )
    if "write" in files:
        yield translate(
            "{Write} takes the complete text of a file. Never replace parts of it with a "
            "placeholder such as “rest unchanged”."
        )
        yield translate(
            "{Write} creates missing folders, unless the user's settings forbid it; the result names "
            "the new folder. Empty content is rejected unless allow_empty is true. Set it only if "
            "the file is meant to be empty."
        )
    if changes:
        yield from _answers(dialect, files, translate)


def _paths(dialect: Dialect, one: Files, translate: Translate) -> Iterator[str]:
    folders = ", ".join(map(shown, one.roots))
    if dialect.absolute_paths:
        yield translate("Use absolute paths. The workspace is: {folders}.", folders=folders)
    elif len(one.roots) > 1:
        yield translate("Paths begin with the name of a workspace folder: {folders}.", folders=folders)
    else:
        yield translate("Paths are relative to the workspace folder, such as src/main.py.")


def _closed(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    for tool in dialect.tools:
        one = files.get(tool.operation)
        if one is not None and one.closed is not None:
            only = ", ".join(map(shown, one.closed))
            yield translate("{tool} accepts only these files: {files}.", tool=tool.name, files=only)


def _answers(dialect: Dialect, files: Mapping[Operation, Files], translate: Translate) -> Iterator[str]:
    """The meaning of the results of changes, and what to do next."""
    yield translate(
        "The user may review a change first, and accept, amend, or reject it. Wait for the result."
    )
    yield translate(
        "“applied” in the result says whether the change is on disk; “status” does not. If "
        "“applied” is true, never send the change again, even if “status” is “partial”: that "
        "only means that the diff was truncated or that the text was matched loosely."
    )
    yield translate(
        "If “applied” is false, “text” says why. If the change is in the editor but not saved, "
        "the user must save it: do not send it again."
    )
    if any(
        each.name == "dry_run"
        for tool in dialect.tools
        if tool.operation in files
        for each in fields(tool.takes)
    ):
        yield translate(
            "With dry_run nothing changes and nobody is asked: “status” is “partial”, “applied” is "
            "false, and the diff shows what would change. To make the change, send it again without "
            "dry_run."
        )
    yield translate(
        "A diff that ends in “... (truncated)” was shortened for the result; the change itself is complete."
    )
    yield translate(
        "If the user amended the change, the file contains the user's version. Continue from it, "
        "and do not restore your version."
    )
    yield translate("An error means that nothing changed, unless “text” says otherwise.")
    yield translate(
        "USER_REJECTED: the user did not approve this change. Follow the user's message, or ask. "
        "Do not send the change again, and do not try to work around the rejection."
    )
    yield translate(
        "CONFLICT: the file has changed since you read it. Read it again and redo your change on "
        "the current content."
    )
    yield translate("ACCESS_DENIED: you may not access this file. Continue without it, or ask the user.")
