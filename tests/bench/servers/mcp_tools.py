"""A careful tool server with the Python `mcp` SDK: confined to one folder, unique exact replacement with a
unified diff in the response, whole-file replacement through a temporary file. Like other such servers it does
not fsync, keeps no record of reads and asks nobody.

Runs in an environment with `mcp`; imports nothing of agentfs.
"""

import difflib
import os
import sys
import tempfile
from pathlib import Path

from mcp.server import MCPServer

ROOT = Path(sys.argv[1]).resolve()
server = MCPServer("files")


def inside(path: str) -> Path:
    """The file after resolving links. Raises ValueError if it is outside the folder."""
    resolved = (ROOT / path).resolve()
    if not resolved.is_relative_to(ROOT):
        raise ValueError(f"{path} is outside the workspace")
    return resolved


def swap(target: Path, content: str) -> None:
    """Replace the whole content, so that no reader sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(content)
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o7777)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def text_of(target: Path) -> str:
    """The file's text with its own line ends."""
    with target.open(encoding="utf-8", newline="") as stream:
        return stream.read()


@server.tool()
def read_file(path: str) -> str:
    """Read a text file."""
    return text_of(inside(path))


@server.tool()
def write_file(path: str, content: str) -> str:
    """Create a file or replace it whole."""
    swap(inside(path), content)
    return f"Wrote {len(content)} characters to {path}"


@server.tool()
def edit_file(path: str, old_text: str, new_text: str) -> str:
    """Replace a text that occurs exactly once; the answer shows what changed."""
    target = inside(path)
    content = text_of(target)
    count = content.count(old_text)
    if count != 1:
        raise ValueError(f"old_text occurs {count} times in {path}")
    changed = content.replace(old_text, new_text)
    swap(target, changed)
    lines = content.splitlines(keepends=True), changed.splitlines(keepends=True)
    return "".join(difflib.unified_diff(*lines, fromfile=f"a/{path}", tofile=f"b/{path}"))


server.run()
