"""The problems that a change introduced, in responses (docs/protocol.md#95-diagnostics)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentfs_lsp.api.results import Diagnosed, FileDiagnosed
from agentfs_lsp.domain.text.escaping import cut_name, escape_to_one_line
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.proposal.change import FileChange
from agentfs_lsp.service.proposal.wording import syntax_text

MAX_DIAGNOSTICS = 50
"""How many diagnostics a response has."""

LONGEST_TOLD = 160
"""How many characters of a message `text` quotes."""

DIAGNOSTICS_TOLD = 3
"""How many of them its `text` quotes."""


def diagnostics_of_files(changes: Sequence[FileChange], translate: Translate) -> list[FileDiagnosed]:
    """The problems of several changes, each with its file's path."""
    found: list[FileDiagnosed] = [
        {**diagnosed, "path": change.path}
        for change in changes
        for diagnosed in diagnostics_of(change, translate)
    ]
    return found[:MAX_DIAGNOSTICS]


def diagnostics_of(change: FileChange, translate: Translate) -> list[Diagnosed]:
    """The problems of one change: syntax errors, then what programs in the editor have found."""
    syntax: list[Diagnosed] = [
        Diagnosed(line=one.line, message=syntax_text(one, translate), severity="error", source="tree-sitter")
        for one in change.syntax
    ]
    reported: list[Diagnosed] = [
        {
            "line": one.line,
            "message": escape_to_one_line(one.message),
            "severity": one.severity,
            "source": escape_to_one_line(one.source),
        }
        for one in change.reported
    ]
    return (syntax + reported)[:MAX_DIAGNOSTICS]


def diagnostics_text(
    found: Sequence[Mapping[str, object]], translate: Translate, *, dry_run: bool = False
) -> str:
    """What the `text` of a response says about its `diagnostics`; "" if there are none."""
    if not found:
        return ""
    told = [_place(one, translate) for one in found[:DIAGNOSTICS_TOLD]]
    if len(found) > DIAGNOSTICS_TOLD:
        told.append(translate("and {count} more", count=len(found) - DIAGNOSTICS_TOLD))
    problems = "; ".join(told)
    if dry_run:
        return translate(
            "This change would introduce a problem: {problems}",
            plural="This change would introduce {count} problems: {problems}",
            count=len(found),
            problems=problems,
        )
    return translate(
        "This change introduced a problem: {problems}",
        plural="This change introduced {count} problems: {problems}",
        count=len(found),
        problems=problems,
    )


def _place(one: Mapping[str, object], translate: Translate) -> str:
    message = cut_name(str(one["message"]), LONGEST_TOLD)
    if "path" in one:
        path = escape_to_one_line(str(one["path"]))
        return translate("{path}, line {line}: {message}", path=path, line=one["line"], message=message)
    return translate("line {line}: {message}", line=one["line"], message=message)
