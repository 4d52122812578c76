"""Fixtures of the tests in real editors."""

from pathlib import Path

import pytest


@pytest.fixture
def repository() -> Path:
    """The top folder, which contains `.editors`."""
    return Path(__file__).parents[2]
