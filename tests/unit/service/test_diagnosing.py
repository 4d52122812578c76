"""What other programs in the editor find after a change has landed (docs/protocol.md#95-diagnostics)."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from agentfs_lsp.domain.diagnostics import Diagnostic
from agentfs_lsp.service import diagnosing
from agentfs_lsp.service.proposal.found import Found
from support.fakes.workspace import FakeWorkspace

WRONG = Diagnostic(1, "wrong", "error", "types")


class Finds:
    """An editor in which a program finds something wrong in each file."""

    is_available = True

    def landing(self, proposal_id: str, uris: Sequence[str]) -> None:
        pass

    async def since(self, proposal_id: str, uris: Sequence[str], wait_ms: int) -> Mapping[str, Found]:
        return {uri: Found((), (WRONG,)) for uri in uris}


@pytest.fixture
async def finding(work: FakeWorkspace) -> FakeWorkspace:
    work.ws.found_in_editor = Finds()
    work.reviewer.accepts()
    await work.put_and_read("a.py", "one\n")
    return work


async def test_what_is_new_is_told(finding: FakeWorkspace) -> None:
    submitted = await finding.edit("a.py", "one", "1")
    assert submitted.change.reported == (WRONG,)


async def test_a_cancellation_while_it_is_compared_ends_the_answer_of_no_change_that_landed(
    finding: FakeWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancelled(*_: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    monkeypatch.setattr(diagnosing, "off_loop", cancelled)
    submitted = await finding.edit("a.py", "one", "1")
    assert submitted.landing is not None
    assert submitted.change.reported == ()
