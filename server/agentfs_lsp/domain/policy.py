"""Whether an agent may read or change a file: at once, after asking, or not at all, and what says so.

The rules are those of docs/protocol.md#13-settings-and-policy. Deliberately not here: who is asked and how,
and the mode of a session, which comes with each question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.protected import Permission, protection_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agentfs_lsp.domain.settings import Mode, Settings

Operation = Literal["read", "write", "edit"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`rule` is the glob that decided, as the user knows it; None where the mode did."""

    decision: Permission
    by: Literal["mode", "rule"]
    rule: str | None = None


class Policy:
    """The rules in force, compiled. Immutable: a change of settings makes another.

    `own_folders`: the server's own state, runtime and configuration folders, as real absolute paths.
    """

    __slots__ = ("_own_folders", "_unenforced")

    def __init__(self, settings: Settings, own_folders: Sequence[str]) -> None:
        self._own_folders = tuple((fold_path(folder).rstrip("/"), folder) for folder in own_folders)
        self._unenforced = Verdict("ask", "rule", settings.unenforced[0]) if settings.unenforced else None

    def judge(self, operation: Operation, relative: str, *, root: str, mode: Mode) -> Verdict:
        """The strictest of all that has a say; of several as strict the one most particular to the file.

        `relative` is the resolved path in the root whose real absolute path is `root`. Never raises.
        """
        verdicts = (
            self._own(root, relative),
            _protected(operation, relative),
            self._unenforced,
            _by_mode(operation, mode),
        )
        return strictest(verdict for verdict in verdicts if verdict)

    def _own(self, root: str, relative: str) -> Verdict | None:
        path = fold_path(f"{root.rstrip('/')}/{relative}")
        for folded, folder in self._own_folders:
            if path == folded or path.startswith(f"{folded}/"):
                return Verdict("deny", "rule", f"{folder.rstrip('/')}/**")
        return None


def _protected(operation: Operation, relative: str) -> Verdict | None:
    protection = protection_of(relative)
    if protection is None:
        return None
    decision = protection.read if operation == "read" else protection.change
    return None if decision == "allow" else Verdict(decision, "rule", protection.rule)


def _by_mode(operation: Operation, mode: Mode) -> Verdict:
    allowed = operation == "read" or mode == "auto_edit"
    return Verdict("allow" if allowed else "ask", "mode")


def strictest(verdicts: Iterable[Verdict]) -> Verdict:
    """Of several verdicts, at least one, the strictest; of several as strict the first."""
    return max(verdicts, key=_strictness)


def _strictness(verdict: Verdict) -> int:
    return _ORDER[verdict.decision]


_ORDER: dict[Permission, int] = {"allow": 0, "ask": 1, "deny": 2}
