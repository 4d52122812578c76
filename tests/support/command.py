"""Runs the command to its end."""

import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "agentfs_lsp"]


def run(*command: str, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """What the process wrote, as text; `more` is for subprocess.run."""
    return subprocess.run(
        command, check=check, **{"capture_output": True, "text": True, "timeout": 60, **more}
    )


def agentfs(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """`agentfs-lsp` with these arguments."""
    return run(*COMMAND, *arguments, **more)
