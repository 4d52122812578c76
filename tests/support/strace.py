"""Kills a process as it enters a chosen system call."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

CHANGING = (
    *("openat", "write", "fsync", "fchmod", "fchown", "fsetxattr", "flock", "mkdir", "mkdirat"),
    *("link", "linkat", "rename", "renameat", "renameat2", "unlink", "unlinkat"),
)
"""The calls by which a landing changes something, on any architecture."""

Call = tuple[str, int]
"""A system call's name, and its ordinal in the process."""


def calls_between(command: Sequence[str], log: Path, begin: str, end: str) -> list[Call]:
    """The changing calls of a command between its stats of the paths `begin` and `end`, in order. Skips the
    test if tracing is impossible."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    wanted = "trace=?" + ",?".join([*CHANGING, "access", "faccessat", "faccessat2"])
    if _run(command, ["-o", str(log), "-e", wanted]).returncode != 0:
        pytest.skip("strace may not trace here")
    count: Counter[str] = Counter()
    between = False
    found = []
    for name, rest in re.findall(r"^\d+ +(\w+)\((.*)", log.read_text(), re.MULTILINE):
        count[name] += 1
        between = (between or f'"{begin}"' in rest) and f'"{end}"' not in rest
        if between and name in CHANGING:
            found.append((name, count[name]))
    return found


def killed_at(command: Sequence[str], call: Call) -> None:
    """Run the command and kill it as it enters the call."""
    name, number = call
    options = ["-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]
    done = _run(command, options)
    assert done.returncode in {-9, 137}, (call, done)


def _run(command: Sequence[str], options: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["strace", "-f", *options, *command], check=False, capture_output=True)
