"""A power cut at any moment of a landing of three files leaves all of them old or all new
(docs/protocol.md#10-agentfsbatch).

The landing's changes of the disk are recorded. What was not synced at the power cut may be lost: every subset
is replayed in a folder, the next server starts on it, and the result is checked. A name is durable once its
folder was synced, a content once its file was; nothing else is assumed.
"""

from __future__ import annotations

import copy
import itertools
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest

from agentfs_lsp.adapters.landing import transaction
from support.recording import Operation, watching
from support.transaction import AFTER, BEFORE, OneAfterTheOther, files_after_the_next_start, land, lay_out

SPECIAL = pytest.mark.parametrize("special", [True, False], ids=["system calls", "stand-ins"])
EVERY = 8
"""Up to this many operations every subset is tried; beyond that, those that lose or keep few, and random
ones."""
BY_CHANCE = 60


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """In memory if possible, because thousands of small trees are created."""
    memory = Path("/dev/shm")
    folder = (
        memory if memory.is_dir() and os.access(memory, os.W_OK) else tmp_path
    ) / f"agentfs-{os.getpid()}"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


class Recording:
    """A landing, and another program's durable change of a file after it."""

    def __init__(self, base: Path, special: bool) -> None:
        lay_out(base)
        self.base, self.special = base, special
        self.operations: list[Operation] = []
        with (
            mock.patch.object(transaction, "ThreadPoolExecutor", OneAfterTheOther),
            watching(self.operations.append, str(base)),
        ):
            assert land(base, special=special) == "landed"
            self.landed = len(self.operations)
            _write_durably(base / "root" / "a.py", BEFORE["a.py"])
        self.begun = 1 + next(
            number for number, one in enumerate(self.operations) if self._stands_behind(number)
        )

    def _stands_behind(self, number: int) -> bool:
        """Whether the journal is in place after this operation."""
        written = any(
            one.kind == "rename" and one.other.endswith(".json") for one in self.operations[:number]
        )
        return written and self.operations[number].is_sync

    def without(self, number: int) -> Recording:
        """The same without one operation."""
        other = copy.copy(self)
        other.operations = self.operations[:number] + self.operations[number + 1 :]
        other.landed -= number < self.landed
        other.begun -= number < self.begun
        return other

    def allowed(self, done: int) -> list[dict[str, bytes]]:
        """What may be left if power fails after this many operations."""
        if done == len(self.operations):
            return [{**AFTER, "a.py": BEFORE["a.py"]}]
        answered = done == self.landed
        # Without renames that never replace, a new file briefly has two names: either change may be lost.
        finished = answered or (done >= self.begun and self.special)
        return [AFTER] if finished else [BEFORE, AFTER]

    def moments(self) -> Iterator[Sequence[Operation]]:
        """What was done at the power cut: up to each sync of the landing, at its end, and in all. Anything in
        between is a subset of these."""
        for number, operation in enumerate(self.operations[: self.landed]):
            if operation.is_sync:
                yield self.operations[:number]
        yield self.operations[: self.landed]
        yield self.operations


def _write_durably(path: Path, content: bytes) -> None:
    beside = os.fspath(path) + ".beside"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT)
    os.write(fd, content)
    os.fsync(fd)
    os.close(fd)
    os.rename(beside, path)
    fd = os.open(path.parent, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def undurable(done: Sequence[Operation]) -> list[int]:
    """The operations that no later sync made durable."""
    open_files: set[str] = set()
    open_folders: set[str] = set()
    found = []
    for number in range(len(done) - 1, -1, -1):
        operation = done[number]
        if operation.kind == "sync_file":
            open_files.add(operation.path)
        elif operation.kind == "sync_folder":
            open_folders.add(operation.path)
        elif operation.kind == "write":
            if operation.path not in open_files:
                found.append(number)
        elif os.path.dirname(operation.path) not in open_folders:
            found.append(number)
    return found[::-1]


def losses(candidates: Sequence[int]) -> Iterator[frozenset[int]]:
    if len(candidates) <= EVERY:
        sizes: Sequence[int] = range(len(candidates) + 1)
    else:
        sizes = [0, 1, 2, len(candidates) - 1, len(candidates)]
        chance = random.Random(len(candidates))
        for _ in range(BY_CHANCE):
            yield frozenset(one for one in candidates if chance.random() < 0.5)
    for size in sizes:
        for lost in itertools.combinations(candidates, size):
            yield frozenset(lost)


def play(base: Path, done: Sequence[Operation], lost: frozenset[int]) -> None:
    """The disk after the power cut. What depends on a lost operation is lost too."""
    lay_out(base)
    for number, operation in enumerate(done):
        if number not in lost and not operation.is_sync:
            with suppress(FileNotFoundError, FileExistsError, NotADirectoryError):
                PLAYED[operation.kind](operation)


def _append(operation: Operation) -> None:
    with open(operation.path, "r+b") as file:
        file.seek(0, os.SEEK_END)
        file.write(operation.data)


def _exchange(operation: Operation) -> None:
    os.stat(operation.other)
    between = operation.path + ".between"
    os.rename(operation.path, between)
    os.rename(operation.other, operation.path)
    os.rename(between, operation.other)


PLAYED = {
    "create": lambda operation: Path(operation.path).touch(exist_ok=False),
    "write": _append,
    "rename": lambda operation: os.rename(operation.path, operation.other),
    "exchange": _exchange,
    "link": lambda operation: os.link(operation.path, operation.other),
    "unlink": lambda operation: os.unlink(operation.path),
    "mkdir": lambda operation: os.mkdir(operation.path),
    "rmdir": lambda operation: os.rmdir(operation.path),
}


def violation(recording: Recording) -> str | None:
    """The first power cut with an illegal result, or None."""
    base = recording.base
    for done in recording.moments():
        for lost in losses(undurable(done)):
            play(base, done, lost)
            what = f"cut after {len(done)}, without {[done[one] for one in sorted(lost)]}"
            try:
                left = files_after_the_next_start(base, special=recording.special)
            except AssertionError as error:
                return f"{what}: {error}"
            if left not in recording.allowed(len(done)):
                return f"{what}: {left}"
    return None


@SPECIAL
def test_what_was_not_synced_may_be_lost_and_it_is_all_or_nothing(base: Path, special: bool) -> None:
    assert violation(Recording(base, special)) is None


def test_without_any_one_sync_it_would_not_be(base: Path) -> None:
    recording = Recording(base, special=True)
    before_the_journal = [one.path for one in recording.operations[: recording.begun]]
    for number, operation in enumerate(recording.operations[: recording.landed]):
        if not operation.is_sync or violation(recording.without(number)):
            continue
        # Only that of a new folder is unnecessary: files staged next to it sync its name later.
        assert operation.kind == "sync_folder"
        assert operation.path in before_the_journal[number + 1 :], operation
