"""The port SyntaxChecker: finds the syntax errors that changes introduce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from agentfs_lsp.domain.diagnostics import SyntaxProblem
from agentfs_lsp.domain.splices import Splice


class Texts(NamedTuple):
    """A file before and after a change; `hunks` are the whole lines in which they differ."""

    path: str
    before: str
    after: str
    hunks: Sequence[Splice]


class SyntaxChecker(Protocol):
    """Finds the syntax errors that changes introduce."""

    def can_check(self, path: str) -> bool:
        """Whether files of this name can be checked."""

    async def check(self, texts: Sequence[Texts]) -> Sequence[tuple[SyntaxProblem, ...]]:
        """The new errors of each file; none if that fails or takes too long."""
