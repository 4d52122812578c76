"""Copies the workspace of the demo, so that the original is never changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
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


def copy_project(source: Path, target: Path) -> None:
    """Copy regular files and folders, without links, devices, unreadable files and the copy itself.

    Raises TooBigError, and OSError if `source` can't be listed or `target` can't be written."""
    target.mkdir()
    size = 0
    for count, entry in enumerate(_entries(source, target), 1):
        copy = target / Path(entry.path).relative_to(source)
        size += entry.stat().st_size if entry.is_file() else 0
        if count > MAX_FILES or size > MAX_MIB << 20:
            raise TooBigError
        if entry.is_dir():
            copy.mkdir()
        else:
            shutil.copy2(entry.path, copy)


def _entries(folder: Path, target: Path) -> Iterator[os.DirEntry[str]]:
    """What to copy, each folder before its content."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name in LEFT_OUT or entry.is_symlink() or target.is_relative_to(entry.path):
            continue
        if entry.is_dir() and os.access(entry.path, os.R_OK | os.X_OK):
            yield entry
            yield from _entries(Path(entry.path), target)
        elif entry.is_file() and os.access(entry.path, os.R_OK):
            yield entry
