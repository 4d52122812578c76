"""A landing of three files when the system provides less than requested: short writes, a full or read-only
disk, no free handle. All are old or all new, as answered, and after the next start nothing else is there
(docs/protocol.md#10-agentfsbatch)."""

import gc
import itertools
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

from agentfs_lsp.adapters.landing import transaction as together
from agentfs_lsp.domain.errors import DomainError, LandingUnknown, SystemFailed, SystemRefused
from agentfs_lsp.service.files.store import Draft
from support.mounts import remount, small_disk
from support.recording import Operation, watching
from support.transaction import (
    AFTER,
    BEFORE,
    OneAfterTheOther,
    abandon,
    answer_of,
    drafts_of,
    files_after_the_next_start,
    land,
    lay_out,
    refusal,
    store_at,
)

ALLOWED = {"landed": [AFTER], "refused": [BEFORE], "unknown": [BEFORE, AFTER]}
"""What a landing with this answer may leave."""

PAGE = 4096


class Killed(BaseException):
    """The process dies; nothing after this runs."""


def _one_byte(fd: int, data: Any, _write: Any = os.write) -> int:
    return _write(fd, bytes(data)[:1])


def test_writes_that_take_one_byte_each_land_all(tmp_path: Path) -> None:
    lay_out(tmp_path)
    with mock.patch.object(os, "write", _one_byte):
        assert land(tmp_path) == "landed"
    assert files_after_the_next_start(tmp_path) == AFTER


def test_what_was_written_byte_by_byte_serves_the_next_start(tmp_path: Path) -> None:
    """Killed before each change: records and journal are as complete as if written at once."""
    seen = set()
    for number in itertools.count():
        left = number

        def stop(operation: Operation) -> None:
            nonlocal left
            left -= operation.kind != "write"
            if left < 0:
                raise Killed

        lay_out(tmp_path)
        with (
            mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther),
            mock.patch.object(os, "write", _one_byte),
            watching(stop, str(tmp_path)),
            suppress(Killed),
        ):
            land(tmp_path)
        found = files_after_the_next_start(tmp_path)
        assert found in (BEFORE, AFTER), number
        seen.add(found == AFTER)
        if left >= 0:
            break
    assert seen == {False, True}


def test_a_disk_full_at_any_point_fails_cleanly(tmp_path: Path) -> None:
    disk, base = tmp_path / "small", tmp_path / "small/base"
    told: list[str] = []
    with small_disk(disk, "512k"):
        while "landed" not in told:
            lay_out(base)
            store, root = store_at(base)
            drafts = drafts_of(store, root)
            _fill(disk / "filler", but_pages=len(told))
            why = refusal(store, drafts)
            abandon(store)
            told.append(answer_of(why))
            _says(why, SystemFailed, "No space left")
            assert files_after_the_next_start(base) in ALLOWED[told[-1]], told
            (disk / "filler").unlink()
    assert told[0] == "refused"


def _fill(path: Path, *, but_pages: int) -> None:
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * PAGE):
                pass
        except OSError:
            file.truncate(max(file.tell() - but_pages * PAGE, 0))


def test_read_only_between_staging_and_landing(tmp_path: Path) -> None:
    with small_disk(tmp_path / "root", "512k"):
        lay_out(tmp_path)
        store, root = store_at(tmp_path)
        why = refusal(store, drafts_of(store, root), lambda: remount(tmp_path / "root", "ro"))
        abandon(store)
        assert answer_of(why) in {"refused", "unknown"}
        _says(why, SystemRefused, "Read-only file system")
        store_at(tmp_path)[0].sweep()  # nothing can be removed yet, and nothing is forgotten
        assert remount(tmp_path / "root", "rw")
        assert files_after_the_next_start(tmp_path) == BEFORE


def test_read_only_at_any_moment_of_it(tmp_path: Path) -> None:
    told: set[str] = set()
    for number in itertools.count():
        left = number

        def make_read_only(_: Operation) -> None:
            nonlocal left
            left -= 1
            if left == -1:
                remount(tmp_path / "root", "ro")

        # A new one each time: open handles of removed folders would keep it from becoming read-only.
        with small_disk(tmp_path / "root", "512k"):
            lay_out(tmp_path)
            store, root = store_at(tmp_path)
            drafts = drafts_of(store, root)
            with (
                mock.patch.object(together, "ThreadPoolExecutor", OneAfterTheOther),
                watching(make_read_only, str(tmp_path)),
            ):
                why = refusal(store, drafts)
            abandon(store)
            assert remount(tmp_path / "root", "rw")
            _says(why, SystemRefused, "Read-only file system")
            assert files_after_the_next_start(tmp_path) in ALLOWED[answer_of(why)], (number, why)
        told.add(answer_of(why))
        if left >= 0:
            break
    assert told == {"landed", "refused", "unknown"}


def test_any_shortage_of_handles_fails_cleanly(tmp_path: Path) -> None:
    told: list[str] = []
    while "landed" not in told:
        lay_out(tmp_path)
        store, root = store_at(tmp_path)
        drafts = drafts_of(store, root)
        with _free_handles(len(told)):
            why = refusal(store, drafts)
        abandon(store)
        told.append(answer_of(why))
        _says(why, SystemFailed, "Too many open files")
        assert files_after_the_next_start(tmp_path) in ALLOWED[told[-1]], told
    assert told[0] == "refused"


def test_a_shortage_of_handles_leaves_no_new_folder(tmp_path: Path) -> None:
    files = tmp_path / "root"
    files.mkdir()
    store, root = store_at(tmp_path)
    paths = [store.resolve(root, f"new{number}/deep/a.py") for number in range(20)]
    for free in itertools.count(1):
        with _free_handles(free):
            why = refusal(store, [Draft(path, (b"x\n",), None, create_dirs=True) for path in paths])
        if why is None:  # how many handles suffice is up to the threads that stage side by side
            break
        assert isinstance(why, SystemFailed)
        assert os.listdir(files) == [], free
    assert free > 1
    assert all((files / f"new{number}/deep/a.py").exists() for number in range(20))
    store.close()


@contextmanager
def _free_handles(count: int) -> Iterator[None]:
    """Leave only this many free handles, or a few more if some are closed meanwhile, but not of none."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    gc.disable()  # otherwise handles closed meanwhile could be reused
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free + count if count else 0, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        gc.enable()


def _says(why: DomainError | None, kind: type[SystemFailed | SystemRefused], words: str) -> None:
    """If it did not land, the reason is the system's."""
    if why is not None:
        assert isinstance(why, kind | LandingUnknown), why
        assert words in why.detail
