"""Progress is reported often enough, and ends before the response."""

import asyncio
from typing import Any

import pytest

from agentfs_lsp.api import progress
from agentfs_lsp.api.progress import Progress
from agentfs_lsp.domain.translation import english


def kinds(sent: list[dict[str, Any]]) -> list[str]:
    return [one["value"]["kind"] for one in sent]


def test_progress_is_reported_at_least_every_ten_seconds() -> None:
    assert progress.PROGRESS_AFTER_S <= 10
    assert progress.PROGRESS_EVERY_S <= 10


async def test_a_long_wait_is_reported_repeatedly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PROGRESS_AFTER_S", 0.001)
    monkeypatch.setattr(progress, "PROGRESS_EVERY_S", 0.001)
    sent: list[dict[str, Any]] = []
    enough = asyncio.Event()

    def notify(method: str, params: Any) -> None:
        assert method == "$/progress"
        sent.append(params)
        if len(sent) == 4:
            enough.set()

    with Progress(notify, "token", english, lambda: "Editing a.py"):
        await enough.wait()
    assert kinds(sent) == ["begin", *["report"] * (len(sent) - 2), "end"]
    assert {one["token"] for one in sent} == {"token"}
    assert sent[0]["value"]["title"] == "Editing a.py"


async def test_a_short_wait_is_not_reported() -> None:
    sent: list[str] = []
    with Progress(lambda method, _: sent.append(method), 1, english, str):
        await asyncio.sleep(0)
    assert sent == []
