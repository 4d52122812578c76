"""Workspace folders as roots (docs/protocol.md#4-paths-and-roots).

Only `file:` folders are roots. If several folders have the same name, `paths.parse` rejects it, unless the
setting `roots` gives them different names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from urllib.parse import quote

from agentfs_lsp.adapters.documents import path_of
from agentfs_lsp.domain.errors import MalformedPath
from agentfs_lsp.domain.paths import path_of_uri
from agentfs_lsp.domain.settings.settings import Settings
from agentfs_lsp.lsp.raw import member
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.state.workspace import Workspace


class Folders:
    """The folders that are open in the editor, as the workspace's roots."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._folders: list[tuple[str, str]] = []

    def opened(self, params: object) -> None:
        """The folders in `initialize`."""
        self._folders = folders_of(params)
        self.apply()

    def changed(self, params: object) -> None:
        """`workspace/didChangeWorkspaceFolders`."""
        added = folders_in(member(params, "event", "added"))
        for uri, _ in folders_in(member(params, "event", "removed")):
            path = path_of(uri)
            gone = {told for told, _ in self._folders if told == uri} or {
                told for told, _ in self._folders if path is not None and path_of(told) == path
            }
            self._folders = [folder for folder in self._folders if folder[0] not in gone]
        self._folders += added
        self.apply()

    def apply(self) -> None:
        """Make them the roots, named according to the settings. Removing a root drops its records and pending
        proposals."""
        ws = self._workspace
        roots = roots_of(self._folders, ws.settings)
        open_now = {root.path for root in roots}
        gone = [root for root in ws.roots if root.path not in open_now]
        ws.roots, ws.folders = roots, spellings(roots)
        ws.open_roots()
        for root in gone:
            ws.forget_root(root)


def folders_of(params: object) -> list[tuple[str, str]]:
    """(uri, name) of the folders in `initialize`: workspaceFolders, else rootUri, else rootPath."""
    listed = folders_in(member(params, "workspaceFolders"))
    if listed:
        return listed
    uri, path = member(params, "rootUri"), member(params, "rootPath")
    if isinstance(uri, str):
        return [(uri, "")]
    if isinstance(path, str) and os.path.isabs(path):
        return [("file://" + quote(path, errors="surrogatepass"), "")]
    return []


def folders_in(listed: object) -> list[tuple[str, str]]:
    """(uri, name) of every well-formed entry of a list of WorkspaceFolder."""
    folders: list[tuple[str, str]] = []
    for folder in listed if isinstance(listed, list) else ():
        uri, name = member(folder, "uri"), member(folder, "name")
        if isinstance(uri, str):
            folders.append((uri, name if isinstance(name, str) else ""))
    return folders


def roots_of(folders: Sequence[tuple[str, str]], settings: Settings) -> tuple[Root, ...]:
    """The folders as roots. One that is open several times, say itself and through a link, is a root under
    each of its names."""
    named = {os.path.realpath(one.path): one.name for one in settings.roots or ()}
    roots: dict[tuple[str, str], Root] = {}
    for uri, name in folders:
        path = path_of(uri)
        if path is not None:
            called = named.get(path) or _fitting(name, path)
            roots.setdefault((path, called), Root(called, path, uri))
    return tuple(roots.values())


_UNFIT = re.compile("[/\\\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _fitting(name: str, path: str) -> str:
    """A folder's name usable as the start of a path; its own name if the editor's is not. Neovim uses the
    whole path as name."""
    told = os.path.basename(name.rstrip("/")) if name.startswith("/") else name
    chosen = next((one for one in (told, os.path.basename(path)) if one not in {"", ".", ".."}), path)
    return _UNFIT.sub("_", chosen)


def spellings(roots: Sequence[Root]) -> dict[str, int]:
    """Every absolute path by which a root is known, as given and real, with the root's index."""
    known: dict[str, int] = {}
    for place, root in enumerate(roots):
        known[root.path] = place
        with suppress(MalformedPath):
            known.setdefault(path_of_uri(root.uri).rstrip("/") or "/", place)
    return known
