"""The server, which reads a workspace's file only after a write to the pipe GATES/NAME, NAME being the file's
last word. Run as a module."""

import os
import sys
from pathlib import Path

from agentfs_lsp.__main__ import main
from agentfs_lsp.lsp.configuration import configuration, workspace_file
from agentfs_lsp.lsp.configuration.workspace_file import WorkspaceFile
from agentfs_lsp.service.files.store import Root

_read_file = workspace_file.read_file


def read_file(root: Root, data: bytes) -> WorkspaceFile:
    """The original, behind the gate."""
    Path(os.environ["GATES"], data.split()[-1].decode()).read_bytes()
    return _read_file(root, data)


if __name__ == "__main__":
    workspace_file.read_file = configuration.read_file = read_file
    sys.exit(main())
