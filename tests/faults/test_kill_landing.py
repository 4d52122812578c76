"""Killed at any moment of a landing, a server leaves the old or the new file, and after the next start
nothing else (docs/protocol.md#6-agentfswrite).

strace kills the landing process at each system call in turn, so that every intermediate state is tested; a
process that keeps landing is also killed at random moments.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.strace import calls_between, killed_at
from support.transaction import files_after_the_next_start

_LANDING = """
import os, sys
from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.service.files.store import Draft, Root
base, relative, special = sys.argv[1], sys.argv[2], sys.argv[3] == "True"
store = DiskStore(StateFolder(base + "/state"), Kernel(special, special, special))
root = Root("root", base + "/root", "")
store.set_roots([root])
location = store.resolve(root, relative)
old = None if store.stat(location) is None else store.read(location, 100)
os.access("/begin", os.F_OK)
store.stage([Draft(location, (b"new",), old, True)]).commit()
os.access("/end", os.F_OK)
"""


def _workspace(base: Path) -> None:
    shutil.rmtree(base, ignore_errors=True)
    (base / "root").mkdir(parents=True)
    (base / "root" / "a.py").write_bytes(b"old")


@pytest.mark.parametrize("special", [True, False], ids=["system calls", "stand-ins"])
@pytest.mark.parametrize("relative", ["a.py", "made/deep/new.py"])
def test_killed_at_each_call_it_leaves_old_or_new(tmp_path: Path, relative: str, special: bool) -> None:
    base = tmp_path / "base"
    _workspace(base)
    command = [sys.executable, "-c", _LANDING, str(base), relative, str(special)]
    boundaries = calls_between(command, tmp_path / "log", "/begin", "/end")
    before = {"a.py": b"old"}
    folders = {"made": b"/", "made/deep": b"/"} if relative != "a.py" else {}
    after = {**before, **folders, relative: b"new"}
    assert files_after_the_next_start(base) == after

    seen = []
    for call in boundaries:
        _workspace(base)
        killed_at(command, call)
        left = files_after_the_next_start(base)
        assert left in (before, after), call
        seen.append(left == after)
    assert {name for name, _ in boundaries} >= {"fsync", "write", "flock", "openat"}
    assert (seen[0], seen[-1]) == (False, True)


_LANDING_WITHOUT_END = """
import sys
from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.service.files.store import Draft, Root
base = sys.argv[1]
store = DiskStore(StateFolder(base + "/state"))
root = Root("root", base + "/root", "")
store.set_roots([root])
location = store.resolve(root, "a.py")
for number in range(1 << 30):
    store.stage([Draft(location, (b"%d " % number * 40_000,), store.read(location, 1 << 24), True)]).commit()
    store.stage([Draft(store.resolve(root, f"made/{number}/new"), (b"new",), None, True)]).commit()
    print(number, flush=True)
"""


@pytest.mark.parametrize("landings", range(1, 13))
def test_killed_anywhere_the_file_is_whole_and_nothing_else_stays(tmp_path: Path, landings: int) -> None:
    _workspace(tmp_path)
    command = [sys.executable, "-c", _LANDING_WITHOUT_END, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        done = [int(server.stdout.readline()) for _ in range(landings)][-1]
        server.kill()
    left = files_after_the_next_start(tmp_path)
    content = left.pop("a.py")
    number = int(content.split()[0])
    assert content == b"%d " % number * 40_000
    assert number >= done
    assert left.pop("made") == b"/"
    assert {path for path in left if left[path] == b"/"} == {
        path.removesuffix("/new") for path in left if left[path] == b"new"
    }
