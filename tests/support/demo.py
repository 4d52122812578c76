"""Runs `agentfs-lsp demo` as a process, without a terminal."""

import os
import subprocess
import sys
from pathlib import Path

DEMO = [sys.executable, "-m", "agentfs_lsp", "demo"]
PATIENCE_S = 60


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    here = {"TMPDIR": str(scratch), "COLUMNS": "100", "LINES": "50", "LC_ALL": "C.UTF-8"}
    return {**os.environ, **here, **more}


def run_demo(tmp_path: Path, *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*DEMO, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env=environment(tmp_path, **more),
        check=False,
    )
