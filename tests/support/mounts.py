"""A small file system to fill up or make read-only."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[None]:
    """Mount one of this size, in mount's syntax, on the folder `at`. Skips the test if that is impossible."""
    at.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(at)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"a small file system can't be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        # Lazily, so that files left open by a failed test don't keep it mounted.
        subprocess.run(["umount", "-l", str(at)], check=True)


def remount(at: Path, mode: str) -> bool:
    """Remount as `ro` or `rw`; False if it is busy because a file is being written."""
    command = ["mount", "-o", f"remount,{mode}", str(at)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
