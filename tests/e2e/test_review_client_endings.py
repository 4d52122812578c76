"""How a review ends without a yes, and what the client is told of every end
(docs/protocol.md#91-review-clients, docs/protocol.md#9-review-and-landing)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from support.editor import APPLY, NO_ANSWER, REVIEWING, Editor, editing
from support.sample import CHANGED, EDIT, TEXT, asked, settle
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def test_the_preview_is_annotated_with_the_proposals_id(editor: Editor, file: Path) -> None:
    await asked(editor)
    announced = await editor.seen("agentfs/proposed")
    sent = await editor.seen(APPLY)
    names = [message.get("method") for message in editor.received]
    assert names.index("agentfs/proposed") < names.index(APPLY)
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


async def test_what_eyes_miss_is_pointed_at_in_the_proposal_and_written_as_it_came(
    editor: Editor, root: Path, file: Path
) -> None:
    (root / "link.py").hardlink_to(file)
    text = "one\ntwo \u202e\nthree\nkey = 'AKIAABCDEFGHIJKLMNOP'\n"
    await editor.read("a.py")
    answer = editor.start("agentfs/write", {"path": "a.py", "content": text})
    proposal = await editor.proposed()
    [shown] = proposal["files"]
    await editor.settle(proposal)
    told = await answer
    assert [(one["kind"], one["line"]) for one in shown["warnings"]] == [
        ("hard_links", 0),
        ("bidirectional", 2),
        ("secret", 4),
    ]
    assert shown["proposed_text"] == text
    assert told["data"]["warnings"] == shown["warnings"]
    assert r"+two \u202e" in told["data"]["diff_preview"]
    assert file.read_text() == text


async def test_a_preview_answered_without_a_settle_is_dismissed(editor: Editor, file: Path) -> None:
    odd: list[Any] = [{"applied": False}, {"applied": True}, None, {}]
    odd += [
        {"applied": False, "failureReason": "closed"},
        {"applied": True, "failureReason": "agentfs:pending"},
    ]
    for number, previewed in enumerate(odd, start=1):
        editor.answers[APPLY] = lambda _, said=previewed: said
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "2")
        ended = await editor.seen("agentfs/settled", number)
        late = await settle(editor, ended)
        assert answer["error"]["code"] == "USER_REJECTED"
        assert answer["context"]["review"]["decision"] == "dismissed"
        assert ended["outcome"] == "rejected"
        assert (late["ok"], late["code"]) == (False, "SETTLED")
    assert file.read_text() == TEXT


async def test_what_the_client_applied_without_a_settle_is_no_yes_and_has_to_be_read_again(
    editor: Editor, file: Path
) -> None:
    document = editor.open("a.py")
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    await editor.read("a.py")
    answer = await editor.edit("a.py", "two", "2")
    next_one = await editor.edit("a.py", "three", "3")
    assert document.text == CHANGED
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    assert next_one["error"]["message"] == "Read the file first."


async def test_a_client_may_hold_the_preview_until_all_is_over(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    editor.open("a.py")
    proposal, answer = await asked(editor)
    await editor.settle(proposal)
    told = await answer
    held = await editor.seen_message(APPLY)
    editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
    again = await editor.read("a.py")
    assert editor.all("$/cancelRequest") == []
    assert told["data"]["landing"] == "disk"
    assert again["data"]["content"] == CHANGED


async def test_a_review_times_out_only_where_the_user_set_it(root: Path, file: Path) -> None:
    silent = {**REVIEWING, "answers": {APPLY: lambda _: NO_ANSWER}}
    async with editing(root, **silent, options={"approval": {"timeout_s": 0.1}}) as editor:
        proposal, answer = await asked(editor)
        told = await answer
        held = await editor.seen_message(APPLY)
        assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
        late = await settle(editor, proposal)
        assert (await editor.seen("agentfs/settled"))["outcome"] == "timed_out"
    assert told["error"]["code"] == "TIMEOUT"
    assert told["context"]["review"]["decision"] == "timed_out"
    assert (late["ok"], late["code"]) == (False, "TIMEOUT")
    assert file.read_text() == TEXT


async def test_reviews_of_several_files_are_shown_side_by_side(
    editor: Editor, root: Path, file: Path
) -> None:
    (root / "b.py").write_text(TEXT)
    first, answer = await asked(editor)
    await editor.read("b.py")
    other = editor.start("agentfs/edit", {**EDIT, "path": "b.py"})
    second = await editor.proposed(2)
    await editor.settle(second)
    assert (await other)["status"] == "success"
    assert not answer.done()
    assert (await editor.request("agentfs/proposal", {"id": first["id"]}))["state"] == "shown"


async def test_every_proposal_ends_with_its_outcome(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING, options={"landing_timeout_s": 0.1}) as editor:

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


async def test_the_client_is_told_whenever_something_starts_or_stops_waiting(
    editor: Editor, file: Path
) -> None:

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
