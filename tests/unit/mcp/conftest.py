"""Calls of tools, on a loop whose time advances only when everyone waits."""

import asyncio
from collections.abc import Callable, Mapping

from support.fakes.time import VirtualLoop


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}
