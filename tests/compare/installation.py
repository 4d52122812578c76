"""Where the peers are installed; the project does not depend on them.

The npm file server and the Python SDK are those of `make bench`, the agents' programs those of
`make test-agents`. Without Node or a registry, a peer is named as not available, and the run continues.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from bench.installation import NotAvailableError

PROJECT = Path(__file__).resolve().parents[2]
PROGRAMS = PROJECT / ".agents"
CACHE = PROJECT / ".venv" / "compare"
AIDER = CACHE / "aider"
AIDER_SPEC = "aider-chat==0.86.2"
INSTALL_S = 1200


def program(package: str) -> str:
    """An agent's program from npm, installed on first use: its name and version. Raises NotAvailableError."""
    if not shutil.which("node"):
        raise NotAvailableError("Node is not installed")
    manifest = PROGRAMS / "node_modules" / package / "package.json"
    if not manifest.exists():
        _run("make", "-C", str(PROJECT), ".agents/node_modules/.agentfs")
    try:
        return f"{package} {json.loads(manifest.read_bytes())['version']}"
    except OSError as error:
        raise NotAvailableError(str(error)) from error


def aider() -> Path:
    """An interpreter with aider, installed on first use. Raises NotAvailableError."""
    python, done = AIDER / "bin" / "python", AIDER / ".installed"
    if not done.exists():
        _run(sys.executable, "-m", "venv", "--clear", str(AIDER))
        _run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", AIDER_SPEC)
        done.touch()
    return python


def _run(*command: str) -> None:
    """Waits long: the largest of them has hundreds of megabytes."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotAvailableError(str(error)[:200]) from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().split("\n")[-1]
        raise NotAvailableError(last[:200] or f"{command[0]} ended with {done.returncode}")
