"""The user is asked about a proposal through the agent's program: docs/protocol.md#mcp."""

from typing import Any

import pytest

from agentfs_lsp.client import Accept, Reject, Review, ReviewedFile
from agentfs_lsp.mcp.calls import ABANDONED_S, ASK_S, DECLINED, NOBODY, TOO_LONG
from support.mcp import FORM, cancelled, initialize, legacy, modern
from support.mcp_calls import EDIT, Agent, edit, text
from support.wire import Message

ACCEPTED = {"action": "accept", "content": {"decision": "accept", "reason": "Fine."}}


def review(after: str = "2\n") -> Review:
    file = ReviewedFile("file:///w/a.py", "a.py", "update", "two\n", after)
    return Review("1", "Edit a.py", "edit", "default", "Ada", "", atomic=True, files=(file,))


# --- in the earlier era -------------------------------------------------------------------------------------


async def asked(agent: Agent, message: Message) -> Any:
    (question,) = await agent.send(message)
    return question


async def test_the_user_is_asked_by_a_request_in_the_earlier_era(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, edit())
    assert question["method"] == "elicitation/create"
    assert "+2" in question["params"]["message"]
    assert "mode" not in question["params"]
    (answer,) = await agent.send({"id": question["id"], "result": ACCEPTED})
    assert (text(answer), agent.decisions) == ("landed", [Accept("Fine.")])


async def test_everything_but_a_yes_is_a_no(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, edit())
    no = {"action": "accept", "content": {"decision": "reject"}}
    (answer,) = await agent.send({"id": question["id"], "result": no})
    assert (text(answer), agent.decisions) == ("rejected", [Reject()])


@pytest.mark.parametrize(
    "reply",
    [
        {"result": {"action": "decline"}},
        {"result": {"action": "cancel"}},
        {"error": {"code": -32601, "message": "no"}},
    ],
)
async def test_what_is_declined_without_a_form_is_not_called_the_users_decision(
    agent: Agent, reply: Message
) -> None:
    agent.review = review()
    question = await asked(agent, edit())
    (answer,) = await agent.send({"id": question["id"], **reply})
    assert (text(answer), agent.decisions) == (DECLINED, [Reject(DECLINED)])


async def test_while_the_user_is_asked_through_it_the_client_waits_for_the_user(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, edit(token=1))
    reports = await agent.after(300)
    assert {one["method"] for one in reports} == {"notifications/progress"}
    (answer,) = await agent.send({"id": question["id"], "result": ACCEPTED})
    assert text(answer) == "landed"


async def test_an_answer_after_the_client_gave_up_counts(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, edit())
    await agent.send(cancelled(1, "timed out"))
    await agent.send({"id": question["id"], "result": ACCEPTED})
    (answer,) = await agent.send(edit(2))
    assert (text(answer), len(agent.works)) == ("landed", 1)


async def test_a_withdrawn_change_withdraws_its_question(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, edit())
    (told,) = await agent.send(cancelled(1))
    assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", question["id"])
    await agent.send({"id": question["id"], "result": ACCEPTED})
    assert not any(isinstance(one, Accept) for one in agent.decisions)


async def test_a_question_that_nobody_answers_is_a_no(agent: Agent) -> None:
    agent.review = review()
    await asked(agent, edit())
    told, answer = await agent.after(ASK_S + 1)
    assert told["method"] == "notifications/cancelled"
    assert text(answer) == "rejected"


async def test_where_nobody_can_be_asked_the_change_is_refused(agent: Agent) -> None:
    other = Agent()
    other.review = review()
    await other.send(initialize())
    (answer,) = await other.send(edit())
    assert (text(answer), answer["result"]["isError"]) == (NOBODY, True)


async def test_a_change_that_cannot_be_shown_is_refused(agent: Agent) -> None:
    agent.review = review("x" * 20_000)
    (answer,) = await agent.send(edit())
    assert (text(answer), answer["result"]["isError"]) == (TOO_LONG, True)


# --- in the later era ---------------------------------------------------------------------------------------


def new(ident: object = 1, *, tool: str = "edit", **more: Any) -> Message:
    arguments = more.pop("arguments", EDIT)
    return modern("tools/call", ident, capabilities=FORM, name=tool, arguments=arguments, **more)


def replying(question: Message, reply: object = ACCEPTED) -> dict[str, Any]:
    return {"inputResponses": {"review": reply}, "requestState": question["result"]["requestState"]}


async def test_the_user_is_asked_by_an_answer_in_the_later_era(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, new())
    assert question["result"]["resultType"] == "input_required"
    assert "+2" in question["result"]["inputRequests"]["review"]["params"]["message"]
    (answer,) = await agent.send(new(2, **replying(question)))
    assert (text(answer), agent.decisions, len(agent.works)) == ("landed", [Accept("Fine.")], 1)


@pytest.mark.parametrize(
    ("reply", "told", "reason"),
    [
        (None, DECLINED, DECLINED),
        ({}, DECLINED, DECLINED),
        ({"action": "decline"}, DECLINED, DECLINED),
        ({"action": "accept"}, "rejected", ""),
    ],
)
async def test_everything_but_a_yes_is_a_no_there_too(
    agent: Agent, reply: object, told: str, reason: str
) -> None:
    agent.review = review()
    question = await asked(agent, new())
    (answer,) = await agent.send(new(2, **replying(question, reply)))
    assert (text(answer), agent.decisions) == (told, [Reject(reason)])


@pytest.mark.parametrize("state", ["", "guessed", "\ud800", None])
async def test_a_reply_with_another_state_approves_nothing(agent: Agent, state: str | None) -> None:
    agent.review = review()
    await asked(agent, new())
    forged = {"inputResponses": {"review": ACCEPTED}, "requestState": state}
    (answer,) = await agent.send(new(2, **forged))
    assert (answer["result"]["isError"], agent.decisions) == (True, [])


async def test_a_reply_belongs_to_its_proposal_and_counts_once(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, new())
    other = {**EDIT, "new_string": "3"}
    (answer,) = await agent.send(new(2, arguments=other, **replying(question)))
    assert (answer["result"]["isError"], agent.decisions) == (True, [])
    await agent.send(new(3, **replying(question)))
    assert len(agent.decisions) == 1
    (again,) = await agent.send(new(4, **replying(question)))
    assert again["result"]["isError"] is True
    assert (len(agent.decisions), len(agent.works)) == (1, 1)


async def test_a_repeated_change_is_asked_about_again_and_both_replies_are_one(agent: Agent) -> None:
    agent.review = review()
    first = await asked(agent, new())
    second = await asked(agent, new(2))
    assert len(agent.works) == 1
    (answer,) = await agent.send(new(3, **replying(second)))
    assert text(answer) == "landed"
    (late,) = await agent.send(new(4, **replying(first)))
    assert late["result"]["isError"] is True


async def test_waiting_asks_again(agent: Agent) -> None:
    agent.review = review()
    await asked(agent, new())
    question = await asked(agent, new(2, tool="wait", arguments={"id": "p-1"}))
    (answer,) = await agent.send(new(3, tool="wait", arguments={"id": "p-1"}, **replying(question)))
    assert text(answer) == "landed"


async def test_a_question_that_another_change_waits_for_is_not_open_as_long(agent: Agent) -> None:
    agent.review = review()
    await asked(agent, new())
    await asked(agent, legacy("tools/call", 2, name="edit", arguments={**EDIT, "path": "/w/b.py"}))
    for job, _ in agent.works:
        job.give_way()
    await agent.after(ABANDONED_S + 1)
    assert [type(decided) for decided in agent.decisions] == [Reject]  # the earlier era's client would tell


async def test_a_client_that_never_comes_back_says_no(agent: Agent) -> None:
    agent.review = review()
    question = await asked(agent, new())
    await agent.after(ASK_S + 1)
    (answer,) = await agent.send(new(2, **replying(question)))
    assert answer["result"]["isError"] is True
    assert isinstance(agent.decisions[0], Reject)
