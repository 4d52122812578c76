"""The dialect `workspace`: read, write, and edit, with short texts of its own
(docs/protocol.md#12-tool-catalog, docs/protocol.md#17-texts)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool, names_of
from agentfs_lsp.api.messages.phrasing import Phrasing
from agentfs_lsp.api.messages.review import not_approved
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.translation import ErrorText, Translate
from agentfs_lsp.service.proposal.change import Landing


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments:
    """read."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteArguments:
    """write."""

    path: str
    content: str
    allow_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditArguments:
    """edit."""

    path: str
    oldText: str  # noqa: N815 - the dialect's own name
    newText: str  # noqa: N815


def _when_to_read(translate: Translate, there: AbstractSet[Operation]) -> str:
    if there <= {"read"}:
        return ""
    return translate("Use {Read} to see what is in a file now, and before you change it.")


def _when_to_write(translate: Translate, there: AbstractSet[Operation]) -> str:
    if "edit" not in there:
        return ""
    return translate("Use {Write} for a new file, or if most of it changes, and {Edit} to change a part.")


def _when_to_edit(translate: Translate, there: AbstractSet[Operation]) -> str:
    if "write" not in there:
        return ""
    return translate("Use {Edit} to change a part of a file, and {Write} for a new one.")


def _landed(landing: Landing, path: str, translate: Translate) -> str:
    if landing.change.level is not None:
        return translate("Replaced text in {path}", path=path)
    return translate("Wrote {size} bytes to {path}", size=landing.bytes_written, path=path)


def _file_missing(_: errors.FileMissing, translate: Translate, path: str) -> ErrorText:
    return translate("File does not exist: {path}", path=path), ""


def _outside_roots(_: errors.OutsideRoots, translate: Translate, __: str) -> ErrorText:
    return translate("Access to files outside the workspace is not allowed"), ""


def _no_match(_: errors.NoMatch, translate: Translate, path: str) -> ErrorText:
    return translate("The text was not found in {path}. Make sure that it matches exactly.", path=path), ""


def _several_matches(error: errors.SeveralMatches, translate: Translate, _: str) -> ErrorText:
    return translate("Found {count} matches. Give more context to make it unique.", count=error.count), ""


def _nothing_changes(_: errors.NothingChanges, translate: Translate, __: str) -> ErrorText:
    return translate("The replacement changes nothing."), ""


def _rejected(error: errors.Rejected, translate: Translate, _: str) -> ErrorText:
    if not error.surely_meant:
        return not_approved(translate), ""
    said = translate("“{feedback}”", feedback=escape_invisible(error.feedback)) if error.feedback else ""
    return translate("The user rejected this change."), said


_TOOLS = (
    Tool(name="read", operation="read", takes=ReadArguments, hints={"path": _when_to_read}),
    Tool(name="write", operation="write", takes=WriteArguments, hints={"content": _when_to_write}),
    Tool(
        name="edit",
        operation="edit",
        takes=EditArguments,
        renamed={"oldText": "old_string", "newText": "new_string"},
        hints={"oldText": _when_to_edit},
    ),
)

WORKSPACE = Dialect(
    name="workspace",
    tools=_TOOLS,
    phrasing=Phrasing(
        names=names_of(_TOOLS),
        errors={
            **fewer.WITHOUT_RANGES,
            errors.FileMissing: _file_missing,
            errors.OutsideRoots: _outside_roots,
            errors.NoMatch: _no_match,
            errors.SeveralMatches: _several_matches,
            errors.NothingChanges: _nothing_changes,
            errors.Rejected: _rejected,
        },
        denies_outside=True,
        ranges=False,
        landed=_landed,
        content_alone=True,
    ),
)
