"""The dialect `standard`: Read, Write, and Edit, with paths relative to the root
(docs/protocol.md#12-tool-catalog)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool
from agentfs_lsp.api.messages.errors import error_text
from agentfs_lsp.api.messages.phrasing import FileErrorText, Phrasing
from agentfs_lsp.api.parsing import bounded
from agentfs_lsp.domain import errors
from agentfs_lsp.domain.translation import ErrorText, Translate, sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArguments:
    """Read."""

    path: str
    start_line: int = bounded(1, least=1)
    limit: int | None = bounded(None, least=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteArguments:
    """Write."""

    path: str
    content: str
    allow_empty: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditArguments:
    """Edit."""

    path: str
    old_string: str
    new_string: str
    replace_all: bool = False
    expected_count: int | None = bounded(None, least=1)
    dry_run: bool = False


def _headed(headline: Callable[[Translate], str]) -> FileErrorText:
    """The message that models know from tools of these names; the usual text says more behind it."""

    def tell(error: Any, translate: Translate, _: str) -> ErrorText:
        return headline(translate), sentences(translate, error_text(error, translate))

    return tell


_INJECTED = ("expected_mtime_ms", "expected_size_bytes")

STANDARD = Dialect(
    name="standard",
    tools=(
        Tool(name="Read", operation="read", takes=ReadArguments),
        Tool(name="Write", operation="write", takes=WriteArguments, injected=_INJECTED),
        Tool(name="Edit", operation="edit", takes=EditArguments, injected=_INJECTED),
    ),
    phrasing=Phrasing(
        errors={
            **fewer.WITHOUT_SETTINGS,
            errors.IsDirectory: _headed(lambda translate: translate("Target path is a directory.")),
        }
    ),
    errors_of_changes={
        errors.SystemRefused: _headed(lambda translate: translate("Permission denied writing to file.")),
        errors.SystemFailed: _headed(lambda translate: translate("Disk full or IO error.")),
    },
)
