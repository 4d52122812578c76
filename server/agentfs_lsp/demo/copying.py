"""Copies the workspace of the demo, so that the original is never changed."""

from __future__ import annotations

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_FILES = 5_000
MAX_MIB = 64
# Not the project's own text, and not needed to look at it.
VERSION_CONTROL = {".git", ".hg", ".svn", ".jj", ".agentfs"}
INSTALLED = {"node_modules", ".venv", "venv", ".tox", ".nox", "__pycache__"}
CACHES = {".cache", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"}
LEFT_OUT = VERSION_CONTROL | INSTALLED | CACHES

SAMPLE = Path(__file__).with_name("workspace")


class TooBigError(Exception):
    """The folder is too large for a demo to copy."""


@dataclass
class _Budget:
    files: int = MAX_FILES
    size: int = MAX_MIB << 20

    def take(self, size: int) -> None:
        self.files -= 1
        self.size -= size
        if self.files < 0 or self.size < 0:
            raise TooBigError


def copy_project(source: Path, target: Path) -> None:
    """Copy regular files and folders, without links, devices, unreadable files and the copy itself.

    Raises TooBigError, and OSError if `source` can't be listed or `target` can't be written."""
    _copy(source, target, _Budget())


def _copy(source: Path, target: Path, budget: _Budget) -> None:
    target.mkdir()
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        if entry.name in LEFT_OUT or target.is_relative_to(entry.path):
            continue
        status = entry.stat(follow_symlinks=False)
        readable = os.access(entry.path, os.R_OK, follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode) and readable and os.access(entry.path, os.X_OK):
            budget.take(0)
            _copy(Path(entry.path), target / entry.name, budget)
        elif stat.S_ISREG(status.st_mode) and readable:
            budget.take(status.st_size)
            shutil.copy2(entry.path, target / entry.name)
