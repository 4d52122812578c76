"""The diff file that the editor shows while a question is open (docs/protocol.md#92-the-message-rung).

It is in the root, because some editors start another server for files outside: `.agentfs/review/<id>.diff`,
readable only by the user and ignored by version control. If the root cannot store it and the editor can show
other files, it is in the user's state folder. Files of servers that have ended are removed at the start.
"""

from __future__ import annotations

import asyncio
import errno
import os
import re
import stat
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import PurePosixPath

from agentfs_lsp.adapters.fs.confined import READING, Folder, OpenBeneath, folder_at, open_folder, opening
from agentfs_lsp.adapters.fs.handles import abandoned, closing_fd, create_locked, write_all
from agentfs_lsp.adapters.fs.syscalls import Kernel
from agentfs_lsp.adapters.review.message_limits import limits_of
from agentfs_lsp.service.files.store import Root
from agentfs_lsp.service.proposal.proposal import Proposal
from agentfs_lsp.service.proposal.review import Editor
from agentfs_lsp.service.proposal.wording import full_preview_of

FOLDERS = (".agentfs", "review")
_OUTSIDE = ("review", "diffs")
"""In the user's state folder."""

_OWN = re.compile(r"[0-9a-f]{16}\.diff")

_HEAD = "\ufeff# vim: set nomodeline:\n"
"""Keeps editors from obeying the diff's content. Emacs takes the encoding from the mark, before any `coding:`
at the end, and heeds nothing else in a `.diff`; Vim reads no modeline after this one."""

LARGEST = 8 << 20
"""The maximum size in bytes. Emacs asks about files over 10,000,000 bytes, but reports that it shows them."""

_BESIDE = {".gitignore": b"*\n", ".dir-locals.el": b"()\n"}
"""Makes version control ignore the folder, and keeps Emacs from taking variables from parent folders, which
could truncate or hide lines."""

_MORE_VARIABLES = ".dir-locals-2.el"
"""Emacs adds these to those of `.dir-locals.el`."""


class DiffFile:
    """A diff file. Its lock tells other servers that it is in use."""

    def __init__(self, place: Place, folder: Folder, fd: int, filename: str, data: bytes) -> None:
        self._place = place
        self._folder = folder
        self._fd = fd
        self._filename = filename
        self._data = data
        self._written = _untouched(os.fstat(fd))
        self._above = place.state_above()
        self.name = place.name_of(filename)
        self.uri = place.uri_of(filename)

    def remove(self) -> None:
        """Remove the file; never raises."""
        with closing_fd(self._fd):
            _unlink(self._folder, self._filename)
        self._place.tidy()

    def is_intact(self) -> bool:
        """Whether the path that was shown to the user still leads to this file, unchanged, and led to no
        other meanwhile. Blocking."""
        try:
            folder = self._place.folder()  # anew: another may have its name now
            with closing_fd(os.open(self._filename, READING, dir_fd=folder.fd)) as fd:
                was_left_alone = _untouched(os.fstat(fd)) == self._written
                is_same = was_left_alone and os.read(fd, len(self._data) + 1) == self._data
            return is_same and self._place.state_above() == self._above
        except OSError:
            return False


class Place:
    """A folder for diff files beneath an existing folder; access is confined."""

    def __init__(self, open_beneath: OpenBeneath, top: str, names: Sequence[str], uri: str | None) -> None:
        self._open_beneath = open_beneath
        self._path = top
        self._names = names
        self._uri = uri  # None: outside the client's folders

    def name_of(self, filename: str) -> str:
        """The path for display: relative to the root, or absolute."""
        parts = (*self._names, filename)
        return "/".join(parts) if self._uri is not None else os.path.join(self._path, *parts)

    def uri_of(self, filename: str) -> str:
        """The URI for the client."""
        name = self.name_of(filename)
        return PurePosixPath(name).as_uri() if self._uri is None else f"{self._uri.rstrip('/')}/{name}"

    def folder(self) -> Folder:
        """Open the folder, which must exist."""
        return self._opened(len(self._names))

    def state_above(self) -> tuple[int, ...]:
        """The state of the folder that the diff files' folder is in. Renaming either of them changes it;
        files that come and go beside ours do not."""
        above = self._opened(len(self._names) - 1)  # named, as in `_opened`
        return _untouched(os.fstat(above.fd))

    def made(self) -> Folder:
        """Open the folder; create it if necessary, and deny access to other users."""
        if self._uri is None:
            os.makedirs(self._path, mode=0o700, exist_ok=True)
        at = self._opened(0)
        for name in self._names:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=at.fd)
            at = open_folder(self._open_beneath, at.fd, name)
        if stat.S_IMODE(os.fstat(at.fd).st_mode) != 0o700:
            os.fchmod(at.fd, 0o700)
        _shield(at)
        return at

    def tidy(self) -> None:
        """Remove the folders if they are empty."""
        with suppress(OSError):
            own = self.folder()
            there = os.listdir(own.fd)
            if all(name in _BESIDE and _is_ours(own, name) for name in there):
                for name in there:
                    _unlink(own, name)
        for depth in range(len(self._names) - 1, -1, -1):
            with suppress(OSError):
                above = self._opened(depth)
                os.rmdir(self._names[depth], dir_fd=above.fd)

    def _opened(self, depth: int) -> Folder:
        top = folder_at(self._path)  # named, because a handle closes with its last reference
        return open_folder(self._open_beneath, top.fd, "/".join(self._names[:depth]))


class DiffFiles:
    """Writes diff files where the editor can show them. `state` is the path of the user's state folder."""

    def __init__(self, state: str, kernel: Kernel | None = None) -> None:
        self._open_beneath = opening(kernel or Kernel())
        self._outside = Place(self._open_beneath, state, _OUTSIDE, None)
        self._approved: dict[str, DiffFile] = {}

    @asynccontextmanager
    async def shown_for(
        self, editor: Editor, proposal: Proposal, show_s: float, end: str = ""
    ) -> AsyncIterator[DiffFile | None]:
        """The proposal's diff on screen, and `end` below it; None if it can't be written, or the client can't
        show it or has not done so within `show_s` seconds. No exception means approval. The file then stays
        until `conclude`: Neovim reports a removed file and waits for a key before it applies edits."""
        if not editor.traits.show_document:
            yield None
            return
        places = [self._in(proposal.changes[0].base.location.root)]  # one diff of all files
        if limits_of(editor.traits).shows_outside:
            places.append(self._outside)
        writing = asyncio.ensure_future(asyncio.to_thread(_written, proposal, places, end))
        try:
            written = await asyncio.shield(writing)
            yield written if written is not None and await _is_shown(editor, written, show_s) else None
        except BaseException:
            if (written := await writing) is not None:
                written.remove()
            raise
        if written is not None:
            self._approved[proposal.id] = written

    def conclude(self, proposal: Proposal) -> None:
        """The proposal is over: remove its file."""
        if (written := self._approved.pop(proposal.id, None)) is not None:
            written.remove()

    def sweep(self, roots: Sequence[Root]) -> None:
        """Remove files of killed servers. Runs in a thread at the start."""
        for place in (*map(self._in, roots), self._outside):
            try:
                folder = place.folder()
                for name in os.listdir(folder.fd):
                    if _OWN.fullmatch(name):
                        _remove_abandoned(folder, name)
            except OSError:
                continue
            place.tidy()

    def _in(self, root: Root) -> Place:
        return Place(self._open_beneath, root.path, FOLDERS, root.uri)


def _written(proposal: Proposal, places: Sequence[Place], end: str) -> DiffFile | None:
    """Write the diff to the first possible location; None if editors may not show it."""
    data = (_HEAD + full_preview_of(proposal) + end).encode("utf-8", "backslashreplace")
    if len(data) > LARGEST:
        return None
    written = (_written_in(place, f"{proposal.id}.diff", data) for place in places)
    return next(filter(None, written), None)


def _written_in(place: Place, filename: str, data: bytes) -> DiffFile | None:
    try:
        folder = place.made()
        fd = create_locked(filename, os.O_WRONLY | os.O_EXCL, folder.fd)
    except OSError:
        place.tidy()  # folders created before space ran out
        return None
    try:
        write_all(fd, (data,))
        return DiffFile(place, folder, fd, filename, data)
    except OSError:
        with closing_fd(fd):
            _unlink(folder, filename)
        place.tidy()
        return None


def _untouched(found: os.stat_result) -> tuple[int, ...]:
    """What differs once a file or folder is another, or was changed or renamed. Nobody can put the time back:
    the text could have been another one meanwhile."""
    return found.st_ino, found.st_dev, found.st_ctime_ns


async def _is_shown(editor: Editor, diff_file: DiffFile, show_s: float) -> bool:
    """Whether the client reports in time that it shows the diff."""
    try:
        async with asyncio.timeout(show_s):
            return await editor.show(diff_file.uri)
    except TimeoutError:
        return False


def _shield(folder: Folder) -> None:
    """Write the files that keep other programs away from the diffs. Raises OSError if Emacs would take
    variables from someone else's file."""
    for name, data in _BESIDE.items():
        with suppress(FileExistsError):
            _make(folder, name, data)
    names = map(str.casefold, os.listdir(folder.fd))  # some file systems ignore case
    if not _is_ours(folder, ".dir-locals.el") or _MORE_VARIABLES in names:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def _is_ours(folder: Folder, name: str) -> bool:
    try:
        with closing_fd(os.open(name, READING, dir_fd=folder.fd)) as fd:
            return os.read(fd, 8) == _BESIDE[name]
    except OSError:
        return False


def _make(folder: Folder, name: str, data: bytes) -> None:
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder.fd)
    try:
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
    except OSError:
        _unlink(folder, name)
        raise


def _remove_abandoned(folder: Folder, name: str) -> None:
    """Remove the file if no live server holds its lock, holding it until the file is gone. Leaves alone what
    another sweep removed meanwhile: the name may be a new file's."""
    with suppress(BlockingIOError), abandoned(name, folder.fd) as fd:
        if os.fstat(fd).st_nlink:
            _unlink(folder, name)


def _unlink(folder: Folder, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=folder.fd)
