"""The files that a dialect's tools may access, in the dialect's spelling
(docs/protocol.md#12-tool-catalogue)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentfs_lsp.api.dialects.dialect import Dialect
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.service.state.tool_scope import FileScope
from agentfs_lsp.service.state.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What one tool may touch. `closed`: only these files, None without an allowlist; `named`: files named in
    the user's rules; `roots`: the folders' names, or their paths if paths are absolute."""

    closed: tuple[str, ...] | None
    named: tuple[str, ...]
    roots: tuple[str, ...]


def files_of(
    dialect: Dialect, ws: Workspace, scopes: Mapping[Operation, FileScope]
) -> dict[Operation, Files]:
    """The files for each operation that may access any file."""
    absolute = dialect.absolute_paths
    roots = tuple([root.path for root in ws.distinct_roots] if absolute else [root.name for root in ws.roots])
    spell = (lambda location: location.absolute) if absolute else ws.name_of
    return {
        operation: Files(
            closed=None if one.closed is None else tuple(spell(location) for location in one.closed),
            named=tuple(spell(location) for location in one.named),
            roots=roots,
        )
        for operation, one in scopes.items()
    }
