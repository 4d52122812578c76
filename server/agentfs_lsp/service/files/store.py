"""Ports to disk and clock, as protocols; `proposal/review.py` has those to the editor and its user.

Texts are `str` with their own line ends; offsets are code points; times are milliseconds unless named
otherwise; every path that names a file is a `Location`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol
from urllib.parse import quote

from agentfs_lsp.domain.cached import cached
from agentfs_lsp.domain.revision import FileStat
from agentfs_lsp.domain.text.patching import Pieces

# --- files on disk ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Root:
    """A workspace folder: its name (the prefix of paths if there are several roots), real path and URI."""

    name: str
    path: str
    uri: str

    @cached
    def prefix(self) -> str:
        """What the real absolute paths of its files begin with."""
        return f"{self.path.rstrip('/')}/"


@dataclass(frozen=True)
class Location:
    """A file in a root, existing or not, with all links resolved; `relative` uses `/`."""

    root: Root
    relative: str

    @cached
    def absolute(self) -> str:
        """The real absolute path, for display and comparison. Never open it; go through `FileStore`."""
        return self.root.prefix + self.relative

    @property
    def uri(self) -> str:
        """The `file:` URI under which an editor would open it."""
        return f"{self.root.uri.rstrip('/')}/{quote(self.relative)}"


def innermost(absolute: str, roots: Iterable[Root]) -> Location | None:
    """The place with this real absolute path in the innermost of these roots that contains it, if any;
    `relative` is empty for a root itself (docs/protocol.md#4-paths-and-roots)."""
    path = f"{absolute.rstrip('/')}/"
    containing = [root for root in roots if path.startswith(root.prefix)]
    if not containing:
        return None
    root = containing[0] if len(containing) == 1 else max(containing, key=lambda one: len(one.path))
    return Location(root, path[len(root.prefix) : -1])


def placed(location: Location, roots: Sequence[Root]) -> Location:
    """The same place in the innermost of these roots, which decides about it: a nested one may have been
    opened or closed since it was located. Unchanged if none contains it."""
    if len(roots) == 1 and roots[0] is location.root:
        return location
    return innermost(location.absolute, roots) or location


class Blob(NamedTuple):
    """A regular file's bytes, and the stat of the same open file."""

    data: bytes
    stat: FileStat


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines read without loading the whole file. `more`: further lines follow."""

    data: bytes
    lines: int
    more: bool
    stat: FileStat
    head: bytes  # the first bytes, to detect the encoding
    tail: bytes  # the last four bytes, to detect a final line end


@dataclass(frozen=True, slots=True)
class Landed:
    """A commit's result on disk: `stat` is None if the file was removed. `hard_links`: how many other names
    the old file keeps. `owner_lost`: the owner or group of the replaced file could not be kept."""

    stat: FileStat | None
    hard_links: int = 0
    created_dirs: tuple[str, ...] = ()
    owner_lost: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """A file's next content: `data` None deletes it; `base` None creates it, along with its folder if
    `create_dirs`."""

    location: Location
    data: Pieces | None
    base: Blob | None
    create_dirs: bool


@dataclass(frozen=True, slots=True)
class Recovered:
    """A landing of several files that a crash interrupted: their real absolute paths, and the folder with
    what was set aside. "held_up": the system did not let it be finished now, and `reason` says why."""

    outcome: Literal["finished", "rolled_back", "set_aside", "held_up"]
    paths: tuple[str, ...]
    kept_in: str = ""
    reason: str = ""


class Staged(Protocol):
    """The next content of one or more files, durable under temporary names next to them but not yet visible.

    Errors name the file concerned (`DomainError.file`)."""

    def commit(self, check: Callable[[], None] = lambda: None) -> list[Landed]:
        """Put all of it in place or nothing, durably and across crashes. Calls `check` first, as soon as no
        other server lands, which may take seconds; what it raises ends the commit. Raises Conflict if a file
        is not the base (it stays, or is restored), SystemRefused or SystemFailed, after which nothing has
        changed; or LandingUnknown."""

    def discard(self) -> None:
        """Remove the temporary files and the folders made for them; never raises. Does nothing after a
        successful commit."""


Hides = Callable[[Location, bool], bool]
"""Whether nothing may be told about a place, asked before the disk is touched there: the location up to the
path's next `..` or end, and whether that is its end. If not, it raises instead."""


class FileStore(Protocol):
    """The disk, confined to the roots. Every method may raise SystemRefused and SystemFailed. Blocking: call
    it on a worker thread unless the file is known to be small."""

    def set_roots(self, roots: Sequence[Root]) -> None:
        """Replace the roots and close handles of those removed. Reopens a root whose folder was replaced."""

    def root_intact(self, root: Root) -> bool:
        """Whether the root's path still leads to the folder it led to when set."""

    def resolve(self, root: Root, relative: str, hides: Hides | None = None) -> Location:
        """Resolve `..` and links. The file and its parents may be missing. Raises OutsideRoots, even if only
        a part of the path leads outside, MalformedPath (link_loop, below_file, too_long, unstorable), and
        what `hides` raises."""

    def stat(self, location: Location) -> FileStat | None:
        """The stat; None if there is no file. Raises IsDirectory, NotRegular, MalformedPath (below_file)."""

    def read(self, location: Location, max_bytes: int) -> Blob:
        """The whole file. Raises FileMissing, TooLarge, and what `stat` raises. Never blocks on a FIFO."""

    def read_lines(
        self,
        location: Location,
        start_line: int,
        lines: int,
        max_bytes: int,
        stopped: Callable[[], bool] = lambda: False,
    ) -> LineRange:
        """Read `lines` lines (0: all) from the 1-based `start_line`, at most `max_bytes`, of a file of any
        size. Fails soon after `stopped` returns true. Raises FileMissing, BadRange, and what `stat` raises.
        """

    def has_folder(self, location: Location) -> bool:
        """Whether the file's folder exists."""

    def exists(self, location: Location) -> bool:
        """Whether there is anything at this path, of whatever kind. Never raises. Fast."""

    def git_setting_of(self, location: Location) -> str | None:
        """The setting by which the configuration of a git repository around this file names it, such as
        `core.hooksPath`, or None. Never raises. Fast."""

    def stage(self, drafts: Sequence[Draft]) -> Staged:
        """Write all drafts durably next to their targets, or none. A new file never replaces another. Keeps
        the base's mode, owner if permitted, extended attributes and ACLs. Raises Conflict if a file is no
        longer the base, FolderMissing if its folder is missing and not to be created."""

    def plan_removal(self, root: Root, folders: Sequence[str]) -> None:
        """Record that these folders (relative to the root) will be removed if they are empty: if this server
        is killed, the next start does it. Durable on return. Raises SystemRefused and SystemFailed."""

    def drop_plan(self, root: Root, folders: Sequence[str]) -> None:
        """These folders are gone, or stay. Never raises."""

    def remove_empty(self, root: Root, folders: Sequence[str]) -> Sequence[str]:
        """Remove those of these folders (relative to the root) that are empty, in order. Returns those that
        the system did not let it remove; never raises."""

    def interrupted(self) -> frozenset[str]:
        """The real absolute paths of files in interrupted landings; don't trust their content until `sweep`
        is over. Fast if there are none."""

    def needs_recovery(self) -> bool:
        """Whether a killed server left a landing half done that `sweep` has not yet handled. Costs one stat
        unless several files are landing."""

    def sweep(self) -> Sequence[Recovered]:
        """Finish or revert what killed servers left half done, and remove their temporary files; never
        touches those of a live server. Raises SystemFailed if a server keeps landing: try again later, as
        with what is "held_up"."""

    def close(self) -> None:
        """Shut down cleanly, after the last landing."""


# --- time ---------------------------------------------------------------------------------------------------


class Clock(Protocol):
    """Time for the use cases."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""

    def date_ms(self) -> int:
        """Milliseconds since the epoch, by the machine's clock: a later call may return less."""

    async def sleep(self, seconds: float) -> None: ...
