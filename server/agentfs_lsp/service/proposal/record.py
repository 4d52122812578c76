"""A change as history keeps it, and what can be asked of history (docs/protocol.md#11-history-and-undo).

Values, and the port that keeps them; who may see what is `history.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentfs_lsp.domain.settings.groups import HistorySettings
    from agentfs_lsp.service.proposal.change import Operation

KeptDecision = Literal["allowed", "accepted", "amended", "withdrawn"]
"""How it came to land. "withdrawn": nobody approved it any more, the user applied it all the same."""


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """One file of a change. `root` is the real path of its workspace folder, `relative` the file's path in
    it; hashes name bytes, None where there was no file. Texts are as reads show them, None where there was
    no file, where they were not asked for, and where they are not kept (`texts_kept`). `accepted` is what was
    decided where the user amended the change, and `after` has in it what came while that was saved, too.
    `folders_made`: how many of the folders it lies in were made for it, from its own upwards."""

    root: str
    relative: str
    operation: Operation
    before_hash: str | None
    after_hash: str | None
    lines_added: int
    lines_removed: int
    encoding: str
    bom: bytes
    before: str | None = None
    proposed: str | None = None
    after: str | None = None
    texts_kept: bool = True
    folders_made: int = 0
    accepted: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryRecord:
    """A change that landed. `time_ms` is since the epoch; `connection` names the process that served it, and
    with `session` whose it is; `files_in_all` counts files of other workspace folders too."""

    id: str
    time_ms: int
    connection: str
    session: str
    agent: str
    tool: str
    explanation: str
    decision: KeptDecision
    by: str
    landing: Literal["disk", "editor"]
    modified_by_user: bool
    files_in_all: int
    files: tuple[RecordedFile, ...]

    @property
    def order(self) -> tuple[int, str]:
        """What changes are ordered by, oldest first."""
        return self.time_ms, self.id


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes: those that fit all that is given, newest first, at most `limit`.

    `path`: the real path of a workspace folder, and a file or folder in it. `before`: older than this
    `order`.
    """

    limit: int
    change_id: str | None = None
    path: tuple[str, str] | None = None
    connection: str | None = None
    session: str | None = None
    before: tuple[int, str] | None = None
    texts: bool = False


HistoryTrouble = Literal[
    "damaged",  # the file could not be read and was set aside
    "unwritten",  # changes that landed could not be kept
]


class History(Protocol):
    """Where what landed is kept, by workspace folder. Called from any thread."""

    def keep(self, size: int, make: Callable[[], HistoryRecord]) -> None:
        """Keep what `make` gives, which is called from another thread, soon. Never waits and never fails;
        `size` is how much memory `make` holds on to, in bytes."""

    def find(self, roots: Sequence[str], wanted: Wanted) -> list[HistoryRecord]:
        """What is kept, newest first, of the folders of these real paths. Blocking. Raises SystemFailed and
        SystemRefused."""

    def configure(self, settings: HistorySettings) -> None:
        """Take new bounds."""

    def on_trouble(self, told: Callable[[HistoryTrouble, str], None]) -> None:
        """Call `told`, from some thread, with what has gone wrong and the file it is about."""

    def close(self) -> None:
        """Write what is left, and end."""
