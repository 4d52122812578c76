"""Runs `agentfs-lsp demo` as a process, without a terminal."""

import os
import subprocess
from pathlib import Path

from support.command import COMMAND, agentfs

DEMO = [*COMMAND, "demo"]
PATIENCE_S = 60


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    here = {"TMPDIR": str(scratch), "COLUMNS": "100", "LINES": "50", "LC_ALL": "C.UTF-8"}
    return {**os.environ, **here, **more}


def run_demo(tmp_path: Path, *arguments: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    return agentfs("demo", *map(str, arguments), input="", env=environment(tmp_path, **more))
