"""The next start removes what killed servers leave (docs/protocol.md#6-agentfswrite)."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentfs_lsp.domain.errors import SystemFailed, SystemRefused
from agentfs_lsp.service.files.store import Draft
from unit.adapters.conftest import Disk

# Stages a change of a.py and a new made/new.py, reports that, and waits to be killed.
_SERVER = """
import sys
from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.service.files.store import Draft, Root
base = sys.argv[1]
store = DiskStore(StateFolder(base + "/state"))
root = Root("root", base + "/root", "")
store.set_roots([root])
a = store.resolve(root, "a.py")
first = store.stage([Draft(a, (b"new",), store.read(a, 100), True)])
second = store.stage([Draft(store.resolve(root, "made/deep/new.py"), (b"new",), None, True)])
print("staged", flush=True)
sys.stdin.readline()
first.commit()
second.commit()
store.close()
"""


class Server:
    """A server in its own process, with two changes staged."""

    def __init__(self, disk: Disk) -> None:
        command = [sys.executable, "-c", _SERVER, str(disk.base)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"staged\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def finish(self) -> int:
        self.process.communicate(b"\n")
        return self.process.returncode


def notes(disk: Disk) -> list[str]:
    return os.listdir(os.path.join(disk.state.path, "servers"))


def test_after_a_kill_the_next_start_leaves_nothing_but_the_files(disk: Disk) -> None:
    disk.put("a.py", b"old")
    Server(disk).kill()
    assert len(disk.names()) == 3  # a.py, its temporary file, made
    assert len(disk.names("made/deep")) == 1

    disk.another().sweep()
    assert disk.names() == {"a.py"}
    assert (disk.path / "a.py").read_bytes() == b"old"
    assert notes(disk) == []


def test_a_living_servers_files_are_left_alone(disk: Disk) -> None:
    disk.put("a.py", b"old")
    server = Server(disk)
    disk.another().sweep()
    assert server.finish() == 0
    assert (disk.path / "a.py").read_bytes() == b"new"
    assert (disk.path / "made/deep/new.py").read_bytes() == b"new"
    assert disk.names() == {"a.py", "made"}
    assert notes(disk) == []


def test_a_server_does_not_sweep_what_is_its_own(disk: Disk) -> None:
    staged = disk.stage(disk.at("made/new.py"), b"new", None)
    disk.store.sweep()
    staged.commit()
    assert disk.names("made") == {"new.py"}


def test_folders_that_are_in_use_by_now_stay(disk: Disk) -> None:
    disk.put("a.py", b"old")
    Server(disk).kill()
    disk.put("made/theirs", b"")
    disk.another().sweep()
    assert disk.names("made") == {"theirs"}


def test_folders_that_landed_stay_even_when_they_are_empty_later(disk: Disk) -> None:
    note = disk.store
    note.stage([Draft(disk.at("made/new.py"), (b"new",), None, True)]).commit()
    (disk.path / "made/new.py").unlink()
    _abandon(disk)
    disk.another().sweep()
    assert disk.names() == {"made"}


def _abandon(disk: Disk) -> None:
    """End this store as a kill would: its record stays, the lock is released."""
    fd = disk.store._registry._fd
    assert fd is not None
    disk.store._registry._fd = None
    os.close(fd)


@pytest.mark.parametrize("swapped", ["sub", "sub/deep"])
def test_a_link_put_in_place_of_a_noted_folder_is_not_swept_through(disk: Disk, swapped: str) -> None:
    disk.put("sub/deep/a.py", b"old")
    disk.stage(disk.at("sub/deep/a.py"), b"new", disk.read("sub/deep/a.py"))
    [temporary] = disk.names("sub/deep") - {"a.py"}
    theirs = disk.outside / "deep" if swapped == "sub" else disk.outside
    theirs.mkdir(exist_ok=True)
    (theirs / temporary).write_bytes(b"outside")
    (disk.path / swapped).rename(disk.path / "aside")
    os.symlink(disk.outside, disk.path / swapped)
    _abandon(disk)

    disk.another().sweep()
    assert (theirs / temporary).read_bytes() == b"outside"


@pytest.mark.parametrize("cut_short", [b"", b'{"temporary_in": "/so'])
def test_only_names_of_the_dead_server_are_removed(disk: Disk, cut_short: bytes) -> None:
    disk.put("a.py", b"old")
    disk.stage(disk.at("a.py"), b"new", disk.read("a.py"))
    [note] = notes(disk)
    with Path(disk.state.path, "servers", note).open("ab") as file:
        file.write(cut_short)
    [temporary] = disk.names() - {"a.py"}
    kept = {
        temporary.replace("-1.tmp", "-x.tmp"),
        ".agentfs-0123456789abcdef-1.tmp",
        "b.tmp",
        temporary + "~",
    }
    for name in kept:
        disk.put(name, b"theirs")
    _abandon(disk)
    disk.another().sweep()
    assert disk.names() == {"a.py"} | kept
    assert notes(disk) == []


def test_a_clean_exit_leaves_no_note_and_a_later_landing_begins_another(disk: Disk) -> None:
    disk.put("a.py", b"0")
    for number in range(2):
        base = disk.read("a.py")
        disk.stage(disk.at("a.py"), b"%d" % number * 3, base).commit()
        assert len(notes(disk)) == 1
        disk.store.close()
        assert notes(disk) == []


def test_what_could_not_be_removed_goes_with_a_clean_exit(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "")

    disk.put("a.py", b"old")
    staged = disk.stage(disk.at("a.py"), b"new", disk.read("a.py"))
    with monkeypatch.context() as failing:
        failing.setattr(os, "unlink", fail)
        staged.discard()
    assert len(disk.names()) == 2
    disk.store.close()
    assert disk.names() == {"a.py"}


def test_without_a_state_folder_nothing_lands_and_sweeping_is_harmless(disk: Disk) -> None:
    Path(disk.state.path).write_bytes(b"in the way")
    store = disk.another()
    with pytest.raises((SystemRefused, SystemFailed)) as refused:
        store.stage([Draft(disk.at("made/new.py"), (b"x",), None, True)])
    assert refused.value.path == disk.state.path
    store.sweep()
    assert disk.names() == set()
