"""However a proposal ends, its client gets an answer."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from agentfs_lsp.adapters.review.client import ClientReviews
from agentfs_lsp.adapters.review.conversation import Conversation, Settlement
from agentfs_lsp.adapters.review.questions import Unanswered
from agentfs_lsp.domain.errors import BadParameter


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


# --- reviewers in programs of their own -------------------------------------------------------------------


class Told:
    """A reviewer that remembers what it is told."""

    def __init__(self) -> None:
        self.proposals: list[str] = []

    def proposed(self, proposal: Any) -> None:
        self.proposals.append(proposal.id)

    def settled(self, proposal: Any) -> None:
        raise AssertionError


class FakeProposal:
    """A proposal without files."""

    changes = ()
    atomic = True
    explanation = ""
    why_withdrawn = None

    def __init__(self, ident: str) -> None:
        self.id, self.state = ident, "waiting"
        self.states: list[str] = []

    def to(self, state: str) -> None:
        self.state = state
        self.states.append(state)


def client_reviews() -> ClientReviews:
    editor: Any = SimpleNamespace(traits=SimpleNamespace(save=True))
    nothing: Any = None
    return ClientReviews(editor, nothing, nothing)


async def begun(reviews: ClientReviews, ident: str) -> tuple[Any, asyncio.Task[Any]]:
    proposal: Any = FakeProposal(ident)
    review = asyncio.ensure_future(reviews.review_attached(proposal, None))
    await asyncio.sleep(0)
    assert proposal.state == "shown"
    return proposal, review


async def test_every_attached_reviewer_is_told_also_of_what_waits() -> None:
    reviews, one, other = client_reviews(), Told(), Told()
    reviews.attach(one)
    proposal, review = await begun(reviews, "p")
    reviews.attach(other)
    assert one.proposals == other.proposals == ["p"]
    review.cancel()
    with pytest.raises(asyncio.CancelledError):
        await review
    reviews.ended(proposal)
    late = Told()
    reviews.attach(late)
    assert late.proposals == []


async def test_the_first_of_two_reviewers_decides() -> None:
    reviews = client_reviews()
    reviews.attach(Told())
    proposal, review = await begun(reviews, "p")
    conversation = reviews.find("p")
    assert conversation is not None
    first, second = (conversation.settle_attached(Settlement()) for _ in range(2))
    assert (await second).code == "SETTLED"
    assert (await first).code is None
    decision, applier = await review
    assert (decision.channel, decision.decision, decision.by) == ("review", "accepted", "user")
    assert not isinstance(applier, Conversation)
    assert proposal.states == ["shown", "settled"]


async def test_a_review_goes_on_while_one_is_left() -> None:
    reviews, one, other = client_reviews(), Told(), Told()
    for reviewer in (one, other):
        reviews.attach(reviewer)
    _, review = await begun(reviews, "p")
    reviews.attached.remove(one)
    reviews.attached.remove(one)
    for _ in range(5):
        await asyncio.sleep(0)
    assert not review.done()
    reviews.attached.remove(other)
    with pytest.raises(Unanswered):
        await review
    assert reviews.find("p") is None  # a later settle decides nothing


async def test_a_settle_counts_although_its_reviewer_is_gone() -> None:
    reviews, one = client_reviews(), Told()
    reviews.attach(one)
    _, review = await begun(reviews, "p")
    conversation = reviews.find("p")
    assert conversation is not None
    answer = conversation.settle_attached(Settlement())
    reviews.attached.remove(one)
    decision, _ = await review
    assert decision.decision == "accepted"
    assert (await answer).code is None


async def test_the_editor_is_told_that_another_has_decided() -> None:
    reviews = client_reviews()
    reviews.attach(Told())
    _, review = await begun(reviews, "p")
    conversation = reviews.find("p")
    assert conversation is not None
    conversation.settle_attached(Settlement())
    in_editor = conversation.settle(Settlement())
    await review
    assert (await in_editor).code == "SETTLED"


async def test_when_a_settle_does_not_fit_both_may_settle_again() -> None:
    conversation = Conversation(FakeProposal("p"), saves=True)  # type: ignore[arg-type]
    attached = conversation.settle_attached(Settlement())
    in_editor = asyncio.ensure_future(conversation.settle(Settlement()))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    conversation.reopen(BadParameter("text", "choice"))
    assert (await attached).code == "INVALID_PARAM"
    for _ in range(5):
        await asyncio.sleep(0)
    assert conversation.settlement.done()
    assert not conversation.is_settled_attached  # the editor's, which came second, now counts
    conversation.end("EXECUTION_ERROR")
    assert (await in_editor).code == "EXECUTION_ERROR"
