"""The cost of the file system itself: only the system calls that a durable change needs.

Without checks, locks, or decoding: whatever a server adds is its own cost.
"""

import os
from pathlib import Path
from time import perf_counter_ns


class Floor:
    """The calls in this process; each returns milliseconds. `folder` holds the files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> float:
        """Open, read, close."""
        path = os.fspath(self._folder / name)
        start = perf_counter_ns()
        _read(path)
        return _since(start)

    def write(self, name: str, content: str) -> float:
        """Write next to the file, fsync, rename over it, fsync the folder."""
        path, data = os.fspath(self._folder / name), content.encode()
        start = perf_counter_ns()
        _replace(path, [data])
        return _since(start)

    def write_all(self, names: list[str], content: str) -> float:
        """Write, fsync and rename each; fsync their folder once."""
        paths, data = [os.fspath(self._folder / name) for name in names], content.encode()
        start = perf_counter_ns()
        for path in paths:
            _rename_over(path, [data])
        _sync_folder_of(paths[0])
        return _since(start)

    def edit(self, name: str, old: str, new: str) -> float:
        """Read, search, and write like `write`."""
        path, wanted, put = os.fspath(self._folder / name), old.encode(), new.encode()
        start = perf_counter_ns()
        data = _read(path)
        at = data.find(wanted)
        if at < 0 or data.find(wanted, at + 1) >= 0:
            raise AssertionError(f"{name} does not hold the text once")
        rest = memoryview(data)
        _replace(path, [rest[:at], put, rest[at + len(wanted) :]])
        return _since(start)


def file_system(folder: Path) -> str:
    """The type and device of the file system of `folder`, if the platform tells."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8").split("\n")
    except OSError:
        return "unknown"
    best = ("", "unknown")
    for line in lines:
        device, mount, kind, *_ = [*line.split(" "), "", "", ""]
        if folder.is_relative_to(mount or "none") and len(mount) >= len(best[0]):
            best = (mount, f"{kind} on {device}")
    return best[1]


def _read(path: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(handle).st_size
        data = os.read(handle, size + 1)
    finally:
        os.close(handle)
    if len(data) != size:
        raise AssertionError("a regular file gives this size in one call")
    return data


def _replace(path: str, pieces: list[bytes | memoryview]) -> None:
    _rename_over(path, pieces)
    _sync_folder_of(path)


def _rename_over(path: str, pieces: list[bytes | memoryview]) -> None:
    beside = path + ".new"
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        if os.writev(handle, pieces) != sum(map(len, pieces)):
            raise AssertionError("a regular file takes this size in one call")
        os.fsync(handle)
    finally:
        os.close(handle)
    os.rename(beside, path)


def _sync_folder_of(path: str) -> None:
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _since(start: int) -> float:
    return (perf_counter_ns() - start) / 1e6
