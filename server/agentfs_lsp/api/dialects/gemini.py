"""The dialect `gemini`: read_file, write_file, and replace, with absolute paths inside a root
(docs/protocol.md#12-tool-catalog)."""

from __future__ import annotations

from dataclasses import dataclass

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool, names_of
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.api.messages.paths import system_reason
from agentfs_lsp.api.messages.phrasing import Phrasing
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.text.escaping import escape_to_one_line as shown
from agentfs_lsp.domain.translation import ErrorText, Translate, sentences
from agentfs_lsp.service.proposal.change import FileChange, Landing


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFileArguments:
    """read_file."""

    file_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFileArguments:
    """write_file. `modified_by_user` is a claim without effect on the decision."""

    file_path: str
    content: str
    allow_empty: bool = False
    modified_by_user: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceArguments:
    """replace."""

    file_path: str
    old_string: str
    new_string: str


def _landed(landing: Landing, path: str, translate: Translate) -> str | None:
    if landing.change.level is not None:
        return None
    if landing.change.operation == "create":
        return translate("Successfully created and wrote to new file: {path}.", path=path)
    return translate("Successfully overwrote file: {path}.", path=path)


def _amended(change: FileChange, text: str, translate: Translate) -> str:
    if change.level is not None:
        return translate("The user accepted the change with amendments:\n{text}", text=text)
    return translate("User modified the `content` to be: {text}", text=text)


def _outside_roots(error: errors.OutsideRoots, translate: Translate, _: str) -> ErrorText:
    roots = ", ".join(map(shown, error.roots))
    said = translate(
        "File path must be within the root directory ({roots}): {path}", roots=roots, path=shown(error.path)
    )
    return said, error_text(error, translate)[1]


def _is_directory(error: errors.IsDirectory, translate: Translate, path: str) -> ErrorText:
    said = translate("Path is a directory, not a file: {path}", path=path or shown(error.path))
    return said, error_text(error, translate)[1]


def _not_written(
    error: errors.SystemRefused | errors.SystemFailed, translate: Translate, path: str
) -> ErrorText:
    said = translate(
        "Error writing to file {path}: {reason}",
        path=path or shown(error.path),
        reason=system_reason(error, translate),
    )
    return said, sentences(translate, error_text(error, translate))


_PATH = {"file_path": "path"}

_TOOLS = (
    Tool(name="read_file", operation="read", takes=ReadFileArguments, renamed=_PATH),
    Tool(
        name="write_file",
        operation="write",
        takes=WriteFileArguments,
        renamed=_PATH,
        told={
            "modified_by_user": lambda translate: translate(
                "The content is the user's version, not the original proposal."
            )
        },
    ),
    Tool(name="replace", operation="edit", takes=ReplaceArguments, renamed=_PATH),
)

GEMINI = Dialect(
    name="gemini",
    tools=_TOOLS,
    phrasing=Phrasing(
        names=names_of(_TOOLS),
        errors={
            **fewer.WITHOUT_RANGES,
            errors.SeveralMatches: fewer.several_matches,
            errors.OutsideRoots: _outside_roots,
            errors.IsDirectory: _is_directory,
        },
        absolute=True,
        ranges=False,
        landed=_landed,
        amended=_amended,
        confirms=True,
    ),
    errors_of_changes={errors.SystemRefused: _not_written, errors.SystemFailed: _not_written},
    absolute_paths=True,
)
