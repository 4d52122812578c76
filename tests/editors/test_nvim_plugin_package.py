"""agentfs.nvim is clean under luacheck."""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_the_package(repository: Path) -> None:
    luacheck = shutil.which("luacheck")
    if luacheck is None:
        pytest.skip("luacheck is not installed")
    run = subprocess.run(
        [luacheck, "--no-color", "-q", "."],
        cwd=repository / "editors/nvim",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
