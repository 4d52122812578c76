"""Calls and the proposals that they wait for: docs/protocol.md#mcp."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentfs_lsp.client import Accept, Decision, Reject, Review, ReviewedFile
from agentfs_lsp.mcp.calls import (
    ABANDONED_S,
    ASK_S,
    DECLINED,
    MAX_ENDED,
    NOBODY,
    TOO_LONG,
    WITHDRAWN,
    Calls,
    Job,
    Outcome,
)
from agentfs_lsp.mcp.catalog import Catalog
from agentfs_lsp.mcp.connection import Connection
from support.fakes.time import settle
from support.mcp import FORM, cancelled, initialize, legacy, lines, modern
from support.wire import Message

EDIT = {"path": "/w/a.py", "old_string": "two", "new_string": "2"}
ACCEPTED = {"action": "accept", "content": {"decision": "accept", "reason": "Fine."}}


class Agent:
    """A client, and a server that does what the test says: `works` are the jobs under way."""

    def __init__(self, hold: float | None = None) -> None:
        self.connection = Connection(Catalog("/w"))
        self.calls = Calls(
            self.connection,
            self._flush,
            self._work,
            lambda _: "the review of a.py",
            hold,
            lambda path: f"/w/{path.removeprefix('/w/')}",
        )
        self.works: list[tuple[Job, asyncio.Future[Outcome]]] = []
        self.decisions: list[Decision] = []
        self.review: Review | None = None
        self.received: list[Any] = []
        self._sent = b""

    def _flush(self) -> None:
        self._sent += self.connection.take()

    async def _work(self, job: Job) -> Outcome:
        done = asyncio.get_running_loop().create_future()
        self.works.append((job, done))
        if self.review is not None:
            self.decisions.append(await job.ask(self.review))
            accepted = isinstance(self.decisions[-1], Accept)
            return Outcome("landed" if accepted else "rejected", is_error=not accepted)
        return await done

    async def send(self, *messages: Message) -> list[Any]:
        """Send, let everyone run, and return what has come since."""
        for event in self.connection.receive(lines(messages)):
            self.calls.happened(event)
        self._flush()
        return await self.heard()

    async def heard(self) -> list[Any]:
        await settle()
        new = [json.loads(one) for one in self._sent.splitlines()]
        self._sent = b""
        self.received += new
        return new

    async def after(self, seconds: float) -> list[Any]:
        await asyncio.sleep(seconds)
        return await self.heard()

    def land(self, text: str = "Updated.", at: int = -1, **more: Any) -> None:
        self.works[at][1].set_result(Outcome(text, **more))


def text(answer: Message) -> str:
    return str(answer["result"]["content"][0]["text"])


def edit(ident: object = 1, **more: Any) -> Message:
    return legacy("tools/call", ident, name="edit", arguments=EDIT, **more)


def wait(ident: object = 2, job: str = "p-1", **more: Any) -> Message:
    return legacy("tools/call", ident, name="wait", arguments={"id": job}, **more)


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    agent = Agent(hold=45)
    await agent.send(initialize(capabilities=FORM))
    yield agent
    await agent.calls.close()


def review(after: str = "2\n") -> Review:
    file = ReviewedFile("file:///w/a.py", "a.py", "update", "two\n", after)
    return Review("1", "Edit a.py", "edit", "default", "Ada", "", atomic=True, files=(file,))


# --- waiting ------------------------------------------------------------------------------------------------


async def test_a_call_returns_what_the_tool_says(agent: Agent) -> None:
    assert await agent.send(edit()) == []
    agent.land("Updated.", meta={"k": 1})
    (answer,) = await agent.heard()
    assert (answer["id"], text(answer), answer["result"]["isError"]) == (1, "Updated.", False)
    assert answer["result"]["_meta"] == {"k": 1}


async def test_progress_rises_every_five_seconds_until_the_answer(agent: Agent) -> None:
    await agent.send(edit(token="t"))
    reports = [one["params"] for one in await agent.after(22)]
    assert [one["progress"] for one in reports] == [5, 10, 15, 20]
    assert reports[-1]["message"] == "waiting for the review of a.py (20 s)"
    agent.land()
    assert [one["id"] for one in await agent.heard()] == [1]
    assert await agent.after(60) == []


async def test_who_did_not_ask_for_progress_gets_none(agent: Agent) -> None:
    await agent.send(edit())
    assert await agent.after(30) == []


async def test_a_review_may_outlast_the_clients_limit(agent: Agent) -> None:
    await agent.send(edit())
    assert await agent.after(44) == []
    (held,) = await agent.after(2)
    assert "Proposal p-1 waits for the user, or has just been accepted." in text(held)
    assert held["result"]["isError"] is False
    assert held["result"]["_meta"] == {"agentfs-pending": "p-1"}
    assert not agent.works[0][0].task.done()
    (still,) = [await agent.send(wait()), await agent.after(46)][1]
    assert (still["id"], "p-1" in text(still)) == (2, True)
    assert await agent.send(wait(3)) == []
    agent.land("Updated.")
    (answer,) = await agent.heard()
    assert (answer["id"], text(answer)) == (3, "Updated.")
    (again,) = await agent.send(wait(4))
    assert text(again) == "Updated."
    assert len(agent.works) == 1


async def test_without_an_option_the_client_decides_how_long(agent: Agent) -> None:
    for name, seconds in (("codex-mcp-client", 50), ("claude-code", 1500), ("unheard of", 45)):
        other = Agent()
        await other.send(initialize(name=name))
        await other.send(edit())
        assert await other.after(seconds - 1) == []
        assert len(await other.after(2)) == 1
        await other.calls.close()


async def test_waiting_for_no_proposal_is_an_error(agent: Agent) -> None:
    for arguments in ({"id": "p-9"}, {}, {"id": 3}):
        (answer,) = await agent.send(legacy("tools/call", 1, name="wait", arguments=arguments))
        assert answer["result"]["isError"] is True
        assert "There is no proposal" in text(answer)


async def test_a_read_that_waits_for_the_user_is_held_as_well(agent: Agent) -> None:
    await agent.send(legacy("tools/call", 1, name="read", arguments={"path": "/w/.env"}))
    (held,) = await agent.after(46)
    assert "Call wait with id p-1" in text(held)
    await agent.send(wait())
    agent.land("A=1")
    assert [text(one) for one in await agent.heard()] == ["A=1"]


# --- joining ------------------------------------------------------------------------------------------------


async def test_a_change_repeated_while_it_waits_joins_its_proposal(agent: Agent) -> None:
    await agent.send(edit(1), edit(2))
    assert len(agent.works) == 1
    agent.land()
    assert sorted(one["id"] for one in await agent.heard()) == [1, 2]


async def test_a_change_repeated_before_its_outcome_was_told_is_not_made_twice(agent: Agent) -> None:
    await agent.send(edit(1))
    await agent.after(46)
    agent.land("Updated.")
    await settle()
    (answer,) = await agent.send(edit(2))
    assert (text(answer), len(agent.works)) == ("Updated.", 1)
    assert await agent.send(edit(3)) == []  # meant, after its outcome
    assert len(agent.works) == 2


async def test_a_change_repeated_after_something_else_is_a_new_one(agent: Agent) -> None:
    await agent.send(edit(1))
    await agent.after(46)
    agent.land("Updated.")
    await settle()
    await agent.send(legacy("tools/call", 2, name="read", arguments={"path": "a"}))
    agent.land("two")
    await agent.heard()
    assert await agent.send(edit(3)) == []
    assert len(agent.works) == 3


async def test_changes_called_together_are_both_found_again(agent: Agent) -> None:
    other = {**EDIT, "new_string": "3"}
    await agent.send(edit(1), legacy("tools/call", 2, name="edit", arguments=other))
    await agent.send(cancelled(1, "timed out"), cancelled(2, "timed out"))
    agent.land("First.", 0)
    agent.land("Second.", 1)
    await settle()
    first, second = await agent.send(edit(3), legacy("tools/call", 4, name="edit", arguments=other))
    assert (text(first), text(second), len(agent.works)) == ("First.", "Second.", 2)


async def test_another_reason_or_spelling_of_the_path_is_the_same_change(agent: Agent) -> None:
    told = [{"path": "a.py"}, {"explanation": "Why."}, {"explanation": "Therefore."}]
    batches = [
        {"operations": [{"tool": "edit", "params": {**EDIT, "path": path}}]} for path in ("a.py", "/w/a.py")
    ]
    await agent.send(
        edit(1),
        *(
            legacy("tools/call", ident, name="edit", arguments=EDIT | one)
            for ident, one in enumerate(told, 2)
        ),
    )
    await agent.send(
        *(legacy("tools/call", ident, name="batch", arguments=one) for ident, one in enumerate(batches, 5))
    )
    assert [job.tool for job, _ in agent.works] == ["edit", "batch"]


async def test_other_changes_and_reads_do_not_join(agent: Agent) -> None:
    other = {**EDIT, "new_string": "3"}
    await agent.send(edit(1), legacy("tools/call", 2, name="edit", arguments=other))
    await agent.send(*(legacy("tools/call", ident, name="read", arguments={"path": "a"}) for ident in (3, 4)))
    assert len(agent.works) == 4


async def test_only_so_many_outcomes_are_kept(agent: Agent) -> None:
    for ident in range(MAX_ENDED + 2):
        await agent.send(legacy("tools/call", ident, name="status"))
        agent.land()
        await agent.heard()
    kept, gone = await agent.send(wait(900, "p-3"), wait(901, "p-2"))
    assert "There is no proposal" not in text(kept)
    assert "There is no proposal" in text(gone)


async def test_a_tool_that_fails_is_answered_and_logged(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    await agent.send(edit())
    agent.works[0][1].set_exception(KeyError("a.py"))
    (answer,) = await agent.heard()
    assert (answer["result"]["isError"], text(answer)) == (
        True,
        "agentfs failed: KeyError. Read the files before you go on.",
    )
    assert "edit failed" in caplog.text


# --- cancelling ---------------------------------------------------------------------------------------------


async def test_a_cancelled_call_withdraws_its_proposal(agent: Agent) -> None:
    await agent.send(edit())
    assert await agent.send(cancelled(1, "The user pressed Esc.")) == []
    assert agent.works[0][0].task.cancelled()
    assert await agent.after(100) == []
    (answer,) = await agent.send(wait())
    assert text(answer) == "The proposal was withdrawn; nothing has changed."
    await agent.send(edit(3))
    assert len(agent.works) == 2


async def test_once_a_server_has_it_only_that_knows_whether_it_is_withdrawn(agent: Agent) -> None:
    await agent.send(edit(1))
    job, _ = agent.works[0]
    job.is_sent = True
    await agent.send(cancelled(1))
    assert (job.withdrawal.is_set(), job.task.done()) == (True, False)
    assert await agent.send(wait()) == []
    agent.land("Updated.")
    (answer,) = await agent.heard()
    assert text(answer) == "Updated."


async def test_what_landed_although_it_was_cancelled_is_not_made_twice(agent: Agent) -> None:
    await agent.send(edit(1))
    agent.works[0][0].is_sent = True
    await agent.send(cancelled(1))
    assert await agent.send(edit(2)) == []
    agent.land("Updated.")
    (answer,) = await agent.heard()
    assert (text(answer), len(agent.works)) == ("Updated.", 1)


async def test_a_change_repeated_while_it_is_withdrawn_is_a_new_one(agent: Agent) -> None:
    await agent.send(edit(1))
    job, done = agent.works[0]
    job.is_sent = True
    await agent.send(cancelled(1))
    assert await agent.send(edit(2), wait(3)) == []
    done.set_result(WITHDRAWN)
    (answer,) = await agent.heard()
    assert (answer["id"], text(answer)) == (3, WITHDRAWN.text)
    agent.land("Updated.")
    (answer,) = await agent.heard()
    assert (answer["id"], text(answer), len(agent.works)) == (2, "Updated.", 2)


@pytest.mark.parametrize(
    "reason",
    [
        "Request timed out",
        "McpError: MCP error -32001: Request timed out",
        "timeout",
        "TimeOut",
        "timed-out after 60 s",
    ],
)
async def test_a_client_that_ran_out_of_time_can_ask_again(agent: Agent, reason: str) -> None:
    await agent.send(edit())
    assert await agent.send(cancelled(1, reason)) == []
    assert not agent.works[0][0].task.done()
    await agent.send(edit(2))
    assert len(agent.works) == 1
    agent.land()
    assert [one["id"] for one in await agent.heard()] == [2]


async def test_an_outcome_that_nobody_waited_for_is_kept(agent: Agent) -> None:
    await agent.send(edit())
    await agent.send(cancelled(1, "timed out"))
    agent.land("Updated.")
    assert await agent.heard() == []
    (answer,) = await agent.send(edit(2))
    assert (text(answer), len(agent.works)) == ("Updated.", 1)


async def test_a_cancel_after_the_answer_is_ignored(agent: Agent) -> None:
    await agent.send(edit())
    await agent.after(46)
    assert await agent.send(cancelled(1)) == []
    assert not agent.works[0][0].task.done()
    agent.land()
    assert [text(one) for one in await agent.send(wait())] == ["Updated."]


async def test_another_call_that_waits_keeps_the_proposal(agent: Agent) -> None:
    await agent.send(edit(1), edit(2), cancelled(1))
    assert not agent.works[0][0].task.done()
    await agent.send(cancelled(2))
    assert agent.works[0][0].task.cancelled()


async def test_a_wait_keeps_the_proposal_too(agent: Agent) -> None:
    await agent.send(edit(1))
    await agent.send(wait(2))
    await agent.send(cancelled(1))
    assert not agent.works[0][0].withdrawal.is_set()
    agent.land("Updated.")
    assert [text(one) for one in await agent.heard()] == ["Updated."]


async def test_cancelling_wait_leaves_the_proposal_to_the_user(agent: Agent) -> None:
    await agent.send(edit())
    await agent.after(46)
    await agent.send(wait(), cancelled(2))
    assert not agent.works[0][0].task.done()


async def test_the_end_withdraws_everything(agent: Agent) -> None:
    await agent.send(edit(1))
    await agent.calls.close()
    assert agent.works[0][0].task.cancelled()
    assert await agent.heard() == []


# --- asking through the client ------------------------------------------------------------------------------


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


# --- and in the later era -----------------------------------------------------------------------------------


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
