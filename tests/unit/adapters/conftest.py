from pathlib import Path

import pytest

from agentfs_lsp.adapters.disk import DiskStore
from agentfs_lsp.adapters.documents import OpenDocuments
from agentfs_lsp.adapters.fs.state_folder import StateFolder
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.service.files.store import Blob, Draft, Location, Root

KERNELS = {"system calls": Kernel(), "stand-ins": Kernel(openat2=False, exchange=False, exclusive=False)}


class Disk:
    """A workspace `root` with something private next to it, and a store over it."""

    def __init__(self, base: Path, kernel: Kernel) -> None:
        self.base = base
        self.path = base / "root"
        self.outside = base / "outside"
        self.kernel = kernel
        self.path.mkdir()
        self.outside.mkdir()
        (self.outside / "secret").write_bytes(b"secret")
        self.root = Root("root", str(self.path), self.path.as_uri())
        self.state = StateFolder(str(base / "state"))
        self.store = self.another()

    def another(self) -> DiskStore:
        """A second server of the same user on the same workspace."""
        store = DiskStore(self.state, self.kernel)
        store.set_roots([self.root])
        return store

    def put(self, relative: str, data: bytes) -> Path:
        path = self.path / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def at(self, relative: str) -> Location:
        return self.store.resolve(self.root, relative)

    def read(self, relative: str, max_bytes: int = 1 << 26) -> Blob:
        return self.store.read(self.at(relative), max_bytes)

    def stage(
        self, location: Location, data: bytes | None, base: Blob | None, *, create_dirs: bool = True
    ) -> StagedFile:
        """Stage one file."""
        draft = Draft(location, None if data is None else (data,), base, create_dirs)
        (staged,) = self.store.stage([draft]).files
        return staged

    def names(self, relative: str = ".") -> set[str]:
        return {path.name for path in (self.path / relative).iterdir()}


@pytest.fixture(params=KERNELS.values(), ids=KERNELS)
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    return Disk(tmp_path.resolve(), request.param)


@pytest.fixture
def exchanging(disk: Disk) -> Disk:
    if not disk.kernel.exchange:
        pytest.skip("without an exchange nothing is put back")
    return disk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path.resolve() / "a file, 漢.txt"
    path.write_text("disk")
    return path


@pytest.fixture
def documents() -> OpenDocuments:
    return OpenDocuments()
