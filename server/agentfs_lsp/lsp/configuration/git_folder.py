"""Finds the repository of a folder whose `.git` is a file, as beside worktrees: no agent may touch it,
whatever it is called (docs/protocol.md#13-settings-and-policy)."""

from __future__ import annotations

import os

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.service.files.store import FileStore, Location, Root

_MAX_BYTES = 8 * 1024
_NAMED = b"gitdir:"


def git_folder_of(files: FileStore, root: Root) -> str | None:
    """The real path of the repository that the root's `.git` file names; None if there is no such file."""
    location = Location(root, ".git")
    try:
        if files.stat(location) is None:
            return None
        data = files.read(location, _MAX_BYTES).data
    except DomainError:  # a folder, which is denied by its name
        return None
    if not data.startswith(_NAMED):
        return None
    folder = os.path.realpath(os.path.join(root.path, os.fsdecode(data.removeprefix(_NAMED).strip())))
    above, name = os.path.split(os.path.dirname(folder))
    return above if name == "worktrees" else folder
