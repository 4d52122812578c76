"""The reads that the user refused: the same is not asked again for a while
(docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from agentfs_lsp.domain.errors import ReadRejected
from agentfs_lsp.service.files.store import Clock

FIRST_S = 10
"""How long after a refusal the same is not asked again, in seconds; twice as long after each further one."""

MAX_KEPT = 1000

_Asked = tuple[str, str]  # session, absolute path


class Refusals:
    """The latest refusals of a connection."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[_Asked, tuple[int, float]] = {}  # the seconds to wait, and until when

    def add(self, session: str, absolute: str) -> int:
        """The user refused this, or the question was cancelled. Returns the seconds to wait."""
        wait_s = 2 * self._kept.pop((session, absolute), (FIRST_S // 2, 0))[0]
        self._kept[session, absolute] = wait_s, self._clock.now_ms() + wait_s * 1000
        if len(self._kept) > MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        return wait_s

    def check(self, session: str, absolute: str, path: str) -> None:
        """Raise ReadRejected if the user is not asked again yet."""
        _, until_ms = self._kept.get((session, absolute), (0, 0))
        left_s = ceil((until_ms - self._clock.now_ms()) / 1000)
        if until_ms and left_s > 0:
            raise ReadRejected(path, left_s)

    def forget_files(self, gone: Callable[[str], bool]) -> None:
        """Forget the refusals of files for whose absolute paths `gone` is true."""
        self._kept = {asked: kept for asked, kept in self._kept.items() if not gone(asked[1])}
