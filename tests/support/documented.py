"""Runs an example of docs/frameworks.md."""

from pathlib import Path
from typing import Any

import pytest

import agentfs_lsp.client
from agentfs_lsp.client import allow_all
from support.docs import examples, section, text_of
from support.sample import TEXT
from support.scripted_turn import CALLS


class Project:
    """The example's folder, and what its model says next: a read, and an edit."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = tmp_path / "my-project" / "a.py"
        self.file.parent.mkdir()
        self.file.write_text(TEXT)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.setattr(agentfs_lsp.client, "terminal", lambda: allow_all)

    def next(self, told: list[str]) -> Any:
        return CALLS[len(told)] if len(told) < 2 else None

    def run(self, title: str, model: object) -> None:
        (code,) = examples(section(text_of("frameworks.md"), title), "python")
        assert len([line for line in code.splitlines() if line]) < 15
        exec(compile(code, f"docs/frameworks.md, {title}", "exec"), {"model": model})
        assert self.file.read_text() == TEXT.replace("one", "1")
