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

LONGEST_S = 3600

_Asked = tuple[str, str]  # session, absolute path


class Refusals:
    """The latest refusals of a connection."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # The seconds to wait, until when, and whether the question was cancelled.
        self._kept: dict[_Asked, tuple[int, float, bool]] = {}

    def add(self, session: str, absolute: str, *, cancelled: bool = False) -> int:
        """The user refused this, or was asked and the read was `cancelled`. Returns the seconds to wait."""
        before_s, *_ = self._kept.pop((session, absolute), (FIRST_S // 2,))
        wait_s = min(2 * before_s, LONGEST_S)
        self._kept[session, absolute] = wait_s, self._clock.now_ms() + wait_s * 1000, cancelled
        if len(self._kept) > MAX_KEPT:
            # Cancelled ones first, since an agent can make any number of them; then the oldest.
            del self._kept[min(self._kept, key=lambda asked: not self._kept[asked][2])]
        return wait_s

    def check(self, session: str, absolute: str, path: str) -> None:
        """Raise ReadRejected if the user is not asked again yet."""
        if kept := self._kept.get((session, absolute)):
            _, until_ms, cancelled = kept
            left_s = ceil((until_ms - self._clock.now_ms()) / 1000)
            if left_s > 0:
                raise ReadRejected(path, left_s, cancelled)

    def forget_files(self, gone: Callable[[str], bool]) -> None:
        """Forget the refusals of files for whose absolute paths `gone` is true."""
        self._kept = {asked: kept for asked, kept in self._kept.items() if not gone(asked[1])}
