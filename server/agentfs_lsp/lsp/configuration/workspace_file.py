"""Parses a workspace folder's `.agentfs.toml` (docs/protocol.md#13-settings-and-policy).

The file comes with the workspace and is not trusted: it is read through the confined store and can only
tighten settings. If it is invalid, everything in the folder requires approval. `configuration.py` applies it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

from agentfs_lsp.domain.errors import DomainError, FileMissing, TooLarge
from agentfs_lsp.domain.globs import work_of
from agentfs_lsp.domain.policy.tightening import Tightening
from agentfs_lsp.domain.toml import takes_too_long
from agentfs_lsp.lsp.configuration.reading import Problem, UnusableFile, read_workspace_layer
from agentfs_lsp.service.files.store import FileStore, Location, Root

NAME = ".agentfs.toml"
MAX_BYTES = 64 * 1024
"""A larger file is not read, because its rules are matched against every path."""
MAX_WORK = 30_000_000
"""The maximum number of steps for the globs of a file and one path, at about ten nanoseconds each."""


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A folder's workspace file. `data`: its bytes, or None if there is no file or it cannot be read."""

    data: bytes | None = None
    tightening: Tightening = field(default_factory=Tightening)
    problems: tuple[Problem, ...] = ()


NO_FILE = WorkspaceFile()


def look_again(
    files: FileStore,
    root: Root,
    known: WorkspaceFile,
    read: Callable[[Root, bytes], WorkspaceFile] | None = None,
) -> WorkspaceFile:
    """The file's current state; `known` itself if unchanged. `read` parses new bytes, like `read_file`. Never
    raises.

    Compares bytes, since times may not change when the file does."""
    location = Location(root, NAME)
    try:
        if files.stat(location) is None:
            return NO_FILE
        data = files.read(location, MAX_BYTES).data
    except FileMissing:
        return NO_FILE
    except TooLarge:
        unusable = _unusable(root, "too_large")
    except DomainError:
        unusable = _unusable(root, "unreadable")
    else:
        return known if data == known.data else (read or read_file)(root, data)
    return known if known == unusable else unusable


def read_file(root: Root, data: bytes) -> WorkspaceFile:
    """Parse these bytes for a folder."""
    if takes_too_long(data):
        return _unusable(root, "too_slow", data)
    try:
        layer = read_workspace_layer(tomllib.loads(data.decode("utf-8-sig")), _path_in(root))
    except Exception:  # noqa: BLE001 - whatever a stranger's text brings a parser to
        return _unusable(root, "no_toml", data)
    tightening = Tightening(layer.values)
    globs = chain(
        tightening.protected, *(rule.files for rule in tightening.rules), *tightening.corrected_files
    )
    if sum(map(work_of, globs)) > MAX_WORK:
        return _unusable(root, "too_slow", data)
    return WorkspaceFile(data, Tightening(layer.values, NAME if layer.faulty else None), layer.problems)


def unread(data: bytes) -> WorkspaceFile:
    """The state until these bytes are parsed: everything in the folder requires approval."""
    return WorkspaceFile(data, Tightening(fault=NAME))


def _unusable(root: Root, kind: UnusableFile, data: bytes | None = None) -> WorkspaceFile:
    problem = Problem("", kind, origin=_path_in(root))
    return WorkspaceFile(data, Tightening(fault=NAME), (problem,))


def _path_in(root: Root) -> str:
    return f"{root.path.rstrip('/')}/{NAME}"
