"""However a proposal ends, its client gets an answer."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.conversation import Settlement


async def test_a_review_that_breaks_answers_the_settle_that_waits() -> None:
    def broken(_: object) -> None:
        raise RuntimeError

    proposal: Any = SimpleNamespace(id="p", changes=(), to=lambda _: None)
    editor: Any = SimpleNamespace(traits=SimpleNamespace(save=True), proposed=broken)
    nothing: Any = None
    reviews = ClientReviews(editor, nothing, nothing)
    with pytest.raises(RuntimeError):
        await reviews.review(proposal, None)
    conversation = reviews.find("p")
    assert conversation is not None
    settling = conversation.settle(Settlement())
    reviews.ended(proposal)
    async with asyncio.timeout(60):
        assert (await settling).code == "EXECUTION_ERROR"
