"""What may be said of a file to a session that may not see it: nothing of its text, and nothing by which a
right guess at it could be told from a wrong one (docs/protocol.md#13-settings-and-policy).

Whether it may see the file is the policy's part, and that it is left out of answers the part of `lsp/`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import (
    BinaryFile,
    Conflict,
    LossyReplace,
    NotRead,
    PolicyDenied,
    ResultTooLarge,
    Unencodable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentfs_lsp.domain.policy.verdict import Verdict
    from agentfs_lsp.domain.revision import Expected
    from agentfs_lsp.service.files.snapshot import Snapshot
    from agentfs_lsp.service.state.sessions import ReadRecord


def unseen(path: str, snapshot: Snapshot, record: ReadRecord | None) -> NotRead | Conflict:
    """The answer to a change of a file whose reading asks, where the session was not let see it as it is:
    neither `expected_*` nor `require_read` counts there."""
    if record is None:
        return NotRead(path)
    return Conflict(path, "editor" if snapshot.dirty else "disk", "changed", record.revision)


@contextmanager
def redacting(path: str, reading: Verdict, expected: Expected) -> Iterator[None]:
    """Replace a file whose reading is denied. What only its text or bytes could make fail, or what compares
    them with a guess, is told as what it is: a matter of reading. Raises PolicyDenied for that."""
    denied = PolicyDenied(path, "read", reading.rule or "")
    if expected:
        raise denied
    try:
        yield
    except _OF_THE_TEXT as error:
        denied.proposal = error.proposal
        error.forget_where()  # a review that was told of it may keep it
        raise denied from None
    except Conflict as conflict:
        conflict.expected = conflict.actual = conflict.diff = None
        raise


_OF_THE_TEXT = (BinaryFile, LossyReplace, ResultTooLarge, Unencodable)
