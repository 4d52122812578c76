"""A disk in memory: a test puts files, folders, links and modes."""

from __future__ import annotations

import stat as modes
from dataclasses import dataclass
from typing import Literal

from agentfs_lsp.domain.revision import FileStat
from support.fakes.time import ManualClock

HOME = "/home/work"
"""The workspace folder that tests' paths are relative to."""


@dataclass(eq=False)
class File:
    data: bytes
    mtime_ns: int
    inode: int
    mode: int = 0o644


@dataclass(eq=False)
class Folder:
    """Compared by identity: another folder at the same path is not equal."""


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Special:
    kind: Literal["device", "fifo", "socket", "other"]


Node = File | Folder | Link | Special


class MemoryDisk:
    """The paths in a test's methods are below HOME, or absolute."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._nodes: dict[str, Node] = {"/": Folder()}
        self._inodes = 0
        self.mkdir(HOME)

    def put(self, path: str, data: bytes | str, mode: int = 0o644) -> None:
        """Write a file by replacing it, as editors do."""
        absolute = absolute_of(path)
        self.mkdir(parent_of(absolute))
        self._nodes[absolute] = self._file(data.encode() if isinstance(data, str) else data, mode)

    def bytes_of(self, path: str) -> bytes | None:
        """The content, or None."""
        node = self._nodes.get(absolute_of(path))
        return node.data if isinstance(node, File) else None

    def touch(self, path: str) -> None:
        node = self._nodes[absolute_of(path)]
        assert isinstance(node, File)
        node.mtime_ns = self._now_ns()

    def mkdir(self, path: str) -> None:
        absolute = absolute_of(path)
        if absolute not in self._nodes:
            self.mkdir(parent_of(absolute))
            self._nodes[absolute] = Folder()

    def link(self, path: str, target: str) -> None:
        """A symbolic link."""
        self._nodes[absolute_of(path)] = Link(target)

    def name_again(self, path: str, other: str) -> None:
        """A hard link: another name of the same file."""
        self._nodes[absolute_of(other)] = self._nodes[absolute_of(path)]

    def rename(self, path: str, other: str) -> None:
        self._nodes[absolute_of(other)] = self._nodes.pop(absolute_of(path))

    def special(self, path: str, kind: Literal["device", "fifo", "socket", "other"]) -> None:
        self._nodes[absolute_of(path)] = Special(kind)

    def chmod(self, path: str, mode: int) -> None:
        node = self._nodes[absolute_of(path)]
        assert isinstance(node, File)
        node.mode = mode

    def remove(self, path: str) -> None:
        """Remove whatever is there, recursively."""
        absolute = absolute_of(path)
        for name in [name for name in self._nodes if name == absolute or name.startswith(absolute + "/")]:
            del self._nodes[name]

    def tree(self, path: str = "") -> dict[str, bytes]:
        """The files below a folder; folders end in `/`."""
        top = absolute_of(path).rstrip("/") + "/"
        return {
            name.removeprefix(top): node.data if isinstance(node, File) else b"/"
            for name, node in sorted(self._nodes.items())
            if name.startswith(top)
        }

    def _folder_at(self, absolute: str) -> Node | None:
        node = self._nodes.get(absolute)
        return node if isinstance(node, Folder) else None

    def _stat(self, file: File) -> FileStat:
        links = sum(node is file for node in self._nodes.values())
        return FileStat(file.mtime_ns, len(file.data), file.inode, 1, modes.S_IFREG | file.mode, links)

    def _set(self, absolute: str, file: File | None) -> None:
        """Change a file on behalf of the server."""
        if file is None:
            self._nodes.pop(absolute, None)
        else:
            self._nodes[absolute] = file

    def _remove_empty(self, absolute: str) -> None:
        empty = not any(name.startswith(absolute + "/") for name in self._nodes)
        if self._folder_at(absolute) and empty:
            del self._nodes[absolute]

    def _file(self, data: bytes, mode: int) -> File:
        self._inodes += 1
        return File(data, self._now_ns(), self._inodes, mode)

    def _now_ns(self) -> int:
        return self._clock.date_ms() * 1_000_000


def absolute_of(path: str) -> str:
    """The absolute path of one below HOME."""
    return path if path.startswith("/") else f"{HOME}/{path}".rstrip("/")


def parent_of(absolute: str) -> str:
    """The folder that this is in; the root is in itself."""
    return absolute.rpartition("/")[0] or "/"
