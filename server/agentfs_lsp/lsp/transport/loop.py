"""An event loop that hands input over without a detour.

A message's way through asyncio's own loop costs more than handling a small one: up to 40 µs are lost on pipes
where epoll's wake-ups drop the kernel's hint that reader and writer belong on one processor, which
`select.poll` keeps, and another 10 µs where a readable descriptor passes through the loop's queue of handles.
So this loop polls, and calls the one reader that matters from within the poll. What is deliberately not here:
reading itself.
"""

from __future__ import annotations

import asyncio
import math
import select
import selectors
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import FileDescriptorLike


class PollLoop(asyncio.SelectorEventLoop):
    """asyncio's loop over `select.poll`, with descriptors that are served first."""

    def __init__(self) -> None:
        self._served = _ServingSelector()
        super().__init__(self._served)

    def serve(self, fd: int, callback: Callable[[], None]) -> None:
        """Call `callback` as soon as `fd` is readable or hung up. It must not raise. What it schedules runs
        in the same turn of the loop."""
        self._served.serve(fd, callback)

    def stop_serving(self, fd: int) -> None:
        """The reverse of `serve`; does nothing where `fd` is not served."""
        self._served.stop_serving(fd)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """The loop to run the server on: a PollLoop where the system has poll, else asyncio's own."""
    return PollLoop() if hasattr(select, "poll") else asyncio.new_event_loop()


class _ServingSelector(selectors.BaseSelector):
    """As `selectors.PollSelector`, and in its place: that one has no way to add to what its `select` does."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._keys: dict[int, selectors.SelectorKey] = {}
        self._callbacks: dict[int, Callable[[], None]] = {}

    def serve(self, fd: int, callback: Callable[[], None]) -> None:
        self._callbacks[fd] = callback
        self._poll.register(fd, select.POLLIN)

    def stop_serving(self, fd: int) -> None:
        if self._callbacks.pop(fd, None) is not None:
            self._poll.unregister(fd)

    def register(self, fileobj: FileDescriptorLike, events: int, data: Any = None) -> selectors.SelectorKey:
        fd = _to_fd(fileobj)
        if fd in self._keys or fd in self._callbacks:
            raise KeyError(fileobj)
        key = self._keys[fd] = selectors.SelectorKey(fileobj, fd, events, data)
        reads, writes = events & selectors.EVENT_READ, events & selectors.EVENT_WRITE
        self._poll.register(fd, (select.POLLIN if reads else 0) | (select.POLLOUT if writes else 0))
        return key

    def unregister(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        key = self._keys.pop(_to_fd(fileobj))
        self._poll.unregister(key.fd)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = []
        for fd, happened in self._poll.poll(None if timeout is None else max(0, math.ceil(timeout * 1000))):
            callback = self._callbacks.get(fd)
            if callback is not None:
                callback()
                continue
            key = self._keys.get(fd)
            if key is None:  # a callback before it ended this one
                continue
            # An error or a hang-up is told to both sides, which will find out by trying.
            events = (selectors.EVENT_WRITE if happened & ~select.POLLIN else 0) | (
                selectors.EVENT_READ if happened & ~select.POLLOUT else 0
            )
            if events & key.events:
                ready.append((key, events & key.events))
        return ready

    def close(self) -> None:
        self._keys.clear()
        self._callbacks.clear()

    def get_map(self) -> Mapping[FileDescriptorLike, selectors.SelectorKey]:
        return _ByDescriptor(self._keys)


class _ByDescriptor(Mapping["FileDescriptorLike", selectors.SelectorKey]):
    """The registered keys, to be asked for by number or by an object that has one."""

    def __init__(self, keys: dict[int, selectors.SelectorKey]) -> None:
        self._keys = keys

    def __getitem__(self, fileobj: FileDescriptorLike) -> selectors.SelectorKey:
        return self._keys[_to_fd(fileobj)]

    def __iter__(self) -> Iterator[FileDescriptorLike]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def _to_fd(fileobj: FileDescriptorLike) -> int:
    return fileobj if isinstance(fileobj, int) else fileobj.fileno()
