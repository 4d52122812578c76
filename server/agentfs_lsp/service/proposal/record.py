"""Changes as history stores them, and queries over history (docs/protocol.md#11-history-and-undo).

Values and the storage port; `history.py` decides who may see what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.service.proposal.change import Operation

KeptDecision = Literal["allowed", "accepted", "amended", "withdrawn"]
"""How the change came to land. "withdrawn": the user applied it after it had been withdrawn."""


class Decider(NamedTuple):
    """Who decided, and when. `rung`: the review channel (docs/protocol.md#9-review-and-landing); `client`:
    the program in which the user decided, as it calls itself; `rule`: the glob of the rule that decided;
    `feedback`: what the user wrote. Strings are empty if there is none."""

    rung: str
    client: str
    rule: str
    feedback: str
    time_ms: int


class Save(NamedTuple):
    """What became of a document that the change left unsaved. "saved": with `text`, None if that is not
    stored or was omitted; "closed": its changes were dropped."""

    state: Literal["saved", "closed"]
    time_ms: int
    text: str | None = None


class RecordedFile(NamedTuple):
    """One file of a change. `root` is the real path of its workspace folder, `relative` the path inside it.
    Hashes are of the bytes, None if the file did not exist. Texts are as reads show them; None if the file
    did not exist, the query omitted them, or they are not stored (`texts_kept`). `accepted` is set if the
    user amended the change. `after` includes what changed on save. `folders_made`: how many parent folders,
    from the innermost outwards, were created for the file. `save`: what became of an unsaved document; None
    if it was not left unsaved, or that is not known."""

    root: str
    relative: str
    operation: Operation
    before_hash: str | None
    after_hash: str | None
    lines_added: int | None
    lines_removed: int | None
    encoding: str
    bom: bytes
    before: str | None = None
    proposed: str | None = None
    after: str | None = None
    texts_kept: bool = True
    folders_made: int = 0
    accepted: str | None = None
    save: Save | None = None

    @property
    def absolute(self) -> str:
        """The real absolute path."""
        return f"{self.root.rstrip('/')}/{self.relative}"


class HistoryRecord(NamedTuple):
    """A change that landed. `time_ms` is since the epoch; `connection` (the server process) and `session`
    identify the owner; `files_in_all` includes files in other workspace folders. `order_ms`: what it is
    sorted by, if another time. History stores one that is later than those of all changes before: the clock
    may have been ahead. `decider`: None in records of earlier versions."""

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
    order_ms: int | None = None
    decider: Decider | None = None

    def save_of(self, file: RecordedFile) -> Save | None:
        """What was saved of a file, and when; None if that is not known. A deletion saves no text."""
        if file.operation == "delete":
            return Save("saved", self.time_ms, "")
        on_disk = self.landing == "disk" and file.save is None
        return Save("saved", self.time_ms, file.after) if on_disk else file.save

    @property
    def order(self) -> tuple[int, str]:
        """The sort key, oldest first."""
        return self.time_ms if self.order_ms is None else self.order_ms, self.id

    def after(self, order_ms: int) -> HistoryRecord:
        """The change, sorted behind those with this time or an earlier one."""
        return self if self.time_ms > order_ms else self._replace(order_ms=order_ms + 1)


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """A query: changes that match every given field, newest first, at most `limit`.

    `path` is the real absolute path of a file or folder; `before` is an exclusive `order`; `id_begin` is how
    the id begins.
    """

    limit: int
    change_id: str | None = None
    path: str | None = None
    session: str | None = None
    before: tuple[int, str] | None = None
    texts: bool = False
    id_begin: str = ""

    def selects(self, file: RecordedFile) -> bool:
        """Whether the file is at or below `path`."""
        return self.path is None or f"{file.absolute}/".startswith(self.path.rstrip("/") + "/")

    def path_in(self, root: str) -> str | None:
        """`path` relative to a workspace folder: empty if it contains the folder or is not given, None if it
        is elsewhere."""
        folder, path = root.rstrip("/") + "/", (self.path or "").rstrip("/") + "/"
        if self.path is None or folder.startswith(path):
            return ""
        return path[len(folder) : -1] if path.startswith(folder) else None


HistoryTrouble = Literal[
    "damaged",  # the database was unreadable and has been set aside
    "unwritten",  # landed changes could not be stored
]


class History(Protocol):
    """Stores landed changes, by workspace folder. Thread-safe."""

    def keep(self, size: int, make: Callable[[], HistoryRecord]) -> None:
        """Queue the record built by `make`, which runs soon on another thread. It is sorted behind all that
        were kept before, whatever the clock said. Never blocks or fails; `size` is the memory that `make`
        keeps alive, in bytes."""

    def note_save(self, change_id: str, root: str, relative: str, save: Save) -> None:
        """Queue what became of a document that a kept change left unsaved, as `keep` does."""

    def find(self, roots: Sequence[str], wanted: HistoryQuery) -> list[HistoryRecord]:
        """The matching records of these roots (real paths), newest first. Blocking. Raises SystemFailed or
        SystemRefused."""

    def configure(self, settings: HistorySettings) -> None:
        """Apply new limits."""

    def on_trouble(self, told: Callable[[HistoryTrouble, str], None]) -> None:
        """Register a callback for trouble and the path of the file affected; it may run on any thread."""

    def close(self) -> None:
        """Flush and close."""
