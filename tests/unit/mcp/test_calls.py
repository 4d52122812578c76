"""Calls and the proposals that they wait for: docs/protocol.md#mcp."""

import pytest

from agentfs_lsp.mcp.calls import MAX_ENDED, WITHDRAWN
from support.fakes.time import settle
from support.mcp import cancelled, initialize, legacy
from support.mcp_calls import EDIT, Agent, edit, text, wait

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
    assert reports[-1]["message"] == "Editing a.py: waiting for the review (20 s)"
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
