"""Fixtures for every test."""

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.sample import TEXT

# A slow machine is not a bug in the code.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """What was imported and collected lives for ever, so collections needn't visit it."""
    gc.freeze()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace folder; the server's state is next to it."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def file(root: Path) -> Path:
    """a.py, with three lines (support/sample.py)."""
    path = root / "a.py"
    path.write_text(TEXT)
    return path
