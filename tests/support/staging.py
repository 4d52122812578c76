"""Stages a file with the real store."""

from agentfs_lsp.adapters.landing.staged import StagedFile
from unit.adapters.conftest import Disk


def stage(disk: Disk, relative: str, data: bytes, *, create_dirs: bool = True) -> StagedFile:
    location = disk.at(relative)
    base = None if disk.store.stat(location) is None else disk.store.read(location, 1 << 26)
    return disk.stage(location, data, base, create_dirs=create_dirs)
