"""Review by the person at the terminal: the ports `Reviewer` and `Applier` for terminal commands.

There are no open documents, so no edits are applied by a client.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

from agentfs_lsp.domain.errors import DomainError, Rejected
from agentfs_lsp.domain.policy.verdict import Policy, Verdict
from agentfs_lsp.domain.settings.rules import Operation
from agentfs_lsp.domain.settings.setting import Mode
from agentfs_lsp.service.proposal.proposal import Decision, Proposal, Rung
from agentfs_lsp.service.proposal.review import Applier, DocumentEdit


class UsersPolicy(Policy):
    """The user may see everything, and is asked about every change."""

    def judge(self, operation: Operation, relative: str, *, root: str, mode: Mode) -> Verdict:
        """Never denies: what is undone has landed before."""
        del relative, root, mode
        return Verdict("allow" if operation == "read" else "ask", "mode")


class TerminalReviewer:
    """Shows a proposal and asks about it."""

    def __init__(self, agrees: Callable[[Proposal], bool]) -> None:
        """`agrees` shows the proposal and waits for the answer. Called on the main thread, because Ctrl-C
        does not interrupt input on another."""
        self._agrees = agrees

    def channel_for(self, proposal: Proposal | None) -> Rung:  # noqa: ARG002
        """There is only one."""
        return "terminal"

    def applies_itself(self, proposal: Proposal) -> bool:  # noqa: ARG002
        """There is no editor."""
        return False

    async def review(self, proposal: Proposal) -> tuple[Decision, Applier]:
        """Raises Rejected."""
        proposal.to("shown")
        if not self._agrees(proposal):
            raise Rejected("rejected")
        return Decision("terminal", "accepted", "user"), _NoApplier()

    async def concluded(self, proposal: Proposal) -> None:
        """Return at once: no client waits for an answer."""

    async def allow_read(self, path: str, agent: str, asked: Callable[[], object]) -> bool:  # noqa: ARG002
        """Allow it: the user is the reader."""
        return True

    def allowed_applier(self) -> Applier:
        """The applier for changes that need no question."""
        return _NoApplier()


class _NoApplier:
    """No document is open."""

    applied_already = False
    reverts_late = False
    saves = False

    def apply(self, edits: Sequence[DocumentEdit]) -> NoReturn:
        """Never called."""
        raise AssertionError(edits)

    async def roll_back(self, edits: Sequence[DocumentEdit], error: DomainError) -> None:
        """Do nothing."""

    async def committed(self, save: Sequence[str]) -> Sequence[str]:  # noqa: ARG002
        return ()

    def failed(self, error: Exception) -> None:
        """Do nothing."""
