"""The files that the configuration of git repositories names: hooks, commands, and further configuration.

Git is not asked, because it would run them. A worktree's configuration is outside the roots, so nothing here
is confined to them; all that is told of it is whether, and by which setting, a file is named.
"""

from __future__ import annotations

import os
import stat

from agentfs_lsp.adapters.fs.handles import closing_fd
from agentfs_lsp.domain.folding import fold_path
from agentfs_lsp.domain.policy.git_settings import settings_that_run

_MAX_BYTES = 256 * 1024
_MAX_FILES = 16
_MAX_NAMED = 256
_MAX_KEPT = 64
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
        self._read: dict[str, object] = {}
        told = self._text_of(f"{top}/.git")  # of a worktree or submodule, a file
        git = os.path.join(top, told.removeprefix("gitdir:").strip()) if told else f"{top}/.git"
        common = os.path.join(git, self._text_of(f"{git}/commondir").strip())
        for config in (os.path.join(common, "config"), f"{git}/config.worktree"):
            self._take(config, top)

    def has_changed(self) -> bool:
        return any(_version_of(path) != version for path, version in self._read.items())

    def _take(self, config: str, top: str) -> None:
        if config in self._read or len(self._read) >= _MAX_FILES:
            return
        for setting in settings_that_run(self._text_of(config)):
            base = os.path.dirname(config) if setting.kind == "include" else top
            for path in setting.paths:
                if len(self.named) < _MAX_NAMED:
                    real = os.path.realpath(os.path.join(base, os.path.expanduser(path)))
                    self.named.setdefault(_folded(real), (setting.name, setting.kind == "hooks"))
                    if setting.kind == "include":
                        self._take(real, top)

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


def _version_of(path: str) -> object:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
