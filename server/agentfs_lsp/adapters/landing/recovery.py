"""Finishes or rolls back what killed servers left incomplete, at the next start or when a running server
gets a request for one of the files (docs/protocol.md#10-agentfsbatch).

All files are examined first, and accessed only beneath directory handles without following links. If every
file can be completed, all are. Otherwise the completed files are rolled back. If that would overwrite
somebody else's changes, or one of the folders has gone, nothing is changed: the journal and the staged
contents are set aside, and the user is informed. The journals of running servers are skipped.
"""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from agentfs_lsp.adapters.fs.confined import Folder, OpenBeneath, open_real
from agentfs_lsp.adapters.fs.state_folder import LandingLock, StateFolder
from agentfs_lsp.adapters.fs.syscalls import Kernel, sync, sync_folder
from agentfs_lsp.adapters.landing import journal
from agentfs_lsp.adapters.landing.partial_commit import ConcurrentWrite, PartialCommit
from agentfs_lsp.adapters.landing.temporary_registry import PASSING, is_dead
from agentfs_lsp.domain.errors import SystemFailed, SystemRefused
from agentfs_lsp.service.files.store import Recovered

SET_ASIDE = "set-aside"

_HOLDS_UP = PASSING | {errno.ENOSPC, errno.EDQUOT}
"""Errors after which it may be possible in a moment: the files are there."""

_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
"""Errors of a folder that was removed or moved, or has something else in its place."""

_TELLABLE_NS = 1_000_000_000
"""A folder unchanged for so long gets a different time when it changes again, whatever the clock's
resolution."""


class Recovery:
    """Works through the journals of dead servers."""

    def __init__(
        self, state: StateFolder, lock: LandingLock, kernel: Kernel, open_beneath: OpenBeneath
    ) -> None:
        self._state = state
        self._lock = lock
        self._kernel = kernel
        self._open_beneath = open_beneath

    def run(self) -> list[Recovered]:
        """Recover each landing and report the result; leave what is unreachable to the next start. Raises
        SystemFailed (landing_elsewhere, landing_here) if a server keeps landing: try again later."""
        names = _names(self._state)
        if not names:
            return []
        try:
            with self._lock.held():
                found = [self._recover(name) for name in sorted(_names(self._state))]
        except (SystemFailed, SystemRefused) as error:
            if error.reason in ("landing_elsewhere", "landing_here"):
                raise
            found = [self._held_up(name, error) for name in names]
        return [one for one in found if one is not None]

    def _recover(self, name: str) -> Recovered | None:
        path = os.path.join(_folder(self._state), name)
        try:
            if not is_dead(self._state, _server_of(name)):
                return None
            if name.endswith(".new"):  # its landing never started
                os.unlink(path)
                return None
            entries = journal.read(path)
            if entries is None:
                return self._set_aside(path, [], [])
            return self._settle(path, entries)
        except OSError as error:
            return self._held_up(name, error) if error.errno in _HOLDS_UP else None
        except (SystemFailed, SystemRefused) as error:
            return self._held_up(name, error)

    def _opened(self, path: str) -> Folder | None:
        """None if it is not there any more, or a link in its place. Raises OSError."""
        try:
            return open_real(self._open_beneath, path)
        except OSError as error:
            if error.errno in _GONE:
                return None
            raise

    def _held_up(self, name: str, why: OSError | SystemFailed | SystemRefused) -> Recovered | None:
        """None for what is not half landed."""
        reason = (why.strerror or "") if isinstance(why, OSError) else why.detail or why.reason
        paths: tuple[str, ...] = ()
        with suppress(OSError):
            if name.endswith(".new") or not is_dead(self._state, _server_of(name)):
                return None
            entries = journal.read(os.path.join(_folder(self._state), name))
            paths = tuple(entry.path for entry in entries or ())
        return Recovered("held_up", paths, reason=reason)

    def _settle(self, path: str, entries: Sequence[journal.Entry]) -> Recovered | None:
        """Raises OSError; the next start continues from there."""
        opened = {at: self._opened(at) for at in {one.folder for one in entries}}
        files = [
            PartialCommit(entry, folder, self._kernel)
            for entry in entries
            if (folder := opened[entry.folder]) is not None
        ]
        if len(files) < len(entries):
            return self._set_aside(path, files, entries)
        begun = any(one.is_done for one in files)
        if all(one.is_done or one.is_pending for one in files):
            with suppress(ConcurrentWrite):
                for one in files:
                    one.finish()
                return self._conclude(path, files, "finished")
        if all(one.is_returnable for one in files if one.is_done):
            with suppress(ConcurrentWrite):
                for one in files:
                    one.roll_back()
                return self._conclude(path, files, "rolled_back" if begun else None)
        return self._set_aside(path, files, entries)

    def _conclude(
        self, path: str, files: Sequence[PartialCommit], outcome: Literal["finished", "rolled_back"] | None
    ) -> Recovered | None:
        """None: nothing had started, so there is nothing to report."""
        for folder in {(one.folder.device, one.folder.inode): one.folder for one in files}.values():
            sync(folder.fd)
        journal.remove(path)
        return Recovered(outcome, tuple(one.entry.path for one in files)) if outcome else None

    def _set_aside(
        self, path: str, files: Sequence[PartialCommit], entries: Sequence[journal.Entry]
    ) -> Recovered:
        """Keep the journal and copies of the temporary files, which will be swept. `files`: those of
        `entries` whose folder is there."""
        name = os.path.basename(path).removesuffix(".json")
        kept = self._state.ensure(SET_ASIDE, name)
        for number, one in enumerate(files):
            one.copy_spares(kept, number)
        shutil.copy(path, os.path.join(kept, "journal.json"))
        sync_folder(kept)
        journal.remove(path)
        return Recovered("set_aside", tuple(entry.path for entry in entries), kept)


class InterruptedLandings:
    """Detects landings that other servers leave half done while this one (`id`) runs."""

    def __init__(self, state: StateFolder, server_id: str) -> None:
        self._state = state
        self._own = server_id
        self._unchanged_since = -1
        self._tried: set[str] = set()

    def is_any(self) -> bool:
        """Whether a dead server's landing is there that was not yet tried. Costs one stat while no server
        lands several files."""
        try:
            changed = os.stat(_folder(self._state)).st_mtime_ns
        except OSError:
            return False
        if changed == self._unchanged_since:
            return False
        others = self._of_others()
        if not others and time.time_ns() - changed > _TELLABLE_NS:
            self._unchanged_since = changed
        return any(self._is_dead(name) for name in others)

    def leave_the_rest(self) -> None:
        """Recovery has been tried: leave what remains to another start."""
        self._tried.update(filter(self._is_dead, self._of_others()))

    def _of_others(self) -> list[str]:
        begun = (name for name in _names(self._state) if not name.endswith(".new"))
        return [name for name in begun if _server_of(name) != self._own and name not in self._tried]

    def _is_dead(self, name: str) -> bool:
        try:
            return is_dead(self._state, _server_of(name))
        except OSError:
            return False


def unsettled(state: StateFolder) -> set[str]:
    """The servers that have an unfinished landing."""
    return set(map(_server_of, _names(state)))


def interrupted(state: StateFolder) -> frozenset[str]:
    """The real absolute paths of files in unfinished landings, to be handled by this server's next recovery
    or by a live one's."""
    paths: set[str] = set()
    for name in _names(state):
        if not name.endswith(".new"):
            with suppress(OSError):
                paths.update(entry.path for entry in journal.read(os.path.join(_folder(state), name)) or ())
    return frozenset(paths)


def _folder(state: StateFolder) -> str:
    return f"{state.path}/{journal.FOLDER}"


def _names(state: StateFolder) -> list[str]:
    try:
        names = os.listdir(_folder(state))
    except OSError:
        return []
    return [name for name in names if journal.NAME.fullmatch(name.removesuffix(".new"))]


def _server_of(name: str) -> str:
    return name.partition("-")[0]
