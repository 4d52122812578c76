"""If the system fails during a replacement, nothing changes (docs/protocol.md#6-agentfswrite)."""

import os
import resource
import stat
import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from agentfs_lsp.adapters.fs import syscalls
from agentfs_lsp.adapters.landing import staged as staged_file
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.domain.errors import Conflict, LandingUnknown, SystemFailed, SystemRefused
from support.staging import before_each_exchange, stage
from unit.adapters.conftest import Disk


def _fill(disk: Disk, staged: Callable[[], StagedFile]) -> None:
    """Make staging fail for lack of space: a limit on file size works on every file system."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(SystemFailed, match="too large"):
            staged()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_where_there_is_no_room_nothing_changes(disk: Disk) -> None:
    path = disk.put("a.py", b"old")
    _fill(disk, lambda: stage(disk, "a.py", b"n" * 200_000))
    _fill(disk, lambda: stage(disk, "made/new.py", b"n" * 200_000))
    assert path.read_bytes() == b"old"
    assert disk.names() == {"a.py"}


def test_what_is_write_protected_is_left_alone(disk: Disk) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    path = disk.put("sub/a.py", b"old")
    path.chmod(0o444)
    with pytest.raises(SystemRefused):
        stage(disk, "sub/a.py", b"new")
    path.chmod(0o644)
    path.parent.chmod(0o555)
    try:
        for relative in ("sub/a.py", "sub/new.py", "sub/made/new.py"):
            with pytest.raises(SystemRefused):
                stage(disk, relative, b"new")
    finally:
        path.parent.chmod(0o755)
    assert disk.names("sub") == {"a.py"}
    assert path.read_bytes() == b"old"


def _failing(handle: int) -> None:
    raise OSError(5, os.strerror(5))


def test_a_handle_that_fails_as_it_is_closed_harms_nothing(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS. The handle is closed all the same."""
    path, close = disk.put("a.py", b"old"), os.close
    closed: SimpleQueue[str] = SimpleQueue()

    def failing(handle: int) -> None:
        found = os.fstat(handle)
        close(handle)
        if stat.S_ISREG(found.st_mode) and found.st_size:  # not the landings' lock
            closed.put(threading.current_thread().name)
            _failing(handle)

    monkeypatch.setattr(os, "close", failing)
    for text in (b"1", b"2", b"3"):
        stage(disk, "a.py", text).commit()
        assert disk.read("a.py").data == text
        while disk.kernel.exchange and closed.get(timeout=60) != "agentfs-closing":
            pass
    assert path.read_bytes() == b"3"


def test_a_folder_that_cannot_be_synced_rolls_all_back(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = disk.put("a.py", b"old")
    update, create = stage(disk, "a.py", b"new"), stage(disk, "new.py", b"x")
    monkeypatch.setattr(staged_file, "sync", _failing)
    with pytest.raises(SystemFailed, match="Input/output"):
        create.commit()
    create.discard()
    # Without an exchange the old file is already gone, and the error says so.
    with pytest.raises(SystemFailed if disk.kernel.exchange else LandingUnknown):
        update.commit()
    update.discard()
    assert path.read_bytes() == (b"old" if disk.kernel.exchange else b"new")
    assert disk.names() == {"a.py"}


def test_what_cannot_be_exchanged_back_loses_no_byte(
    exchanging: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = exchanging.put("a.py", b"old")
    staged = stage(exchanging, "a.py", b"new")

    def once(number: int) -> None:
        if number > 1:
            _failing(0)
        path.write_bytes(b"theirs")

    before_each_exchange(monkeypatch, once)
    with pytest.raises(LandingUnknown):
        staged.commit()
    staged.discard()
    assert (exchanging.path / staged.temporary).read_bytes() == b"theirs"


@pytest.mark.parametrize("missing", [22, 38, 95])
def test_special_renames_may_be_missing(disk: Disk, missing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: int, one: str, other: str) -> None:
        raise OSError(missing, os.strerror(missing))

    monkeypatch.setattr(syscalls, "exchange", refuse)
    monkeypatch.setattr(syscalls, "rename_exclusive", refuse)
    path = disk.put("a.py", b"old")
    stage(disk, "a.py", b"new").commit()
    stage(disk, "b.py", b"b").commit()
    assert path.read_bytes() == b"new"
    assert disk.names() == {"a.py", "b.py"}


def test_many_threads_land_one_after_the_other(disk: Disk) -> None:
    disk.put("a.py", b"0")
    won: list[int] = []

    def count() -> None:
        while len(won) < 40:
            base = disk.read("a.py")
            try:
                staged = disk.stage(disk.at("a.py"), b"%d" % (int(base.data) + 1), base)
            except Conflict:
                continue
            try:
                staged.commit()
                won.append(int(base.data))
            except Conflict:
                staged.discard()

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(len(won)))
    assert disk.read("a.py").data == b"%d" % len(won)
    assert disk.names() == {"a.py"}


def _open_handles(disk: Disk) -> set[int]:
    """This process's open handles, after the store has closed its own in the background."""
    told, last = os.pipe()
    disk.store._context.closing.close(last)
    assert os.read(told, 1) == b""  # until the last one is closed
    os.close(told)
    found = set(map(int, os.listdir("/dev/fd")))
    return {handle for handle in found if _is_open(handle)}  # without the listing's own


def _is_open(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return False
    return True


def test_no_handle_is_left_open(disk: Disk) -> None:
    disk.put("sub/a.py", b"0")
    stage(disk, "sub/a.py", b"1").commit()  # the record and the lock stay
    handles = _open_handles(disk)
    for number in range(3):
        stage(disk, "sub/a.py", b"%d" % number).commit()
        stage(disk, f"made/{number}", b"x").discard()
        staged = stage(disk, f"made/{number}", b"x")
        (disk.path / f"made/{number}").write_bytes(b"theirs")
        with pytest.raises(Conflict):
            staged.commit()
        staged.discard()
        del staged
    assert _open_handles(disk) <= handles
