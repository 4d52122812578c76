"""What the use cases need from the world, as protocols: adapters implement them, tests may too.
What they need from the editor and its user is `proposal/review.py`.

Nothing here does anything. Texts are `str` with their own line ends; offsets are code points; times are
milliseconds or named otherwise; every path that names a file is a `Location`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentfs_lsp.domain.revision import FileStat
    from agentfs_lsp.domain.text.patching import Pieces


# --- files on disk ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Root:
    """A workspace folder: its name, which begins paths where there are several, its real path, its URI."""

    name: str
    path: str
    uri: str


@dataclass(frozen=True, slots=True)
class Location:
    """A file (there or not) inside a root after all links were followed; `relative` has `/` and no links."""

    root: Root
    relative: str

    @property
    def absolute(self) -> str:
        """The real absolute path. To show and to compare, never to open: that goes through `FileStore`."""
        return f"{self.root.path.rstrip('/')}/{self.relative}"

    @property
    def uri(self) -> str:
        """The `file:` URI an editor would open it under."""
        return f"{self.root.uri.rstrip('/')}/{quote(self.relative)}"


@dataclass(frozen=True, slots=True)
class Blob:
    """A regular file's bytes, and what the file system said of the very file they were read from."""

    data: bytes
    stat: FileStat


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines read from a file without loading it. `more` is true when lines remain behind them."""

    data: bytes
    lines: int
    more: bool
    stat: FileStat
    head: bytes  # the file's first bytes, from which its encoding is told
    tail: bytes  # its last four, from which it is told whether it ends in a line end


@dataclass(frozen=True, slots=True)
class Landed:
    """What a commit left on disk: `stat` None where it removed the file. `hard_links`: how many other names
    the old file had and keeps."""

    stat: FileStat | None
    hard_links: int = 0
    created_dirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to become of a file: `data` its next content, None for a file that is to go; `base` None for a
    new one, whose folder is made with `create_dirs`."""

    location: Location
    data: Pieces | None
    base: Blob | None
    create_dirs: bool


@dataclass(frozen=True, slots=True)
class Recovered:
    """A landing of several files that a crash had interrupted: `paths` are real absolute paths, `kept_in` the
    folder with what was set aside of it."""

    outcome: Literal["finished", "taken_back", "set_aside"]
    paths: tuple[str, ...]
    kept_in: str = ""


class Staged(Protocol):
    """The next content of one file or several, durable beside each under a temporary name, not yet visible.

    Errors tell which of several files they are about (`DomainError.file`)."""

    def commit(self) -> list[Landed]:
        """Make it so, all of it or nothing, durably and across crashes too. Raises Conflict when what was
        there is not the base (it stays, or is put back), SystemRefused or SystemFailed, and nothing changed
        then; or LandingUnknown."""

    def discard(self) -> None:
        """Remove the temporary files and every folder made for them; never raises. After a commit that went
        well there is nothing to do."""


class FileStore(Protocol):
    """The disk, confined to the roots. Every method may raise SystemRefused and SystemFailed.
    Blocking: call from a worker thread unless the file is known to be small."""

    def set_roots(self, roots: Sequence[Root]) -> None:
        """Replace the roots; handles of those gone are closed. Set again, a root whose folder was replaced
        is taken up anew."""

    def root_intact(self, root: Root) -> bool:
        """Whether the root's path still names the folder that it named when it was set."""

    def resolve(self, root: Root, relative: str) -> Location:
        """Follow `..` and every link. The file and its parents may be missing. Raises OutsideRoots,
        MalformedPath (link_loop, below_file, too_long, unstorable)."""

    def stat(self, location: Location) -> FileStat | None:
        """None when there is nothing. Raises IsDirectory, NotRegular, MalformedPath (below_file)."""

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
        """`lines` lines from the 1-based `start_line` (0: all), at most `max_bytes`, of a file of any size.
        Fails soon after `stopped` is true. Raises FileMissing, BadRange, and what `stat` raises."""

    def has_folder(self, location: Location) -> bool:
        """Whether the folder the file is in, or would be in, is there."""

    def stage(self, drafts: Sequence[Draft]) -> Staged:
        """Write the drafts' data durably beside their targets, or leave nothing of any. A new file never
        replaces one. Keeps the base's mode, owner where permitted, extended attributes and ACLs. Raises
        Conflict when what is there is no longer the base, FolderMissing when the folder is missing and not to
        be created."""

    def remove_empty(self, root: Root, folders: Sequence[str]) -> None:
        """Remove those of these folders below the root that are empty when their turn comes; never raises."""

    def interrupted(self) -> frozenset[str]:
        """The real absolute paths of files of landings that are half done: what they hold now is not to be
        believed before `sweep` is over. Quick where there are none."""

    def half_landed(self) -> bool:
        """Whether a server was killed in the middle of a landing and no `sweep` of this one has looked at
        that. Costs a stat as long as nobody lands several files."""

    def sweep(self) -> Sequence[Recovered]:
        """Finish or take back what servers that were killed left half done, and remove what else they left
        behind; never what a living one has. Raises SystemFailed (landing_elsewhere) where another server
        lands for so long that this is to be tried again."""

    def close(self) -> None:
        """A clean exit, after the last landing."""


# --- time ---------------------------------------------------------------------------------------------------


class Clock(Protocol):
    """Time as the use cases see it."""

    def now_ms(self) -> float:
        """Monotonic milliseconds."""

    def date_ms(self) -> int:
        """Milliseconds since the epoch, more with every call."""

    async def sleep(self, seconds: float) -> None: ...
