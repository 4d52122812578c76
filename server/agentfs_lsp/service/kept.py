"""A change as history keeps it, and what can be asked of history (docs/protocol.md#11-history-and-undo).

Values only: keeping and finding is the port `History`; who may see what is `history.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from agentfs_lsp.service.change import Operation

KeptDecision = Literal["allowed", "accepted", "amended", "withdrawn"]
"""How it came to land. "withdrawn": nobody approved it any more, the user applied it all the same."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """One file of a change. `root` is the real path of its workspace folder, `relative` the file's path in it;
    hashes name bytes, None where there was no file. Texts are as reads show them, None where there was no
    file, where they were not asked for, and where they are not kept (`texts_kept`)."""

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


@dataclass(frozen=True, slots=True)
class KeptChange:
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
    files: tuple[KeptFile, ...]

    @property
    def order(self) -> tuple[int, str]:
        """What changes are ordered by, oldest first."""
        return self.time_ms, self.id


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes: those that fit all that is given, newest first, at most `limit`.

    `path`: the real path of a workspace folder, and a file or folder in it (empty: all of it). `before`: older
    than this `order`.
    """

    limit: int
    change_id: str | None = None
    path: tuple[str, str] | None = None
    connection: str | None = None
    session: str | None = None
    before: tuple[int, str] | None = None
    texts: bool = False
