"""What waits for the cleanup after killed servers, and what is told of it:
docs/protocol.md#1-start-and-transport."""

import asyncio
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentfs_lsp.domain.errors import SystemFailed
from agentfs_lsp.domain.translation import english
from agentfs_lsp.lsp import sweeping
from agentfs_lsp.lsp.outgoing import INFO, WARNING
from agentfs_lsp.lsp.sweeping import Sweeping, recovery_messages
from agentfs_lsp.service.files.store import Recovered


def beside(sweep: Any) -> Sweeping:
    """Replaces the disk, since a real one can't be made to hang."""
    nothing: Any = lambda *_: None  # noqa: E731
    files = SimpleNamespace(sweep=sweep)
    workspace = SimpleNamespace(files=files, roots=(), begin_recovery=nothing, end_recovery=nothing)
    diff_files = SimpleNamespace(sweep=lambda _: None)
    return Sweeping(cast("Any", workspace), cast("Any", diff_files), cast("Any", None), lambda: english)


async def test_nobody_waits_for_a_cleanup_that_has_not_begun() -> None:
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


async def test_changes_wait_only_so_long_for_a_cleanup_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "LONGEST_S", 0.01)
    go_on = Event()
    one = beside(lambda: go_on.wait() and [])
    under_way = asyncio.ensure_future(one.begin())
    await one.wait_until_prepared()
    go_on.set()
    await under_way
    await one.over.wait()


async def test_while_another_server_lands_it_is_tried_again() -> None:
    failures = [SystemFailed("landing.lock", "landing_elsewhere")] * 2

    def sweep() -> list[object]:
        if failures:
            raise failures.pop()
        return []

    await beside(sweep).begin()
    assert not failures


def test_many_landings_are_one_message_for_each_outcome() -> None:
    recovered = [
        one
        for number in range(100)
        for one in (
            Recovered("finished", (f"/r/done{number}",)),
            Recovered("set_aside", (f"/r/half{number}",), f"/state/set-aside/{number}"),
        )
    ]
    finished, half_done = recovery_messages(recovered, english)
    assert (finished[0], half_done[0]) == (INFO, WARNING)
    assert finished[1].endswith("was completed: /r/done0, /r/done1, /r/done2, /r/done3, /r/done4 …")
    assert half_done[1].endswith("is in /state/set-aside.")


def test_one_landing_names_its_own_folder() -> None:
    ((_, told),) = recovery_messages([Recovered("set_aside", ("/r/a",), "/state/set-aside/1")], english)
    assert told.endswith("is in /state/set-aside/1.")
