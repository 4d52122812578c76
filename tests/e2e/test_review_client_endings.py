"""How a review ends without a yes, and what the client is told of every end
(docs/protocol.md#91-review-clients, docs/protocol.md#9-review-and-landing)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from support.editor import NO_ANSWER, REVIEW, RpcError, editing

if TYPE_CHECKING:
    from pathlib import Path

    from support.editor import Editor
    from support.wire import Message

TEXT = "one\ntwo\nthree\n"
CHANGED = "one\n2\nthree\n"
EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}
PENDING = {"applied": False, "failureReason": "agentfs:pending"}


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text(TEXT)
    return path


def reviewing(previewed: Any = PENDING) -> dict[str, Any]:
    return {"capabilities": REVIEW, "answers": {"workspace/applyEdit": lambda _: previewed}}


async def asked(editor: Editor, number: int = 1) -> tuple[Message, asyncio.Future[Any]]:
    await editor.read("a.py")
    future = editor.start("agentfs/edit", EDIT)
    return await editor.proposed(number), future


async def settle(editor: Editor, proposal: Message, decision: str = "accepted") -> Message:
    return await editor.request("agentfs/settle", {"id": proposal["id"], "decision": decision})


async def test_the_preview_is_annotated_with_the_proposals_id(root: Path, file: Path) -> None:
    async with editing(root, **reviewing()) as editor:
        await asked(editor)
        announced = await editor.seen("agentfs/proposed")
        sent = await editor.seen("workspace/applyEdit")
        names = [message.get("method") for message in editor.received]
    assert names.index("agentfs/proposed") < names.index("workspace/applyEdit")
    [(name, annotation)] = sent["edit"]["changeAnnotations"].items()
    assert name == announced["id"]
    assert annotation["needsConfirmation"] is True
    [file_told] = announced["files"]
    assert file_told == {
        "uri": file.as_uri(),
        "path": "a.py",
        "operation": "update",
        "version": None,
        "base_hash": file_told["base_hash"],
        "lines_added": 1,
        "lines_removed": 1,
    }
    assert file_told["base_hash"].startswith("sha256:")


@pytest.mark.parametrize(
    "previewed", [{"applied": False}, {"applied": False, "failureReason": "closed"}, {"applied": True}, None, {}]
)
async def test_a_preview_answered_without_a_settle_is_dismissed(
    root: Path, file: Path, previewed: object
) -> None:
    async with editing(root, **reviewing(previewed)) as editor:
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "2")
        announced = await editor.seen("agentfs/settled")
        late = await settle(editor, announced)
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert announced["outcome"] == "rejected"
    assert (late["ok"], late["code"]) == (False, "SETTLED")
    assert file.read_text() == TEXT


async def test_what_the_client_applied_without_a_settle_is_the_users_own_edit(root: Path, file: Path) -> None:
    async with editing(root, **reviewing()) as editor:
        document = editor.open("a.py")
        editor.answers["workspace/applyEdit"] = lambda params: {"applied": editor.apply(params["edit"])}
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "2")
        next_one = await editor.edit("a.py", "three", "3")
    assert document.text == CHANGED
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert next_one["error"]["code"] == "CONFLICT"
    assert next_one["context"]["conflict"]["source"] == "editor"


async def test_a_client_may_hold_the_preview_until_all_is_over(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(NO_ANSWER)) as editor:
        editor.open("a.py")
        proposal, answer = await asked(editor)
        await editor.settle(proposal)
        told = await answer
        held = await editor.seen_message("workspace/applyEdit")
        editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
        again = await editor.read("a.py")
        assert editor.all("$/cancelRequest") == []
    assert told["data"]["landing"] == "disk"
    assert again["data"]["content"] == CHANGED


async def test_a_review_times_out_only_where_the_user_set_it(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(NO_ANSWER), options={"approval": {"timeout_s": 0.1}}) as editor:
        proposal, answer = await asked(editor)
        told = await answer
        held = await editor.seen_message("workspace/applyEdit")
        assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
        late = await settle(editor, proposal)
        assert (await editor.seen("agentfs/settled"))["outcome"] == "timed_out"
    assert told["error"]["code"] == "TIMEOUT"
    assert told["context"]["review"]["decision"] == "timed_out"
    assert (late["ok"], late["code"]) == (False, "TIMEOUT")
    assert file.read_text() == TEXT


async def test_reviews_of_several_files_are_shown_side_by_side(root: Path, file: Path) -> None:
    (root / "b.py").write_text(TEXT)
    async with editing(root, **reviewing()) as editor:
        first, answer = await asked(editor)
        await editor.read("b.py")
        other = editor.start("agentfs/edit", {**EDIT, "path": "b.py"})
        second = await editor.proposed(2)
        await editor.settle(second)
        assert (await other)["status"] == "success"
        assert not answer.done()
        assert (await editor.request("agentfs/proposal", {"id": first["id"]}))["state"] == "shown"


async def test_every_proposal_ends_with_its_outcome(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(), options={"landing_timeout_s": 0.1}) as editor:

        async def outcome(number: int) -> str:
            told = await editor.seen("agentfs/settled", number)
            assert told["id"] == (await editor.seen("agentfs/proposed", number))["id"]
            return str(told["outcome"])

        async def one(number: int, decision: str | None) -> str:
            proposal, answer = await asked(editor, number)
            if decision == "conflict":
                file.write_text(TEXT + "theirs\n")
            if decision is None:
                editor.cancel(answer)
            else:
                await settle(editor, proposal, "rejected" if decision == "rejected" else "accepted")
            await asyncio.wait([answer])
            answer.exception()
            return await outcome(number)

        assert await one(1, "rejected") == "rejected"
        assert await one(2, None) == "withdrawn"
        assert await one(3, "conflict") == "conflict"
        editor.open("a.py")
        assert await one(4, "accepted") == "failed"
        editor.close("a.py")
        assert await one(5, "accepted") == "landed"
        file.write_text(TEXT)
        editor.open("a.py", TEXT + "mine\n")
        proposal, answer = await asked(editor, 6)
        await editor.settle(proposal)
        await answer
        assert await outcome(6) == "editor"
        assert len(editor.all("agentfs/settled")) == 6


async def test_the_client_is_told_whenever_something_starts_or_stops_waiting(root: Path, file: Path) -> None:
    async with editing(root, **reviewing()) as editor:

        async def status(pending: int, mode: str) -> None:
            def fits(message: Message) -> bool:
                if message.get("method") != "agentfs/statusChanged":
                    return False
                told = message["params"]
                return told["pending"] == pending and {"session": "default", "mode": mode} in told["sessions"]

            told = (await editor.message(fits))["params"]
            assert (told["mode"], told["switches"]) == ("manual", {})

        proposal, answer = await asked(editor)
        await status(1, "manual")
        await editor.settle(proposal, always=True)
        await answer
        await status(0, "auto_edit")
        editor.received.clear()
        await editor.request("agentfs/setApprovalMode", {"mode": "manual", "session": "default"})
        await status(0, "manual")


async def test_a_folder_that_is_closed_takes_its_proposals_along(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(NO_ANSWER)) as editor:
        proposal, answer = await asked(editor)
        removed = {"added": [], "removed": [{"uri": root.as_uri(), "name": root.name}]}
        editor.notify("workspace/didChangeWorkspaceFolders", {"event": removed})
        told = await answer
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        late = await settle(editor, proposal)
    assert told["context"]["review"]["decision"] == "withdrawn"
    assert (late["ok"], late["code"]) == (False, "WITHDRAWN")
    assert file.read_text() == TEXT


async def test_shutting_down_withdraws_what_waits_and_finishes_what_lands(root: Path, file: Path) -> None:
    (root / "b.py").write_text(TEXT)
    async with editing(root, **reviewing()) as editor:
        document = editor.open("a.py")
        landing, landed = await asked(editor)
        await editor.read("b.py")
        waiting = editor.start("agentfs/edit", {**EDIT, "path": "b.py"})
        await editor.proposed(2)
        settled = await settle(editor, landing)
        stopped = editor.start("shutdown")
        with pytest.raises(RpcError) as withdrawn:
            await waiting
        editor.apply(settled["apply"])
        files = [{"uri": file.as_uri(), "applied": True, "saved": True}]
        applied = {"id": landing["id"], "files": [{"uri": file.as_uri(), "applied": True}]}
        assert (await editor.request("agentfs/applied", applied))["ok"]
        editor.save("a.py")
        saved = {"id": landing["id"], "files": [{"uri": file.as_uri(), "saved": True}]}
        await editor.request("agentfs/saved", saved)
        assert (await landed)["data"]["landing"] == "disk"
        await stopped
        editor.notify("exit", None)
        assert await editor.ended() == 0
    assert withdrawn.value.code == -32800
    assert document.text == file.read_text() == CHANGED
    assert (root / "b.py").read_text() == TEXT


async def test_a_client_that_goes_away_has_approved_nothing(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(NO_ANSWER)) as editor:
        await asked(editor)
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        assert await editor.ended() == 1
    assert file.read_text() == TEXT
    assert [path.name for path in root.iterdir()] == ["a.py"]


async def test_a_settle_counts_though_the_client_goes_away_right_behind_it(root: Path, file: Path) -> None:
    async with editing(root, **reviewing(NO_ANSWER)) as editor:
        proposal, _ = await asked(editor)
        editor.start("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        await editor.ended()
    assert file.read_text() == CHANGED


async def test_a_client_that_goes_away_before_it_applied_keeps_the_server_from_nothing(
    root: Path, file: Path
) -> None:
    async with editing(root, **reviewing(NO_ANSWER)) as editor:
        editor.open("a.py")
        proposal, _ = await asked(editor)
        assert (await settle(editor, proposal))["ok"]
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        assert await editor.ended() == 1
    assert file.read_text() == TEXT
