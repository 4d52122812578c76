"""Use cases over fakes, on a loop whose time advances only when everyone waits."""

import asyncio
from collections.abc import Callable, Mapping

import pytest

from support.fakes.time import VirtualLoop
from support.fakes.workspace import FakeWorkspace


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
async def work() -> FakeWorkspace:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return FakeWorkspace(loop.clock)


@pytest.fixture
async def read(work: FakeWorkspace) -> FakeWorkspace:
    """a.py has three lines, and session "s" has read it."""
    await work.put_and_read("a.py", "one\ntwo\nthree\n")
    return work
