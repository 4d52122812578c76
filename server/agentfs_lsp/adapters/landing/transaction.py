"""Commits several staged files together, or none of them (docs/protocol.md#10-agentfsbatch)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import TypeVar

from agentfs_lsp.adapters.fs.os_errors import domain_error
from agentfs_lsp.adapters.fs.state_folder import LandingLock
from agentfs_lsp.adapters.fs.syscalls import sync
from agentfs_lsp.adapters.landing.journal import Journals, remove
from agentfs_lsp.adapters.landing.staged import StagedFile
from agentfs_lsp.domain.errors import DomainError, LandingUnknown, error_file
from agentfs_lsp.service.files.store import Landed, Location

T = TypeVar("T")

AT_ONCE = 8
"""How many files to sync in parallel: the disk journals what comes together in one go."""

SYNCED_TOGETHER = 64
"""How many files are written, one after another, before they are synced: their handles stay open until then.
Threads that also wrote them would spend their time waiting for each other, for the interpreter's lock."""


def _side_by_side(work: Callable[[T], None], items: Sequence[T]) -> None:
    """Run `work` on each item, on threads if there are several, each with a share of the items: handing over
    one at a time would cost more than most syncs. Raises one of the errors, after all have run."""

    def all_of(share: Sequence[T]) -> list[Exception]:
        errors = []
        for item in share:
            try:
                work(item)
            except Exception as error:  # noqa: BLE001 - raised below
                errors.append(error)
        return errors

    shares = [items[first::AT_ONCE] for first in range(min(AT_ONCE, len(items)))]
    if len(items) < 2:
        errors = all_of(items)
    else:
        with ThreadPoolExecutor(len(shares), "agentfs-landing") as threads:
            errors = list(chain.from_iterable(threads.map(all_of, shares)))
    if errors:
        raise errors[0]


@contextmanager
def about(location: Location) -> Iterator[None]:
    """Raise errors of the system in the context as domain errors, all with this file attached."""
    with error_file(location.absolute):
        try:
            yield
        except OSError as error:
            raise domain_error(error, location.relative) from error


class StagedTogether:
    """`service.files.store.Staged` on disk: one file lands by itself, several in a transaction."""

    def __init__(self, files: Sequence[StagedFile], lock: LandingLock, journals: Journals) -> None:
        self.files = files
        self._lock = lock
        self._journals = journals

    def commit(self, check: Callable[[], None] = lambda: None) -> list[Landed]:
        if len(self.files) == 1:
            with about(self.files[0].location):
                return [self.files[0].commit(check)]
        with self._lock.held():
            check()
            return self._commit_all()

    def discard(self) -> None:
        for one in self.files:
            one.discard()

    def _commit_all(self) -> list[Landed]:
        for one in self.files:
            with about(one.location):
                one.check()
        entries = [one.entry for one in self.files]
        _sync_folders([one for one, entry in zip(self.files, entries, strict=True) if entry.content])
        # The point of no return: all staged files survive a power cut, and the landing will be finished or
        # durably reverted.
        try:
            journal = self._journals.begin(entries)
        except OSError as error:
            raise self._unknown(error, error) from error
        swapped: list[StagedFile] = []
        try:
            for one in self.files:
                with about(one.location):
                    one.swap(returnable=True)
                swapped.append(one)
            _sync_folders(self.files)
            links = []
            for one in self.files:
                with about(one.location):
                    links.append(one.confirm())
        except BaseException as error:
            self._roll_back(swapped, journal, error)
            raise
        try:
            remove(journal)
        except OSError:  # all of it stands; the next start needs the old contents to see that
            for one in self.files:
                one.leave_as_is()
        return [one.finish(count) for one, count in zip(self.files, links, strict=True)]

    def _roll_back(self, swapped: Sequence[StagedFile], journal: str, why: BaseException) -> None:
        try:
            for one in reversed(swapped):
                with about(one.location):
                    one.roll_back()
            _sync_folders(self.files)
            remove(journal)
        except (DomainError, OSError) as error:
            raise self._unknown(why, error) from error

    def _unknown(self, why: BaseException, error: Exception) -> LandingUnknown:
        """The next start sorts out what landed."""
        for one in self.files:
            one.leave_as_is()
        told = os.strerror(why.errno or 0) if isinstance(why, OSError) else getattr(why, "detail", "")
        unknown = LandingUnknown(self.files[0].location.relative, "system", told)
        unknown.file = getattr(error, "file", "")
        return unknown


def _sync_folders(staged: Sequence[StagedFile]) -> None:
    by_folder = {(one.folder.device, one.folder.inode): one for one in staged}

    def synced(one: StagedFile) -> None:
        with about(one.location):
            sync(one.folder.fd)

    _side_by_side(synced, tuple(by_folder.values()))


def make_durable(staged: Sequence[StagedFile]) -> None:
    """Sync what was written. Raises the first DomainError, after all."""

    def synced(one: StagedFile) -> None:
        with about(one.location):
            one.make_durable()

    _side_by_side(synced, staged)
