"""Installs the peers into `.venv/bench`; the project does not depend on them.

Without Node or a registry, a peer is reported as unavailable, and the run continues without it.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CACHE = PROJECT / ".venv" / "bench"
# The versions for comparing runs; the latest ones if they are gone.
NPM_PACKAGE = "@modelcontextprotocol/server-filesystem"
NPM_SPECS = (f"{NPM_PACKAGE}@2026.8.31", f"{NPM_PACKAGE}@latest")
MCP_SPECS = ("mcp==2.3.0", "mcp>=2,<3")

INSTALL_S = 180


class NotAvailableError(Exception):
    """A party is not available on this machine; says why."""


def npm_filesystem() -> tuple[str, Path]:
    """Node and the npm package's entry, installed on first use. Raises NotAvailableError."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        raise NotAvailableError("Node is not installed")
    folder = CACHE / "npm"
    entry = folder / "node_modules" / NPM_PACKAGE / "dist" / "index.js"
    if not entry.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _install(
            [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(folder)],
            NPM_SPECS,
        )
    return node, entry


def python_mcp() -> Path:
    """An interpreter with the Python SDK, installed on first use. Raises NotAvailableError."""
    python = CACHE / "mcp" / "bin" / "python"
    if not (CACHE / "mcp" / ".installed").exists():
        _run([sys.executable, "-m", "venv", "--clear", str(CACHE / "mcp")])
        _install([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"], MCP_SPECS)
        (CACHE / "mcp" / ".installed").touch()
    return python


def installed_versions() -> str:
    """The peers' versions, as installed."""
    manifest = CACHE / "npm" / "node_modules" / NPM_PACKAGE / "package.json"
    found = [
        path.name.removesuffix(".dist-info")
        for path in (CACHE / "mcp").glob("lib/*/site-packages/mcp-[0-9]*")
    ]
    if manifest.exists():
        version = manifest.read_text(encoding="utf-8").partition('"version": "')[2].partition('"')[0]
        found.insert(0, f"{NPM_PACKAGE} {version}")
    return ", ".join(found) or "none"


def _install(command: Sequence[str], specs: Sequence[str]) -> None:
    for spec in specs[:-1]:
        try:
            _run([*command, spec])
        except NotAvailableError:
            continue
        return
    _run([*command, specs[-1]])


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotAvailableError(str(error)[:200]) from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().split("\n")[-1]
        raise NotAvailableError(last[:200] or f"{command[0]} ended with {done.returncode}")
