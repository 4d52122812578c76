"""Killed at any moment of a landing of three files, or failing in any of its calls, a server leaves all of
them old or all new, and after the next start nothing else (docs/protocol.md#10-agentfsbatch).

strace kills the landing at each system call in turn. Errors are injected within the process, before each call
that changes the disk.
"""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from agentfs_lsp.adapters.landing import transaction as together
from support import transaction
from support.recording import Operation, watching
from support.strace import calls_between, killed_at
from support.transaction import (
    AFTER,
    BEFORE,
    BEGIN,
    END,
    OneAfterTheOther,
    files_after_the_next_start,
    land,
    lay_out,
)

SPECIAL = pytest.mark.parametrize("special", [True, False], ids=["system calls", "stand-ins"])
ALLOWED = {"landed": [AFTER], "refused": [BEFORE], "unknown": [BEFORE, AFTER]}
"""What a landing with this answer may leave."""


def test_killed_at_each_system_call_it_leaves_all_old_or_all_new(tmp_path: Path) -> None:
    base = tmp_path / "base"
    command = [sys.executable, "-P", transaction.__file__, str(base), "True"]
    lay_out(base)
    calls = calls_between(command, tmp_path / "log", BEGIN, END)
    assert files_after_the_next_start(base) == AFTER
    assert {name for name, _ in calls} >= {"fsync", "write", "flock", "openat"}
    seen = []
    for call in calls:
        lay_out(base)
        killed_at(command, call)
        left = files_after_the_next_start(base)
        assert left in (BEFORE, AFTER), call
        seen.append(left == AFTER)
    assert (seen[0], seen[-1]) == (False, True)
    assert sorted(seen) == seen, "once it is past its point of no return it is finished"


def landed_with(base: Path, special: bool, before: Callable[[Operation], None]) -> str:
    """Land the three, calling `before` before each operation; returns what the answer would be."""
    lay_out(base)
    with mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther), watching(before, str(base)):
        return land(base, special=special)


def operations(base: Path, special: bool) -> list[Operation]:
    found: list[Operation] = []
    landed_with(base, special, found.append)
    return found


class At:
    """Acts before the operation of this number, and before later ones if `ever_after`."""

    def __init__(self, number: int, doing: Callable[[], None], *, ever_after: bool = False) -> None:
        self._left = number
        self._doing = doing
        self._ever_after = ever_after

    def __call__(self, operation: Operation) -> None:
        self._left -= 1
        if self._left == -1 or (self._ever_after and self._left < 0):
            self._doing()


@SPECIAL
@pytest.mark.parametrize("ever_after", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.EROFS])
def test_an_error_in_any_change_leaves_what_is_answered(
    tmp_path: Path, special: bool, code: int, ever_after: bool
) -> None:
    base = tmp_path / "base"
    told = set()

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    for number, operation in enumerate(operations(base, special)):
        said = landed_with(base, special, At(number, fail, ever_after=ever_after))
        assert files_after_the_next_start(base, special=special) in ALLOWED[said], (operation, said)
        told.add(said)
    assert told >= {"landed", "refused"}
