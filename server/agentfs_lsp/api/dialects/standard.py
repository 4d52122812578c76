"""The dialect `standard`: Read, Write, and Edit, with paths relative to the root
(docs/protocol.md#12-tool-catalog)."""

from __future__ import annotations

from dataclasses import dataclass

from agentfs_lsp.api.dialects import fewer_parameters as fewer
from agentfs_lsp.api.dialects.dialect import Dialect, Tool
from agentfs_lsp.api.messages.phrasing import Phrasing
from agentfs_lsp.api.parsing import bounded


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


STANDARD = Dialect(
    name="standard",
    tools=(
        Tool(name="Read", operation="read", takes=ReadArguments),
        Tool(name="Write", operation="write", takes=WriteArguments),
        Tool(name="Edit", operation="edit", takes=EditArguments),
    ),
    phrasing=Phrasing(errors=fewer.WITHOUT_SETTINGS),
)
