"""Use cases over fakes, on a loop whose time stands still until everybody waits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from support.fakes.time import VirtualLoop
from support.fakes.workspace import FakeWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
async def work() -> FakeWorkspace:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return FakeWorkspace(loop.clock)
