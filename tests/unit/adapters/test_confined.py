"""Swapping a component for a link leaks no byte in or out (docs/protocol.md#4-paths-and-roots).

A process keeps exchanging a folder and a link to the outside while files below are read and written. The same
run with the naive approach, which checks the real path and then opens it, does leak, so the race is real.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.domain.errors import DomainError
from unit.adapters.conftest import Disk

_SWAPPER = """
import os, sys
os.chdir(sys.argv[1])
print(flush=True)
parent = os.getppid()
try:
    from agentfs_lsp.adapters.fs.syscalls import exchange
    here = os.open(".", os.O_RDONLY)
    exchange(here, "sub", "link")
    while os.getppid() == parent:
        exchange(here, "sub", "link")
except OSError:
    while os.getppid() == parent:
        os.rename("sub", "aside"); os.rename("link", "sub")
        os.rename("sub", "link"); os.rename("aside", "sub")
"""


@contextmanager
def swapping(disk: Disk) -> Iterator[None]:
    disk.put("sub/secret", b"inside")
    os.symlink(disk.outside, disk.path / "link")
    with subprocess.Popen([sys.executable, "-c", _SWAPPER, disk.path], stdout=subprocess.PIPE) as swapper:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        try:
            yield
        finally:
            swapper.kill()


def _outcomes(
    attempt: Callable[[], bytes], wanted: set[bytes | None], at_least: int = 1
) -> set[bytes | None]:
    """The outcomes of at least this many attempts, until all `wanted` occurred; None for a refusal."""
    seen: set[bytes | None] = set()
    for number in range(2_000_000):
        try:
            seen.add(attempt())
        except (DomainError, OSError):
            seen.add(None)
        if number >= at_least and wanted <= seen:
            break
    return seen


def _naive_path(disk: Disk, relative: str) -> str:
    real = os.path.realpath(disk.path / relative)
    if not real.startswith(f"{disk.path}/"):
        raise PermissionError(relative)
    return str(disk.path / relative)


def test_reads_stay_inside(disk: Disk) -> None:
    def naive() -> bytes:
        with open(_naive_path(disk, "sub/secret"), "rb") as file:
            return file.read()

    with swapping(disk):
        assert b"secret" in _outcomes(naive, {b"secret"}), "the race was never lost"
        seen = _outcomes(lambda: disk.read("sub/secret").data, {b"inside", None}, 5_000)
    assert seen == {b"inside", None}


def test_writes_stay_inside(disk: Disk) -> None:
    planted = disk.outside / "planted"

    def naive() -> bytes:
        path = _naive_path(disk, "sub/planted")
        with open(path, "wb"):
            return b"outside" if planted.exists() else b"inside"

    def land(staged: StagedFile) -> bytes:
        try:
            staged.commit()
        except DomainError:
            staged.discard()
            raise
        return b"landed"

    def update() -> bytes:
        base = disk.read("sub/file")
        return land(disk.stage(disk.at("sub/file"), b"%d" % (int(base.data) + 1), base))

    disk.put("sub/file", b"0")
    (disk.outside / "file").write_bytes(b"0")
    with swapping(disk):
        assert b"outside" in _outcomes(naive, {b"outside"}), "the race was never lost"
        planted.unlink()
        created = _outcomes(
            lambda: land(disk.stage(disk.at("sub/made/new"), b"agentfs", None)), {b"landed", None}, 200
        )
        updated = _outcomes(update, {b"landed", None}, 200)
    assert {path.name for path in disk.outside.iterdir()} == {"secret", "file"}
    assert (disk.outside / "file").read_bytes() == b"0"
    assert created == updated == {b"landed", None}
    real = disk.path / ("link" if (disk.path / "sub").is_symlink() else "sub")
    assert {path.name for path in real.iterdir()} - {"planted"} <= {"secret", "file", "made"}
