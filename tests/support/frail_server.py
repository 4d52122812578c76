"""A server with bugs in an adapter, and without root's permission to ignore file modes.

Reading broken.py and landing unlandable.py raise unexpected errors that contain a secret. After landing
undecided.py, the file system does not say whether it worked.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.history.history import SqliteHistory
from agentfs_lsp.adapters.landing.transaction import StagedTogether
from agentfs_lsp.domain.errors import LandingUnknown
from agentfs_lsp.domain.settings.groups import HistorySettings
from agentfs_lsp.lsp.serving import serve_stdio
from agentfs_lsp.service.files.store import Blob, Draft, Location

SECRET = "hunter2"

_PR_CAPBSET_DROP = 24
_OVERRIDES = (1, 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


class BrokenStore(DiskStore):
    """Raises errors that no adapter should."""

    def read(self, location: Location, max_bytes: int) -> Blob:
        if location.relative == "broken.py":
            raise RuntimeError(SECRET)
        return super().read(location, max_bytes)

    def stage(self, drafts: Sequence[Draft]) -> StagedTogether | Undecided:  # type: ignore[override]
        if any(draft.location.relative == "unlandable.py" for draft in drafts):
            raise RuntimeError(SECRET)
        staged = super().stage(drafts)
        return Undecided(staged) if drafts[0].location.relative == "undecided.py" else staged


class Undecided:
    """A staged change whose commit works but raises."""

    def __init__(self, staged: StagedTogether) -> None:
        self._staged = staged

    def commit(self, check: Callable[[], None]) -> NoReturn:
        self._staged.commit(check)
        raise LandingUnknown("undecided.py", "system", "Input/output error")

    def discard(self) -> None:
        self._staged.discard()


def give_up_overrides() -> None:
    """Restart as a user who is subject to file modes. Only root can, and needs to."""
    libc = ctypes.CDLL(None, use_errno=True)
    if "--held-back" not in sys.argv and all(
        libc.prctl(_PR_CAPBSET_DROP, one, 0, 0, 0) == 0 for one in _OVERRIDES
    ):
        os.execv(sys.executable, [sys.executable, *sys.argv, "--held-back"])


if __name__ == "__main__":
    give_up_overrides()
    logging.basicConfig(level="WARNING")
    state = StateFolder()
    history = SqliteHistory(state, HistorySettings())
    serve_stdio(BrokenStore(state), history, [state.path], 1 << 28)
