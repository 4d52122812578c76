"""A small file system of its own, to be filled up or made read-only."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[None]:
    """One of that size, as mount takes it, on the folder `at`. Skips the test where it can't be mounted."""
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
        # Lazily: what a failed test still has open must not keep it mounted.
        subprocess.run(["umount", "-l", str(at)], check=True)


def remount(at: Path, mode: str) -> bool:
    """Make it `ro` or `rw`; False where it is busy: somebody writes to a file there."""
    command = ["mount", "-o", f"remount,{mode}", str(at)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
