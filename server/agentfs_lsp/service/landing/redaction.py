"""What a session may be told about a file it may not read: nothing about its text, and nothing that confirms
a guess (docs/protocol.md#13-settings-and-policy).

Policy decides who may read; `api/` omits the file's content from answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from agentfs_lsp.domain.errors import (
    BinaryFile,
    Conflict,
    LossyReplace,
    NotRead,
    PolicyDenied,
    ResultTooLarge,
    TooLarge,
    Unencodable,
)
from agentfs_lsp.domain.policy.verdict import Verdict
from agentfs_lsp.domain.revision import Expected
from agentfs_lsp.service.state.sessions import ReadRecord


def unseen(path: str, record: ReadRecord | None, source: Literal["disk", "editor"]) -> NotRead | Conflict:
    """The error for changing a file that needs approval to be read, if the session has not read this version.
    `expected_*` and `require_read` make no difference."""
    if record is None:
        return NotRead(path)
    return Conflict(path, source, "changed", record.revision)


@contextmanager
def looking_unseen(path: str, record: ReadRecord | None) -> Iterator[None]:
    """Turn errors about the content of a file that needs approval to be read into `unseen`."""
    try:
        yield
    except _OF_THE_TEXT:
        raise unseen(path, record, "disk") from None


@contextmanager
def redacting(path: str, reading: Verdict, expected: Expected) -> Iterator[None]:
    """Turn errors about replacing an unreadable file into PolicyDenied("read") if they depend on its text or
    bytes, or compare them with a guess."""
    denied = PolicyDenied(path, "read", reading.rule or "")
    if expected:
        raise denied
    try:
        yield
    except _OF_THE_TEXT as error:
        denied.proposal = error.proposal
        error.forget_where()  # a review may keep it alive
        raise denied from None
    except Conflict as conflict:
        conflict.expected = conflict.actual = conflict.diff = None
        raise


_OF_THE_TEXT = (BinaryFile, LossyReplace, ResultTooLarge, TooLarge, Unencodable)
