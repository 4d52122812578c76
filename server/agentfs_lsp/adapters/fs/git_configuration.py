"""The files that the configuration of git repositories names: hooks, commands, and further configuration.

Git is not asked, because it would run them. A worktree's configuration is outside the roots, so nothing here
is confined to them; all that is told of it is whether, and by which setting, a file is named.
"""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from contextlib import suppress

from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.adapters.fs.resolving import real_path
from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.policy.git_settings import settings_with_files

_MAX_BYTES = 256 * 1024
_MAX_FILES = 16
_MAX_NAMED = 256
_MAX_KEPT = 64
_MAX_STEPS = 40
"""Links behind one another that are looked up one by one."""
_TICK_NS = 1_000_000_000
"""So long after a change of a folder, another one may leave it with the same time."""
_MAX_DEPTH = 64
"""No repository is below so many folders; a path may have thousands."""


class GitConfigurations:
    """The repositories that contain files asked about, each read again when one of its files has changed."""

    def __init__(self) -> None:
        self._known: dict[str, _Repository] = {}

    def setting_of(self, absolute: str) -> str | None:
        """The setting that names this file, or the folder of hooks that it is in, if any does."""
        path, folders = _folded(absolute), absolute.split("/")
        for depth in range(1, min(len(folders), _MAX_DEPTH)):
            top = "/".join(folders[:depth])
            if os.path.lexists(f"{top}/.git"):
                for named, (setting, is_folder) in self._at(top).named.items():
                    if path == named or (is_folder and path.startswith(f"{named}/")):
                        return setting
        return None

    def _at(self, top: str) -> _Repository:
        known = self._known.get(top)
        if known is None or known.has_changed():
            if len(self._known) >= _MAX_KEPT:
                self._known.clear()
            known = self._known[top] = _Repository(top)
        return known


class _Repository:
    """`named`: the files named by settings, folded, with the setting and whether it means all in a folder."""

    def __init__(self, top: str) -> None:
        self.named: dict[str, tuple[str, bool]] = {}
        self._tried = 0
        self._read: dict[str, object] = {}
        self._taken: set[str] = set()
        self._links: dict[str, str] = {}  # where the named paths lead
        self._looked_up_in: dict[str, object] = {}  # the folders of what is on the way
        self._hooks: dict[str, int] = {}
        pointer = self._text_of(f"{top}/.git")  # of a worktree or submodule, a file
        git = os.path.join(top, pointer.removeprefix("gitdir:").strip()) if pointer else f"{top}/.git"
        common = os.path.join(git, self._text_of(f"{git}/commondir").strip())
        self._name_hooks(os.path.join(common, "hooks"), "core.hooksPath")
        # Both come before what they include, which could leave no room for them.
        waiting = deque([f"{git}/config.worktree", os.path.join(common, "config")])
        while waiting:
            self._take(waiting.popleft(), top, waiting)

    def has_changed(self) -> bool:
        return (
            any(_version_of(path) != version for path, version in self._read.items())
            or any(_mtime_of(folder) != mtime for folder, mtime in self._hooks.items())
            or self._leads_elsewhere()
        )

    def _leads_elsewhere(self) -> bool:
        """There may be hundreds of links, in few folders: they are followed again only if something has
        changed there."""
        folders = {folder: _state_of(folder) for folder in self._looked_up_in}
        if folders == self._looked_up_in:
            return False
        self._looked_up_in = folders
        return any(real_path(path) != real for path, real in self._links.items())

    def _take(self, config: str, top: str, waiting: deque[str]) -> None:
        """Name what this file's settings name. What it includes is added to `waiting`."""
        if config in self._taken or len(self._taken) >= _MAX_FILES:
            return
        self._taken.add(config)
        for setting in settings_with_files(self._text_of(config)):
            base = os.path.dirname(config) if setting.kind == "include" else top
            for spelled in setting.paths:
                path = os.path.join(base, os.path.expanduser(spelled))
                if setting.kind == "hooks":
                    self._name_hooks(path, setting.name)
                    continue
                real = self._name(path, setting.name)
                if setting.kind == "include" and real is not None:
                    waiting.append(real)
                elif spelled.startswith("/"):  # behind `$(git rev-parse --show-toplevel)`
                    self._name(f"{top}{spelled}", setting.name)

    def _name(self, path: str, setting: str, *, is_folder: bool = False) -> str | None:
        """Name the file at this path, which it returns without links; None beyond the limit."""
        if self._tried >= _MAX_NAMED:
            return None
        self._tried += 1
        self._look_up(path)
        real = self._links[path] = real_path(path)
        self.named.setdefault(_folded(real), (setting, is_folder))
        return real

    def _look_up(self, path: str) -> None:
        """Note the folders in which this name is looked up, and those that it leads to as a link."""
        for _ in range(_MAX_STEPS):
            folder = os.path.dirname(path)
            if folder not in self._looked_up_in:
                self._looked_up_in[folder] = _state_of(folder)
            try:
                path = os.path.join(folder, os.readlink(path))
            except (OSError, ValueError):  # no link
                return
        self._looked_up_in[path] = object()  # so it is followed each time

    def _name_hooks(self, path: str, setting: str) -> None:
        """Name a folder of hooks, and what is linked there."""
        folder = self._name(path, setting, is_folder=True)
        if folder is None:
            return
        self._hooks[folder] = _mtime_of(folder)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink():
                    self._name(entry.path, setting)

    def _text_of(self, path: str) -> str:
        """The beginning of the file; empty if there is none."""
        self._read[path] = _version_of(path)
        try:
            with closing_fd(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)) as fd:
                data = os.pread(fd, _MAX_BYTES, 0) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
        except (OSError, ValueError):
            return ""
        return "" if b"\0" in data else os.fsdecode(data)


def _folded(absolute: str) -> str:
    return fold_path(absolute.lstrip("/"))


def _mtime_of(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except (OSError, ValueError):
        return 0


def _state_of(folder: str) -> object:
    """Equals a later one if no name in the folder has changed since, and the folder is still at its place."""
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return real_path(folder)
    if time.time_ns() - found.st_ctime_ns <= _TICK_NS:
        return object()
    return real_path(folder), found.st_dev, found.st_ino, found.st_ctime_ns


def _version_of(path: str) -> object:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
