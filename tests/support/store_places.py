"""A workspace folder and its contents, on disk and in memory: the contract of `FileStore` holds for both."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.service.files.store import FileStore, Root
from support.fakes.disk import HOME
from support.fakes.store import MemoryStore


class Place(Protocol):
    """Paths are below the folder, or `../` next to it."""

    store: FileStore
    root: Root

    def put(self, path: str, data: bytes) -> None: ...
    def mkdir(self, path: str) -> None: ...
    def link(self, path: str, target: str) -> None: ...
    def name_again(self, path: str, other: str) -> None: ...
    def fifo(self, path: str) -> None: ...
    def chmod(self, path: str, mode: int) -> None: ...
    def touch(self, path: str) -> None: ...
    def remove(self, path: str) -> None: ...
    def tree(self) -> dict[str, bytes]: ...


class OnDisk:
    def __init__(self, base: Path) -> None:
        self.path = base / "work"
        self.path.mkdir()
        self.root = Root("work", str(self.path), self.path.as_uri())
        self.store = DiskStore(StateFolder(str(base / "state")))

    def put(self, path: str, data: bytes) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_bytes(data)

    def mkdir(self, path: str) -> None:
        (self.path / path).mkdir(parents=True)

    def link(self, path: str, target: str) -> None:
        (self.path / path).symlink_to(target.replace(HOME, str(self.path)))

    def name_again(self, path: str, other: str) -> None:
        (self.path / other).hardlink_to(self.path / path)

    def fifo(self, path: str) -> None:
        os.mkfifo(self.path / path)

    def chmod(self, path: str, mode: int) -> None:
        (self.path / path).chmod(mode)

    def touch(self, path: str) -> None:
        os.utime(self.path / path, ns=(1, 1))

    def remove(self, path: str) -> None:
        target = self.path / path
        if target.is_dir():
            for name in sorted(target.rglob("*"), reverse=True):
                name.rmdir() if name.is_dir() else name.unlink()
            target.rmdir()
        else:
            target.unlink()

    def tree(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.path)): path.read_bytes() if path.is_file() else b"/"
            for path in sorted(self.path.rglob("*"))
        }


@dataclass
class InMemory:
    store: MemoryStore
    root: Root

    def put(self, path: str, data: bytes) -> None:
        self.store.put(_beside(path), data)

    def mkdir(self, path: str) -> None:
        self.store.mkdir(_beside(path))

    def link(self, path: str, target: str) -> None:
        self.store.link(path, target)

    def name_again(self, path: str, other: str) -> None:
        self.store.name_again(path, other)

    def fifo(self, path: str) -> None:
        self.store.special(path, "fifo")

    def chmod(self, path: str, mode: int) -> None:
        self.store.chmod(path, mode)

    def touch(self, path: str) -> None:
        self.store.touch(path)

    def remove(self, path: str) -> None:
        self.store.remove(path)

    def tree(self) -> dict[str, bytes]:
        return self.store.tree()


def _beside(path: str) -> str:
    return path.replace("..", HOME.rpartition("/")[0], 1) if path.startswith("..") else path
