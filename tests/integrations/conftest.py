"""A project for the examples of docs/frameworks.md."""

from pathlib import Path

import pytest

from support.documented import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(tmp_path, monkeypatch)
