"""What agents' requests did: the record of each operation, and the port to those who observe them.

Records hold no file contents, and no words of agents or users but names (docs/operations.md).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from secrets import token_hex
from typing import Final, Literal, NamedTuple, Protocol

from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.service.timing import Phase, Span

Ending = Literal["success", "partial", "rejected", "conflict", "timeout", "cancelled", "error"]

_MOST_EARLY: Final = 1000
"""Records kept until the user's settings are known."""


class OperationRecord(NamedTuple):
    """One operation; what does not apply is None or empty. `time_ms`: when it arrived, since the epoch.
    `path` is that of answers, and `root` the real path of its workspace folder. `files` is None for
    operations on a single file. docs/operations.md has the others."""

    time_ms: int
    id: str
    session: str
    agent: str
    tool: str
    operation: str
    outcome: Ending
    duration_ms: float
    phases: Mapping[Phase, Span]
    code: str | None = None
    dialect: str | None = None
    root: str | None = None
    path: str | None = None
    paths: Sequence[str] = ()
    files: int | None = None
    asked: str | None = None
    decision: str | None = None
    match: str | None = None
    lines_added: int | None = None
    lines_removed: int | None = None
    size_bytes: int | None = None
    extension: str | None = None
    mime: str | None = None
    dry_run: bool = False
    change_id: str | None = None


_NAMES: Final = OperationRecord._fields[1:]


def as_json(record: OperationRecord) -> dict[str, object]:
    """The record as in the log: without the members that do not apply."""
    arrived = datetime.fromtimestamp(record.time_ms / 1000, UTC).isoformat(timespec="milliseconds")
    told: dict[str, object] = {"time": arrived.replace("+00:00", "Z")}
    told |= {
        name: value
        for name, value in zip(_NAMES, record[1:], strict=True)
        if value or (value == 0 and value is not False)
    }
    if record.phases:
        told["phases"] = {name: round(span.took_ms, 2) for name, span in record.phases.items()}
    return told


class Observer(Protocol):
    """Somebody who is told about each operation."""

    @property
    def is_on(self) -> bool:
        """Whether the settings want it."""

    def configure(self, settings: Settings) -> None:
        """The user's settings have changed."""

    def ended(self, record: OperationRecord) -> None:
        """An operation has been answered. Called on the event loop: must return at once."""

    def close(self) -> None:
        """Finish what was told, within a bounded time. Blocking."""


class Operations:
    """Passes records on. They wait until the user's settings are known, who may not want them."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = tuple(observers)
        self._early: deque[OperationRecord] | None = deque(maxlen=_MOST_EARLY)
        self._prefix = token_hex(4)
        self._numbers = count(1)

    @property
    def is_observed(self) -> bool:
        """Whether a record is wanted."""
        return any(observer.is_on for observer in self._observers)

    def next_id(self) -> str:
        return f"{self._prefix}-{next(self._numbers)}"

    def configure(self, settings: Settings) -> None:
        for observer in self._observers:
            observer.configure(settings)

    def settings_known(self) -> None:
        """From now on, `configure` is called with what the user wants."""
        early, self._early = self._early, None
        for record in early or ():
            self.ended(record)

    def ended(self, record: OperationRecord) -> None:
        """An operation has been answered."""
        if self._early is not None:
            self._early.append(record)
            return
        for observer in self._observers:
            if observer.is_on:
                observer.ended(record)

    def close(self) -> None:
        """Finish what was told. Blocking."""
        for observer in self._observers:
            observer.close()
