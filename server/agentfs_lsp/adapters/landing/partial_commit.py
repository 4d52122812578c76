"""Completes or reverts one file of a landing that a crash interrupted.

The contents under the file's two names show its progress: before the commit the temporary name has the new
content, afterwards the old content or nothing. Contents are compared by hash. Concurrent writes are
detected by comparing the content that a step replaced.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable

from agentfs_lsp.adapters.fs.confined import READING, Folder
from agentfs_lsp.adapters.fs.syscalls import Kernel, exchange
from agentfs_lsp.adapters.landing.journal import Entry
from agentfs_lsp.adapters.landing.temporary_registry import aside_name

_NO_FILE = "no file"
"""In place of a hash: a folder, a link, etc."""


class ConcurrentWrite(Exception):
    """Another program is writing the file, and its version stays."""


class PartialCommit:
    """One file's part of an interrupted landing."""

    def __init__(self, entry: Entry, folder: Folder, kernel: Kernel) -> None:
        self.entry = entry
        self.folder = folder
        self._kernel = kernel
        self._aside = aside_name(entry.temporary)
        self._look_again()

    # --- how far it got -----------------------------------------------------------------------------------

    @property
    def is_pending(self) -> bool:
        """Nothing has happened yet, and it can still be completed."""
        return self._found == self.entry.base and self._spare == self.entry.content

    @property
    def is_done(self) -> bool:
        """It was completed, whatever happened to the file since."""
        base, content = self.entry.base, self.entry.content
        if self._intruded:
            return False
        if content is None:
            return self._found is None or (self._spare is not None and self._found != base)
        if self._found == content:
            return True
        if self._spare == content:
            return False
        if base is None:
            return self._found is not None
        return self._found != base or base in (self._spare, self._kept)

    @property
    def is_returnable(self) -> bool:
        """It is completed, and the old content is still there."""
        if self._found != self.entry.content:
            return False
        return self.entry.base is None or self.entry.base in (self._spare, self._kept)

    @property
    def _intruded(self) -> bool:
        """Another program's version was pushed out, and not compared before the server was killed."""
        base, content = self.entry.base, self.entry.content
        return base is not None and self._found == content and self._spare not in (None, base, content)

    # --- onward -------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Complete it, not yet durably. Raises ConcurrentWrite and OSError."""
        if not self.is_pending:
            return
        name, temporary = self.entry.name, self.entry.temporary
        if self.entry.base is None:
            self._move(temporary, name)
        elif self.entry.content is None:
            self._push_out(self.entry.base)
        else:
            self._replace()
        self._look_again()

    # --- and back -----------------------------------------------------------------------------------------

    def roll_back(self) -> None:
        """Revert it, not yet durably. Raises ConcurrentWrite and OSError."""
        if not self.is_done and not self._intruded:
            return
        name, temporary = self.entry.name, self.entry.temporary
        if self.entry.base is None and self._spare == self.entry.content:  # a hard link to it
            os.unlink(name, dir_fd=self.folder.fd)
        elif self.entry.base is None:
            self._push_out(self.entry.content)
        elif self.entry.content is None:
            self._move(temporary, name)
        elif self._spare in (None, self.entry.content):
            self._rename_over(self._aside)
        else:
            if self._kept is not None:  # else the file would still look completed
                os.unlink(self._aside, dir_fd=self.folder.fd)
            self._replace()
        self._look_again()

    def copy_spares(self, target: str, number: int) -> None:
        """Copy what is under the temporary names into the folder `target`. Raises OSError."""
        for name in (self.entry.temporary, self._aside):
            try:
                fd = os.open(name, READING, dir_fd=self.folder.fd)
            except FileNotFoundError:
                continue
            what = "old" if self._hash(name) == self.entry.base else "new"
            copy = os.path.join(target, f"{number}-{what}-{self.entry.name}")
            out = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(fd, "rb") as source, open(out, "wb") as kept:
                shutil.copyfileobj(source, kept)
                kept.flush()
                os.fsync(kept.fileno())

    # --- small steps --------------------------------------------------------------------------------------

    def _replace(self) -> None:
        """Exchange the two names, or rename the temporary one if the file system can't. What comes out must
        be what was seen."""
        name, temporary = self.entry.name, self.entry.temporary
        if self._kernel.try_exchange(self.folder.fd, temporary, name):
            self._expect(temporary, self._found, lambda: exchange(self.folder.fd, temporary, name))
        else:
            self._rename_over(temporary)

    def _rename_over(self, source: str) -> None:
        if self._hash(self.entry.name) != self._found:
            raise ConcurrentWrite
        os.rename(source, self.entry.name, src_dir_fd=self.folder.fd, dst_dir_fd=self.folder.fd)

    def _push_out(self, expected: str | None) -> None:
        """Move the file to the temporary name in one step, which may replace what is there: that name is the
        landing's own."""
        name, temporary = self.entry.name, self.entry.temporary
        try:
            os.rename(name, temporary, src_dir_fd=self.folder.fd, dst_dir_fd=self.folder.fd)
        except FileNotFoundError:
            raise ConcurrentWrite from None
        self._expect(temporary, expected, lambda: self._move(temporary, name))

    def _expect(self, name: str, expected: str | None, put_back: Callable[[], None]) -> None:
        if self._hash(name) != expected:
            put_back()
            raise ConcurrentWrite

    def _move(self, source: str, target: str) -> None:
        """Rename a temporary file to an unused name. Raises ConcurrentWrite if it is used."""
        try:
            self._kernel.rename_to_free(self.folder.fd, source, target)
        except (FileExistsError, FileNotFoundError):
            raise ConcurrentWrite from None

    def _look_again(self) -> None:
        self._found = self._hash(self.entry.name)
        self._spare = self._hash(self.entry.temporary)
        self._kept = self._hash(self._aside)

    def _hash(self, name: str) -> str | None:
        """The hash of the file with this name, None if there is none."""
        try:
            if not stat.S_ISREG(os.stat(name, dir_fd=self.folder.fd, follow_symlinks=False).st_mode):
                return _NO_FILE
            fd = os.open(name, READING, dir_fd=self.folder.fd)
        except FileNotFoundError:
            return None
        with open(fd, "rb") as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
