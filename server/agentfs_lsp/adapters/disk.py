"""The disk, confined to the roots: implements `service.files.store.FileStore`.

Each root is an open directory handle; files are opened beneath it (`confined`) by names whose links were
resolved before (`resolving`). `staging` and `swaps` change files. Nothing here decodes text or asks anyone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from operator import attrgetter

from agentfs_lsp.adapters.fs.confined import READING, Folder, folder_at, look, open_folder, opening
from agentfs_lsp.adapters.fs.git_configuration import GitConfigurations
from agentfs_lsp.adapters.fs.handles import Closing, closing_fd
from agentfs_lsp.adapters.fs.lines import read_line_range
from agentfs_lsp.adapters.fs.os_errors import domain_error, regular
from agentfs_lsp.adapters.fs.resolving import resolve
from agentfs_lsp.adapters.fs.state_folder import LandingLock, StateFolder
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.adapters.landing.folders import NewFolders
from agentfs_lsp.adapters.landing.journal import Journals
from agentfs_lsp.adapters.landing.recovery import InterruptedLandings, Recovery, interrupted, unsettled
from agentfs_lsp.adapters.landing.staged import CommitContext, StagedFile
from agentfs_lsp.adapters.landing.staging import stage
from agentfs_lsp.adapters.landing.temporary_registry import Registry, sweep
from agentfs_lsp.adapters.landing.transaction import SYNCED_TOGETHER, StagedTogether, about, make_durable
from agentfs_lsp.domain.errors import DomainError, OutsideRoots, RootMissing, SystemFailed, TooLarge
from agentfs_lsp.domain.revision import FileStat
from agentfs_lsp.service.files.store import Blob, Draft, Hides, LineRange, Location, Recovered, Root

_READS = 4


class DiskStore:
    """`service.files.store.FileStore` on the real disk. Thread-safe."""

    def __init__(self, state: StateFolder, kernel: Kernel | None = None) -> None:
        self._kernel = kernel or Kernel()
        self._state = state
        self._open = opening(self._kernel)
        self._registry = Registry(state)
        self.landing = LandingLock(state)
        """Held by every commit."""
        self._journals = Journals(state, self._registry.server_id)
        self._half_landed = InterruptedLandings(state, self._registry.server_id)
        self._new_folders = NewFolders(self._registry, self._open)
        self._context = CommitContext(
            self._registry, self._new_folders, self.landing, self._kernel, self._open, Closing()
        )
        self._git = GitConfigurations()
        self._roots: tuple[Root, ...] = ()
        self._folders: dict[str, Folder | None] = {}

    # --- roots --------------------------------------------------------------------------------------------

    def set_roots(self, roots: Sequence[Root]) -> None:
        """See `FileStore.set_roots`. A root that stays keeps its handle, unless another folder has taken its
        place; calling this again opens the new one. A root counts as empty if it can't be opened or its path
        now leads through a link."""
        folders: dict[str, Folder | None] = {}
        for root in roots:
            if self.root_intact(root):
                folders[root.path] = self._folders[root.path]
                continue
            try:
                real = os.path.realpath(root.path) == root.path
                folders[root.path] = folder_at(root.path) if real else None
            except OSError:
                folders[root.path] = None
        self._folders, self._roots = folders, tuple(roots)

    def root_intact(self, root: Root) -> bool:
        """Whether the root is set, and its path still leads to the folder it led to then
        (docs/protocol.md#4-paths-and-roots)."""
        folder = self._folders.get(root.path)
        try:
            return folder is not None and folder.is_same(os.stat(root.path))
        except OSError:
            return False

    def _root(self, root: Root, relative: str) -> Folder:
        """The root's handle. Raises RootMissing if the root is gone, OutsideRoots if it is another folder now
        or not one of ours."""
        folder = self._folders.get(root.path)
        try:
            found = os.stat(root.path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise RootMissing(root.name) from error
        except OSError as error:
            raise domain_error(error, relative) from error
        if folder is None or not folder.is_same(found):
            raise OutsideRoots(relative)
        return folder

    def _folder(self, root: Root, relative: str) -> Folder:
        """The handle of the folder that was set as this root. Raises like `_root` if there is none."""
        return self._folders.get(root.path) or self._root(root, relative)

    def resolve(self, root: Root, relative: str, hides: Hides | None = None) -> Location:
        """See `FileStore.resolve`. In nested roots, the location is in the innermost; a root itself is
        IsDirectory. Resolves in the folder that was set; opening the file finds out whether that is still the
        root."""
        folder = self._folder(root, relative)
        return resolve(self._open, folder.fd, self._roots, root, relative, hides)

    # --- reading ------------------------------------------------------------------------------------------

    def stat(self, location: Location) -> FileStat | None:
        """See `FileStore.stat`. Like `resolve`, uses the folder that was set."""
        path = location.relative
        folder = self._folder(location.root, path)
        try:
            return regular(look(self._open, folder.fd, path), path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise domain_error(error, path) from error

    def read(self, location: Location, max_bytes: int) -> Blob:
        """See `FileStore.read`. Reads a file again if it changes meanwhile; one that only keeps growing, such
        as a log, is returned at its initial length."""
        path = location.relative
        try:
            with closing_fd(self._open_file(location)) as fd:
                before = os.fstat(fd)
                found = regular(before, path)
                for attempt in range(_READS):
                    if found.size > max_bytes:
                        raise TooLarge(path, found.size, max_bytes)
                    data = _read_whole(fd, found.size + 1)
                    after = os.fstat(fd)
                    if len(data) == found.size and _written(before) == _written(after):
                        return Blob(data, found)
                    if attempt == _READS - 1 and len(data) >= found.size:
                        return Blob(data[: found.size], found)
                    before, found = after, regular(after, path)
                raise SystemFailed(path, "unsteady")
        except OSError as error:
            raise domain_error(error, path) from error

    def read_lines(
        self,
        location: Location,
        start_line: int,
        lines: int,
        max_bytes: int,
        stopped: Callable[[], bool] = lambda: False,
    ) -> LineRange:
        """See `FileStore.read_lines`. `data` has no byte-order mark and consists of whole lines, unless the
        first alone exceeds `max_bytes`; that one is cut between characters."""
        path = location.relative
        try:
            with closing_fd(self._open_file(location)) as fd:
                found = regular(os.fstat(fd), path)
                data, count, more, head = read_line_range(fd, start_line, lines, max_bytes, stopped)
                tail = os.pread(fd, 4, max(found.size - 4, 0))
                return LineRange(data, count, more, found, head, tail)
        except OSError as error:
            raise domain_error(error, path) from error

    def _open_file(self, location: Location) -> int:
        path = location.relative
        root = self._root(location.root, path)
        try:
            return self._open(root.fd, path, READING)
        except OSError as error:
            raise domain_error(error, path) from error

    # --- changing -----------------------------------------------------------------------------------------

    def has_folder(self, location: Location) -> bool:
        parent = location.relative.rpartition("/")[0]
        try:
            open_folder(self._open, self._root(location.root, parent).fd, parent)
        except OSError:
            return False
        return True

    def exists(self, location: Location) -> bool:
        return os.path.lexists(location.absolute)

    def git_setting_of(self, location: Location) -> str | None:
        return self._git.setting_of(location.absolute)

    def stage(self, drafts: Sequence[Draft]) -> StagedTogether:
        files: list[StagedFile] = []
        together = StagedTogether(files, self.landing, self._journals)
        try:
            for start in range(0, len(drafts), SYNCED_TOGETHER):
                for draft in drafts[start : start + SYNCED_TOGETHER]:
                    with about(draft.location):
                        root = self._root(draft.location.root, draft.location.relative)
                        files.append(stage(self._context, root, draft))
                make_durable(files[start:])
        except BaseException:
            together.discard()
            raise
        return together

    def plan_removal(self, root: Root, folders: Sequence[str]) -> None:
        self._registry.announce_removal(_absolute(root, folders))

    def drop_plan(self, root: Root, folders: Sequence[str]) -> None:
        self._registry.settle(_absolute(root, folders))

    def remove_empty(self, root: Root, folders: Sequence[str]) -> Sequence[str]:
        try:
            handle = self._root(root, "")
        except (RootMissing, OutsideRoots):
            return ()
        except DomainError:
            return folders
        return [relative for relative in folders if not self._new_folders.remove_empty(handle, relative)]

    # --- litter -------------------------------------------------------------------------------------------

    def interrupted(self) -> frozenset[str]:
        return interrupted(self._state)

    def needs_recovery(self) -> bool:
        return self._half_landed.is_any()

    def sweep(self) -> list[Recovered]:
        """See `FileStore.sweep`. Run it on a thread of its own."""
        self._half_landed.leave_the_rest()
        recovered = Recovery(self._state, self.landing, self._kernel, self._open).run()
        sweep(self._state, self._open, unsettled(self._state))
        return recovered

    def close(self) -> None:
        """Shut down cleanly after the last landing, leaving nothing to sweep."""
        self._registry.close()
        sweep(self._state, self._open, unsettled(self._state))


def _absolute(root: Root, folders: Sequence[str]) -> list[str]:
    return [f"{root.path.rstrip('/')}/{relative}" for relative in folders]


def _read_whole(fd: int, size: int) -> bytes:
    """The file's first `size` bytes, or all there are."""
    data = os.pread(fd, size, 0)
    if len(data) in {size, size - 1}:
        return data
    pieces = [data]
    while data and (size := size - len(data)):
        data = os.pread(fd, size, sum(map(len, pieces)))
        pieces.append(data)
    return b"".join(pieces)


_written = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size")
