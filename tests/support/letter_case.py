"""What a file system that ignores letter case answers, as macOS' does by default."""

import os
from pathlib import Path

import pytest


def ignore_case(below: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are found in any letter case below this folder, by what looks at names only."""
    top, lstat, access = f"{below}/", os.lstat, os.access

    def found(path: str | Path) -> str:
        if not str(path).startswith(top):
            return str(path)
        real = top
        for name in str(path)[len(top) :].split("/"):
            listed = os.listdir(real) if os.path.isdir(real) else []
            real = os.path.join(real, next((one for one in listed if one.lower() == name.lower()), name))
        return real

    monkeypatch.setattr(os, "lstat", lambda path: lstat(found(path)))
    monkeypatch.setattr(os, "access", lambda path, mode: access(found(path), mode))
