"""Calls of tools, on a loop whose time advances only when everyone waits."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest

from support.fakes.time import VirtualLoop
from support.mcp import FORM, initialize
from support.mcp_calls import Agent


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    agent = Agent(hold=45)
    await agent.send(initialize(capabilities=FORM))
    yield agent
    await agent.calls.close()
