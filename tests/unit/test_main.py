"""The command without a server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentfs_lsp.__main__ import INTERRUPTED, main


@pytest.mark.parametrize("arguments", [[], ["--stdio"], ["--version"], ["demo"]])
def test_on_windows_it_says_where_it_runs(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main(arguments) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "WSL" in said.err
    assert "remote development" in said.err


def test_on_windows_the_command_can_be_imported(tmp_path: Path) -> None:
    """Unix-only modules are imported only if available."""
    (tmp_path / "fcntl.py").write_text("raise ImportError('only on Unix')")
    code = "import sys; sys.platform = 'win32'; from agentfs_lsp.__main__ import main; sys.exit(main([]))"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "WSL" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_interrupted_command_ends_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str], translate: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("agentfs_lsp.commands.history.run", interrupted)
    assert main(["history"]) == INTERRUPTED
