"""What waits for the cleanup after killed servers: docs/protocol.md#1-start-and-transport."""

import asyncio
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentfs_lsp.domain.errors import SystemFailed
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp import sweeping
from agentfs_lsp.lsp.sweeping import Sweeping


def beside(sweep: Any) -> Sweeping:
    """Replaces the disk, since a real one can't be made to hang."""
    nothing: Any = lambda: None  # noqa: E731
    files = SimpleNamespace(sweep=sweep)
    workspace = SimpleNamespace(files=files, roots=(), begin_recovery=nothing, end_recovery=nothing)
    diff_files = SimpleNamespace(sweep=lambda _: None)
    return Sweeping(cast("Any", workspace), cast("Any", diff_files), cast("Any", None), lambda: english)


async def test_nobody_waits_before_it_began() -> None:
    await beside(list).wait_until_prepared()


async def test_changes_wait_until_it_is_over() -> None:
    go_on = Event()
    one = beside(lambda: go_on.wait() and [])
    under_way = asyncio.ensure_future(one.begin())
    waiting = asyncio.ensure_future(one.wait_until_prepared())
    await asyncio.sleep(0)
    assert not waiting.done()
    go_on.set()
    await waiting
    await under_way


async def test_where_it_hangs_changes_wait_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "LONGEST_S", 0.01)
    go_on = Event()
    one = beside(lambda: go_on.wait() and [])
    under_way = asyncio.ensure_future(one.begin())
    await one.wait_until_prepared()
    go_on.set()
    await under_way
    await one.wait_until_done()


async def test_while_another_server_lands_it_is_tried_again() -> None:
    failures = [SystemFailed("landing.lock", "landing_elsewhere")] * 2

    def sweep() -> list[object]:
        if failures:
            raise failures.pop()
        return []

    await beside(sweep).begin()
    assert not failures
