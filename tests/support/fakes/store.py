"""The port `FileStore` in memory, with failures and crashes on demand.

Before each step the store consults its plan (`at`), which may raise an error or do something else first, such
as another program's write.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

from agentfs_lsp.domain.errors import (
    BadRange,
    DomainError,
    FileMissing,
    FolderMissing,
    IsDirectory,
    MalformedPath,
    NotRegular,
    OutsideRoots,
    RootMissing,
    SystemFailed,
    SystemRefused,
    TooLarge,
)
from agentfs_lsp.domain.revision import FileStat
from agentfs_lsp.service.files.store import (
    Blob,
    Draft,
    Hides,
    LineRange,
    Location,
    Recovered,
    Root,
    innermost,
)
from support.fakes.disk import File, Folder, Link, MemoryDisk, Node, Special, absolute_of, parent_of
from support.fakes.staged import MemoryStaged, Swap, about, conflict
from support.fakes.time import ManualClock

_MAX_LINKS = 40
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_MARK = b"\xef\xbb\xbf"

Step = Literal["resolve", "stat", "read", "stage", "lock", "commit", "swap", "sync", "roll_back", "journal"]
"""When the plan is consulted: before a file is resolved, read or staged, while a commit waits for other
servers' landings (under the path of its first file), before it checks the bases,
before each file changes, before the changes become durable, before each is reverted, and before the journal
of a landing of several files is removed."""


class Crash(BaseException):
    """The process dies in the middle of a step; nothing more happens before `restart`."""


@dataclass
class _Planned:
    step: Step
    action: BaseException | Callable[[], object]
    path: str | None
    countdown: int


class MemoryStore(MemoryDisk):
    """`service.files.store.FileStore`."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self._roots: Sequence[Root] = ()
        self._folders: dict[str, Node | None] = {}
        self._plan: list[_Planned] = []
        self._journals: list[list[Swap]] = []
        self.planned: set[str] = set()
        self._is_down = False
        self._is_half_landed = False
        self.closed = False
        self.git_settings: dict[str, str] = {}
        """By absolute path: the setting of git that names the file."""

    # --- what happens on the way --------------------------------------------------------------------------

    def at(
        self, step: Step, action: BaseException | Callable[[], object], path: str = "", nth: int = 1
    ) -> None:
        """When this step is reached for the `nth` time (for this file, if `path` is given), raise the error
        or run the action, once."""
        self._plan.append(_Planned(step, action, absolute_of(path) if path else None, nth))

    def restart(self) -> None:
        """Start another server after a crash."""
        self._is_down = False
        self._is_half_landed = bool(self._journals)
        self._plan.clear()

    def _reach(self, step: Step, location: Location) -> None:
        if self._is_down:
            raise Crash
        for planned in list(self._plan):
            if planned.step != step or planned.path not in (None, location.absolute):
                continue
            planned.countdown -= 1
            if planned.countdown:
                continue
            self._plan.remove(planned)
            if isinstance(planned.action, BaseException):
                self._is_down = isinstance(planned.action, Crash)
                raise planned.action
            planned.action()

    # --- roots --------------------------------------------------------------------------------------------

    def set_roots(self, roots: Sequence[Root]) -> None:
        self._roots = roots
        self._folders = {root.path: self._folder_at(root.path) for root in roots}

    def root_intact(self, root: Root) -> bool:
        folder = self._folders.get(root.path)
        return folder is not None and self._folder_at(root.path) is folder

    def _check_root(self, location: Location) -> None:
        there = self._folder_at(location.root.path)
        if there is None:
            raise RootMissing(location.root.name)
        if there is not self._folders.get(location.root.path):
            raise OutsideRoots(location.relative)

    def resolve(self, root: Root, relative: str, hides: Hides | None = None) -> Location:
        self._reach("resolve", Location(root, relative))
        if self._folders.get(root.path) is None:
            self._check_root(Location(root, relative))
        _check_storable(relative)
        real = self._follow(root, relative, hides)
        found = innermost(real, self._roots)
        if found is None:
            raise OutsideRoots(relative)
        if not found.relative:
            raise IsDirectory(relative)
        if any(len(part.encode()) > 255 for part in found.relative.split("/")):
            raise MalformedPath(relative, "too_long")
        return found

    def _follow(self, root: Root, relative: str, hides: Hides | None) -> str:
        """The real absolute path: links and `..` resolved, missing components taken literally."""
        real, links = root.path, 0
        todo = relative.split("/")[::-1]
        own = len(todo)
        while todo:
            if len(todo) == own and todo[-1] != "..":
                if innermost(real, self._roots) is None:
                    raise OutsideRoots(relative)
                ahead = list(takewhile(lambda one: one != "..", reversed(todo)))
                place = innermost("/".join([real.rstrip("/"), *ahead]), self._roots)
                if hides and place and place.relative and hides(place, len(ahead) == own):
                    return place.absolute
            own = min(own, len(todo) - 1)
            part = todo.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                real = parent_of(real)
                continue
            here = f"{real.rstrip('/')}/{part}"
            node = self._nodes.get(here)
            if isinstance(node, Link):
                links += 1
                if links > _MAX_LINKS:
                    raise self._beyond(here, MalformedPath(relative, "link_loop"))
                todo += node.target.split("/")[::-1]
                real = "/" if node.target.startswith("/") else real
                continue
            if todo and isinstance(node, File | Special):
                raise self._beyond(here, MalformedPath(relative, "below_file"))
            real = here
        return real

    def _beyond(self, absolute: str, error: MalformedPath) -> DomainError:
        """Reveal nothing about paths outside, not even the error."""
        return error if innermost(absolute, self._roots) else OutsideRoots(error.path)

    # --- looking ------------------------------------------------------------------------------------------

    def _look(self, location: Location) -> File | None:
        """The file at this name, without following links. Raises what the port's `stat` raises."""
        node: Node | None = None
        parts = location.relative.split("/")
        for depth in range(1, len(parts) + 1):
            node = self._nodes.get(Location(location.root, "/".join(parts[:depth])).absolute)
            if isinstance(node, Link):
                raise OutsideRoots(location.relative)
            if depth < len(parts) and isinstance(node, File | Special):
                raise MalformedPath(location.relative, "below_file")
            if depth == len(parts) and isinstance(node, Folder):
                raise IsDirectory(location.relative)
            if depth == len(parts) and isinstance(node, Special):
                raise NotRegular(location.relative, node.kind)
        return node if isinstance(node, File) else None

    def stat(self, location: Location) -> FileStat | None:
        self._reach("stat", location)
        file = self._look(location)
        return self._stat(file) if file else None

    def read(self, location: Location, max_bytes: int) -> Blob:
        file = self._opened(location)
        if len(file.data) > max_bytes:
            raise TooLarge(location.relative, len(file.data), max_bytes)
        return Blob(file.data, self._stat(file))

    def read_lines(
        self,
        location: Location,
        start_line: int,
        lines: int,
        max_bytes: int,
        stopped: Callable[[], bool] = lambda: False,
    ) -> LineRange:
        file = self._opened(location)
        if stopped():
            raise SystemFailed(location.relative, "system", os.strerror(errno.ECANCELED))
        text = file.data.removeprefix(_MARK)
        every = [line for line in _LINE.findall(text) if line]
        if start_line > max(len(every), 1):
            raise BadRange(start_line, len(every))
        wanted = every[start_line - 1 :][: lines or None]
        taken: list[bytes] = []
        while wanted and sum(map(len, taken)) + len(wanted[0]) <= max_bytes:
            taken.append(wanted.pop(0))
        if wanted and not taken:
            taken = [wanted[0][:max_bytes].decode(errors="ignore").encode()]
        data = b"".join(taken)
        more = sum(map(len, every[: start_line - 1])) + len(data) < len(text)
        return LineRange(data, len(taken), more, self._stat(file), file.data[:4096], file.data[-4:])

    def _opened(self, location: Location) -> File:
        self._reach("read", location)
        self._check_root(location)
        file = self._look(location)
        if file is None:
            raise FileMissing(location.relative)
        if not file.mode & 0o400:
            raise SystemRefused(location.relative, "system", os.strerror(errno.EACCES))
        return file

    def has_folder(self, location: Location) -> bool:
        return self._folder_at(parent_of(location.absolute)) is not None

    def exists(self, location: Location) -> bool:
        return location.absolute in self._nodes

    def git_setting_of(self, location: Location) -> str | None:
        return self.git_settings.get(location.absolute)

    # --- changing -----------------------------------------------------------------------------------------

    def stage(self, drafts: Sequence[Draft]) -> MemoryStaged:
        made: dict[str, tuple[str, ...]] = {}
        try:
            for draft in drafts:
                with about(draft.location):
                    self._reach("stage", draft.location)
                    self._check_root(draft.location)
                    self._check_base(draft)
                    made[draft.location.absolute] = self._enter(draft)
        except BaseException:
            self._leave(made)
            raise
        return MemoryStaged(self, drafts, made)

    def _enter(self, draft: Draft) -> tuple[str, ...]:
        """Create the missing folders; returns their paths in the root, outermost first."""
        location = draft.location
        missing: list[str] = []
        folder = location.relative.rpartition("/")[0]
        while folder and not self._folder_at(Location(location.root, folder).absolute):
            missing.insert(0, folder)
            folder = folder.rpartition("/")[0]
        if missing and (draft.base is not None or not draft.create_dirs):
            raise FolderMissing(location.relative.rpartition("/")[0] + "/")
        for folder in missing:
            self._nodes[Location(location.root, folder).absolute] = Folder()
        return tuple(missing)

    def _leave(self, made: dict[str, tuple[str, ...]]) -> None:
        """Remove folders created for files that did not land, if empty."""
        for absolute, folders in made.items():
            above = absolute
            for _ in folders:
                above = parent_of(above)
                self._remove_empty(above)

    def _check_base(self, draft: Draft) -> File | None:
        """The current file. Raises Conflict if it is not the base."""
        location, base = draft.location, draft.base
        file = self._look(location)
        if base is None and file is None:
            return None
        if file is None:
            raise conflict(location, "gone", base)
        if base is None:
            raise conflict(location, "exists", None, self._stat(file))
        if not file.mode & 0o200:
            raise SystemRefused(location.relative, "write_protected")
        if file.data != base.data:
            raise conflict(location, "reviewing", base, self._stat(file))
        return file

    def plan_removal(self, root: Root, folders: Sequence[str]) -> None:
        self.planned |= {Location(root, folder).absolute for folder in folders}

    def drop_plan(self, root: Root, folders: Sequence[str]) -> None:
        self.planned -= {Location(root, folder).absolute for folder in folders}

    def remove_empty(self, root: Root, folders: Sequence[str]) -> Sequence[str]:
        for folder in folders:
            self._remove_empty(Location(root, folder).absolute)
        return ()

    # --- crashes ------------------------------------------------------------------------------------------

    def interrupted(self) -> frozenset[str]:
        return frozenset(swap.location.absolute for journal in self._journals for swap in journal)

    def needs_recovery(self) -> bool:
        return self._is_half_landed

    def half_landed(self) -> list[str]:
        """The relative paths of changed files that recovery will revert."""
        swaps = [
            swap
            for journal in self._journals
            if not all(swap.is_done for swap in journal)
            for swap in journal
            if swap.is_done and self._nodes.get(swap.location.absolute) is not swap.old
        ]
        return [swap.location.relative for swap in swaps]

    def sweep(self) -> list[Recovered]:
        """Finishes a landing if all of it is there, otherwise reverts it."""
        journals, self._journals, self._is_half_landed = self._journals, [], False
        recovered = [self._recovered(journal) for journal in journals]
        for folder in sorted(self.planned, key=len, reverse=True):
            self._remove_empty(folder)
        self.planned.clear()
        return recovered

    def _recovered(self, journal: Sequence[Swap]) -> Recovered:
        paths = tuple(swap.location.absolute for swap in journal)
        if all(swap.is_done for swap in journal):
            return Recovered("finished", paths)
        for swap in reversed(journal):
            self._undo(swap)
        self._leave({swap.location.absolute: swap.made for swap in journal})
        return Recovered("rolled_back", paths)

    def close(self) -> None:
        self.closed = True

    # --- details ------------------------------------------------------------------------------------------

    def _undo(self, swap: Swap) -> None:
        if swap.is_done:
            self._set(swap.location.absolute, swap.old)
        swap.is_done = False


def disk_full(path: str = "a.py") -> SystemFailed:
    return SystemFailed(path, "system", os.strerror(errno.ENOSPC))


def _check_storable(relative: str) -> None:
    if "\0" in relative:
        raise MalformedPath(relative, "control")
    try:
        if len(relative.encode()) > 4096:
            raise MalformedPath(relative, "too_long")
    except UnicodeEncodeError:
        raise MalformedPath(relative, "unstorable") from None
