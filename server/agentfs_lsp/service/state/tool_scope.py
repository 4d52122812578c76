"""What agents may touch now, judged from settings and open folders without reading files: what the tool
catalog lists (docs/protocol.md#12-tool-catalog).

`domain/policy/verdict.py` decides about a particular file on each request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

from agentfs_lsp.domain.errors import DomainError
from agentfs_lsp.domain.settings.rules import OPERATIONS, Operation
from agentfs_lsp.service.files.store import Location, Root
from agentfs_lsp.service.state.workspace import Workspace

_Find = Callable[["Root", str], "Location | None"]
"""Resolves a path in a root; None if it leads out of the roots."""

MAX_NAMED = 20
"""List the files that rules name only up to this many: a truncated list would mislead."""


@dataclass(frozen=True, slots=True)
class FileScope:
    """What one operation may touch. `closed`: the only files allowed, None if there is no allowlist; `named`:
    without an allowlist, the allowed files that its rules name."""

    closed: tuple[Location, ...] | None = None
    named: tuple[Location, ...] = ()


def file_scopes(ws: Workspace) -> Mapping[Operation, FileScope]:
    """What each operation may touch, without operations that may touch no file."""
    find = cache(partial(_find, ws))
    return {
        operation: _scope(ws, operation, find) for operation in OPERATIONS if may_touch(ws, operation, find)
    }


def may_touch(ws: Workspace, operation: Operation, find: _Find | None = None) -> bool:
    """Whether this operation may touch any file. `find`: a cache of found files."""
    find = find or partial(_find, ws)
    return any(
        closed is None or any(True for _ in _touched(ws, operation, closed, root, find))
        for root, closed in _open_roots(ws, operation)
    )


def _scope(ws: Workspace, operation: Operation, find: _Find) -> FileScope:
    roots = list(_open_roots(ws, operation))
    listed = [
        location for root, closed in roots for location in _touched(ws, operation, closed or (), root, find)
    ]
    if all(closed is not None for _, closed in roots):
        return FileScope(closed=tuple(listed))
    globs = _named(ws, operation)
    named = [location for root, _ in roots for location in _touched(ws, operation, globs, root, find)]
    return FileScope(named=tuple(named) if len(named) <= MAX_NAMED else ())


def _open_roots(ws: Workspace, operation: Operation) -> Iterator[tuple[Root, tuple[str, ...] | None]]:
    """The roots in which the operation may touch files, each with its allowlist or None."""
    for root in ws.distinct_roots:
        policy = ws.in_force.at(root).policy
        if policy.may_reach(operation):
            yield root, policy.closed


def _touched(
    ws: Workspace, operation: Operation, paths: Iterable[str], root: Root, find: _Find
) -> Iterator[Location]:
    """The files at these paths on which the operation is not denied, whatever the session's mode."""
    for path in paths:
        location = find(root, path)
        if location is not None and ws.judge(operation, location, "").decision != "deny":
            yield location


def _find(ws: Workspace, root: Root, path: str) -> Location | None:
    try:
        return ws.files.resolve(root, path)
    except DomainError:
        return None


def _named(ws: Workspace, operation: Operation) -> list[str]:
    """The globs in this operation's rules that name a single file, as paths in a root."""
    globs = dict.fromkeys(
        glob
        for rule in ws.settings.rules
        if rule.requires or rule.says(operation)
        for glob in rule.files
        if not set(glob) & _NO_PLAIN_NAME and not glob.endswith("/")
    )
    return [glob.removeprefix("/") for glob in globs]


_NO_PLAIN_NAME = frozenset("*?[]!\\#")
