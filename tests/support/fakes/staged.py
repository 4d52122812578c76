"""The commit of staged changes in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentfs_lsp.domain.errors import Conflict, ConflictReason, DomainError, LandingUnknown
from agentfs_lsp.domain.revision import Expected, FileStat, hash_bytes
from agentfs_lsp.service.files.store import Blob, Draft, Landed, Location
from support.fakes.disk import File

if TYPE_CHECKING:
    from support.fakes.store import MemoryStore


@contextmanager
def about(location: Location) -> Iterator[None]:
    try:
        yield
    except DomainError as error:
        error.file = error.file or location.absolute
        raise


def conflict(
    location: Location, reason: ConflictReason, base: Blob | None, found: FileStat | None = None
) -> Conflict:
    expected = Expected(base.stat.mtime_ms, base.stat.size, hash_bytes(base.data)) if base else None
    actual = Expected(found.mtime_ms, found.size) if found else None
    return Conflict(location.relative, "disk", reason, expected, actual)


@dataclass
class Swap:
    """One file of a commit: the old file, and whether the new one is in place."""

    location: Location
    old: File | None
    made: tuple[str, ...] = field(default=())
    is_done: bool = False


class MemoryStaged:
    """`service.files.store.Staged`."""

    def __init__(self, store: MemoryStore, drafts: Sequence[Draft], made: dict[str, tuple[str, ...]]) -> None:
        self._store = store
        self._drafts = drafts
        self._made = made
        self._is_over = False

    def commit(self, check: Callable[[], None] = lambda: None) -> list[Landed]:
        assert not self._is_over, "a change lands once"
        self._store._reach("lock", self._drafts[0].location)
        check()
        swaps = []
        for draft in self._drafts:
            with about(draft.location):
                self._store._reach("commit", draft.location)
                self._store._check_root(draft.location)
                if not self._store.has_folder(draft.location):
                    raise conflict(draft.location, "gone", draft.base)
                old = self._store._check_base(draft)
                swaps.append(Swap(draft.location, old, self._made.get(draft.location.absolute, ())))
        if len(swaps) > 1:
            self._store._journals.append(swaps)
        try:
            for draft, swap in zip(self._drafts, swaps, strict=True):
                with about(draft.location):
                    self._store._reach("swap", draft.location)
                    self._store._check_base(draft)
                    self._change(draft, swap)
            for swap in swaps:
                with about(swap.location):
                    self._store._reach("sync", swap.location)
            self._store._reach("journal", swaps[0].location)
        except DomainError as error:
            self._roll_back(swaps, error)
            raise
        self._forget(swaps)
        self._is_over = True
        return [self._landed(swap) for swap in swaps]

    def discard(self) -> None:
        if not self._is_over and not self._store._is_down:
            self._is_over = True
            self._store._leave(self._made)

    def _change(self, draft: Draft, swap: Swap) -> None:
        absolute = draft.location.absolute
        if draft.data is None:
            self._store._set(absolute, None)
        else:
            mode = swap.old.mode if swap.old else 0o644
            self._store._set(absolute, self._store._file(b"".join(draft.data), mode))
        swap.is_done = True

    def _roll_back(self, swaps: list[Swap], why: DomainError) -> None:
        """Raises LandingUnknown on failure: the next start finds out."""
        try:
            for swap in reversed(swaps):
                if swap.is_done:
                    with about(swap.location):
                        self._store._reach("roll_back", swap.location)
                    self._store._undo(swap)
            for swap in swaps:
                self._store._reach("sync", swap.location)
        except DomainError as error:
            self._is_over = True
            unknown = LandingUnknown(swaps[0].location.relative, "system", getattr(why, "detail", ""))
            unknown.file = error.file
            raise unknown from error
        self._forget(swaps)

    def _forget(self, swaps: list[Swap]) -> None:
        journals = self._store._journals
        journals[:] = [one for one in journals if one is not swaps]

    def _landed(self, swap: Swap) -> Landed:
        node = self._store._nodes.get(swap.location.absolute)
        others = sum(one is swap.old for one in self._store._nodes.values()) if swap.old else 0
        return Landed(self._store._stat(node) if isinstance(node, File) else None, others, swap.made)
