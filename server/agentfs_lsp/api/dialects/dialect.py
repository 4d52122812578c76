"""The structure of a dialect: tools, the shapes of their arguments, their wording, and the files they may
access (docs/protocol.md#12-tool-catalog).

A tool runs an existing request with that request's params, so a dialect adds no capabilities.
`tool_texts.py` contains the texts for the model, and `definitions.py` builds the definitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from typing import Any

from agentfs_lsp.api.messages.phrasing import USUAL, FileErrorText, Phrasing
from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.translation import Translate
from agentfs_lsp.service.state.tool_scope import FileScope
from agentfs_lsp.service.state.workspace import Workspace

Hint = Callable[[Translate, AbstractSet[Operation]], str]
"""What the description of a parameter adds; the operations are those that have tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """`takes`: the dataclass that validates the arguments (`api/parsing.py`). `renamed`: fields with another
    name in the request. `told`: fields unknown to the request, each with a remark about the change if it is
    true; they decide nothing. `injected`: parameters in the definition that the host sets, whole numbers.
    `hints`: additions to the descriptions of fields."""

    name: str
    operation: Operation
    takes: type[Any]
    renamed: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, Callable[[Translate], str]] = field(default_factory=dict)
    injected: tuple[str, ...] = ()
    hints: Mapping[str, Hint] = field(default_factory=dict)

    @property
    def path_parameter(self) -> str:
        """The parameter that contains the file's path."""
        return next((own for own, name in self.renamed.items() if name == "path"), "path")

    def request_params(self, arguments: Any) -> dict[str, object]:
        """The validated arguments as params of the request; absent arguments stay absent."""
        given = {each.name: getattr(arguments, each.name) for each in fields(self.takes)}
        return {
            self.renamed.get(name, name): value
            for name, value in given.items()
            if name not in self.told and value is not None
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """`absolute_paths`: its tools accept absolute paths and `file:` URIs inside a root, whatever the setting
    `paths` says. `errors_of_changes`: the wording of errors only where a file was to be changed."""

    name: str
    tools: tuple[Tool, ...]
    phrasing: Phrasing = USUAL
    errors_of_changes: Mapping[type[DomainError], FileErrorText] = field(default_factory=dict)
    absolute_paths: bool = False

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    def phrasing_of(self, operation: Operation) -> Phrasing:
        """The wording of the responses to one operation."""
        if operation == "read":
            return self.phrasing
        return replace(self.phrasing, errors={**self.phrasing.errors, **self.errors_of_changes})


def names_of(tools: tuple[Tool, ...]) -> dict[str, str]:
    """The names of tools and parameters in texts (`domain.translation.NAMES`)."""
    named = {tool.operation.capitalize(): tool.name for tool in tools}
    for tool in tools:
        named |= {name: own for own, name in tool.renamed.items() if name != "path"}
    return named


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
