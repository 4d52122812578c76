"""Fixtures for every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace folder; the server's state lies beside it."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder
