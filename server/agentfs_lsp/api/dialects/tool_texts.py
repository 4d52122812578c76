"""The descriptions of tools and parameters for models (docs/protocol.md#12-tool-catalog).

All dialects share the texts, which use the request's names: `translate` inserts the dialect's names.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import Translate, sentences


def tool_text(
    operation: Operation, translate: Translate, *, ranges: bool, there: AbstractSet[Operation]
) -> str:
    """What a tool does. `ranges`: whether it can read part of a file; `there`: the operations that have
    tools."""
    said = {
        "read": _of_read(translate, ranges=ranges, changes=not there <= {"read"}),
        "write": _of_write(translate, reads="read" in there, edits="edit" in there),
        "edit": _of_edit(translate),
    }
    return sentences(translate, said[operation])


def _of_read(translate: Translate, *, ranges: bool, changes: bool) -> list[str]:
    return [
        translate("Read a text file of the workspace as the editor shows it, including unsaved changes."),
        translate("A long file is returned in parts: the result says where to continue.") if ranges else "",
        translate("Read a file before you change it.") if changes else "",
    ]


def _of_write(translate: Translate, *, reads: bool, edits: bool) -> list[str]:
    return [
        translate("Create a text file, or replace the whole text of an existing one."),
        translate("Give the complete text. Do not omit anything or use placeholders."),
        translate("An existing file must be read first.") if reads else "",
        translate("To change a part of a file, use {Edit}.") if edits else "",
        translate("Missing folders are created, unless the user's settings forbid it."),
        *_of_the_answer(translate),
    ]


def _of_edit(translate: Translate) -> list[str]:
    return [
        translate("Replace a piece of text in an existing file that has been read."),
        translate("Copy {old_string} exactly from the file."),
        *_of_the_answer(translate),
    ]


def _of_the_answer(translate: Translate) -> list[str]:
    return [
        translate(
            "The user may review the change first, and may change the content before accepting it. The "
            "result comes after the user's decision."
        ),
        translate(
            "If “applied” is true in the result, the change is on disk: do not send it again, even "
            "if “status” is “partial”, for example because the diff was truncated."
        ),
    ]


def parameter_text(name: str, translate: Translate) -> str:
    """The meaning of a parameter, by its name in the request; for one that only adds a remark, its own name.
    `path_text` describes the file's path."""
    return {
        "start_line": translate("The first line to read, counted from 1."),
        "limit": translate(
            "The number of lines to read; 0 for all. Default: the limit in the user's settings."
        ),
        "content": translate("The complete new text of the file."),
        "allow_empty": translate(
            "True if the file is meant to be empty; otherwise empty content is rejected."
        ),
        "old_string": translate(
            "The text to replace, exactly as it appears in the file: without line numbers, and with real "
            "line breaks, not escaped ones. It MUST be unique in the file: include 2 to 5 lines of context "
            "before and after what changes."
        ),
        "new_string": translate("The replacement text; empty to delete the old text."),
        "replace_all": translate("Replace every occurrence, not just one."),
        "expected_count": translate(
            "The expected number of occurrences; if it is more than one, all are replaced."
        ),
        "dry_run": translate(
            "Only report what would change: nothing is written and nobody is asked. The result has "
            "“status” “partial” and “applied” false."
        ),
        "expected_mtime_ms": translate(
            "Injected by the host: when it last saw the file, in milliseconds. Leave it out."
        ),
        "expected_size_bytes": translate("Injected by the host: the file's size, in bytes. Leave it out."),
        "modified_by_user": translate(
            "Whether the user modified the content that you originally proposed. The change is "
            "still reviewed."
        ),
    }[name]


def path_text(translate: Translate, *, absolute: bool, roots: Sequence[str], named: Sequence[str]) -> str:
    """How to name a file. `roots`: the folders' names, or their paths if paths are `absolute`; `named`: files
    named in the user's rules."""
    folders = ", ".join(map(shown, roots))
    if absolute:
        text = translate("The file's absolute path, inside the workspace: {folders}.", folders=folders)
    elif len(roots) > 1:
        text = translate(
            "The file's path, beginning with the name of its folder ({folders}), with '/' between folders.",
            folders=folders,
        )
    else:
        text = translate("The file's path, relative to the workspace folder, with '/' between folders.")
    if not named:
        return text
    files = ", ".join(map(shown, named))
    return sentences(translate, (text, translate("The user has rules for: {files}.", files=files)))
