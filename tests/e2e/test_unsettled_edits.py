"""Edits that a review client applies without a settle are reported, however the review ends
(docs/protocol.md#9-review-and-landing, docs/protocol.md#91-review-clients)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.editor import APPLY, ASK, NO_ANSWER, REVIEW, Editor, RpcError, change_folder, configure, editing
from support.operations import edits
from support.personas import pressing
from support.sample import edited, report
from support.wire import Message

OLD, NEW = "one\ntwo\nthree\n", "one\n2\nthree\n"
HOLDING: dict[str, Any] = {
    "capabilities": REVIEW,
    "answers": {APPLY: lambda _: NO_ANSWER},
    "options": {"approval": {"timeout_s": 600}},
}
ENDS = ["reject", "cancel", "settings", "folder", "time", "dismiss", "accept", "shutdown"]
OUTCOMES = {
    "reject": "rejected",
    "dismiss": "rejected",
    "cancel": "withdrawn",
    "settings": "withdrawn",
    "folder": "withdrawn",
    "shutdown": "withdrawn",
    "time": "timed_out",
    "accept": "conflict",
}


@pytest.fixture(autouse=True)
def files(root: Path) -> None:
    for name in ("a.py", "b.py"):
        (root / name).write_text(OLD)


async def asked(editor: Editor) -> tuple[asyncio.Future[Any], Message]:
    """An edit of an open file, and its preview, still unanswered."""
    editor.open("a.py")
    await editor.read("a.py")
    future = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
    return future, (await editor.seen(APPLY))["edit"]


async def ended(editor: Editor, asked: asyncio.Future[Any], how: str) -> Message:
    """The agent's response after this end of the review."""
    told = {"id": (await editor.seen("agentfs/proposed"))["id"]}
    match how:
        case "reject":
            await editor.request("agentfs/settle", {**told, "decision": "rejected", "feedback": "not so"})
        case "accept":
            await editor.request("agentfs/settle", {**told, "decision": "accepted"})
        case "dismiss":
            held = await editor.seen_message(APPLY)
            editor.send({"jsonrpc": "2.0", "id": held["id"], "result": {"applied": True}})
        case "cancel":
            editor.cancel(asked)
        case "settings":
            configure(editor, rules=[{"files": ["a.py"], "edit": "deny"}])
        case "folder":
            change_folder(editor, editor.root, opened=False)
        case "time":
            await editor.time_out()
        case "shutdown":
            await editor.request("shutdown")
    answer: Message = await asked
    return answer


@pytest.mark.parametrize("how", ENDS)
async def test_what_was_applied_without_a_settle_is_told(root: Path, how: str) -> None:
    async with editing(root, **HOLDING) as editor:
        future, preview = await asked(editor)
        assert editor.apply(preview)
        answer = await ended(editor, future, how)
        assert (await editor.seen("agentfs/settled"))["outcome"] == OUTCOMES[how]
        assert editor.documents[editor.uri("a.py")].text == NEW
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    first, *others = answer["context"]["files"]
    assert first == {"path": "a.py", "landing": "editor"}
    assert others == ([{"path": "a.py", "landing": "disk"}] if how == "folder" else [])  # nobody may look
    assert "Nothing was changed." not in answer["text"]
    assert (root / "a.py").read_text() == OLD


@pytest.mark.parametrize("how", ENDS)
async def test_what_was_not_applied_is_told_as_it_was_decided(root: Path, how: str) -> None:
    async with editing(root, **HOLDING) as editor:
        future, _ = await asked(editor)
        if how == "accept":
            editor.change("a.py", OLD.replace("two", "mine"))
        else:
            editor.change("a.py", OLD + "mine\n")
        if how in ("cancel", "shutdown"):
            with pytest.raises(RpcError, match="nothing changed"):
                await ended(editor, future, how)
            return
        answer = await ended(editor, future, how)
    assert answer["error"]["code"] in ("USER_REJECTED", "ACCESS_DENIED", "TIMEOUT", "CONFLICT")
    assert "landing" not in answer["context"]


async def test_what_was_saved_without_a_settle_is_on_disk(root: Path) -> None:
    async with editing(root, **HOLDING) as editor:
        future, preview = await asked(editor)
        assert editor.apply(preview)
        editor.save("a.py")
        editor.close("a.py")
        answer = await ended(editor, future, "reject")
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "disk"}]
    review = answer["context"]["review"]
    assert (review["decision"], review["feedback"]) == ("rejected", "not so")
    assert "The user wrote: “not so”." in answer["text"]
    assert (root / "a.py").read_text() == NEW


async def test_what_was_applied_and_reverted_changed_nothing(root: Path) -> None:
    async with editing(root, **HOLDING) as editor:
        future, preview = await asked(editor)
        assert editor.apply(preview)
        editor.change("a.py", OLD)
        answer = await ended(editor, future, "reject")
    assert (answer["error"]["code"], "Nothing was changed." in answer["text"]) == ("USER_REJECTED", True)


@pytest.mark.parametrize("atomic", [True, False])
async def test_a_file_of_a_batch_that_was_rejected_and_applied(root: Path, atomic: bool) -> None:
    async with editing(root, **HOLDING) as editor:
        for name in ("a.py", "b.py"):
            editor.open(name)
            await editor.read(name)
        operations = [edits(name, "two", "2") for name in ("a.py", "b.py")]
        future = editor.start("agentfs/batch", {"operations": operations, "atomic": atomic})
        preview = (await editor.seen(APPLY))["edit"]["documentChanges"]
        editor.apply({"documentChanges": preview[:1]})
        told = {"id": (await editor.seen("agentfs/proposed"))["id"]}
        rejected = {"files": [{"uri": editor.uri("a.py"), "decision": "rejected"}]}
        settled = await editor.request("agentfs/settle", {**told, "decision": "accepted", **rejected})
        if not atomic:
            assert editor.apply(settled["apply"])
            await report(editor, told, "applied", b=True)
            await report(editor, told, "saved", b=False)
        answer = await future
    if atomic:
        assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    else:
        first, second = answer["data"]["results"]
        assert (first["status"], first["landing"], second["landing"]) == ("error", "unknown", "editor")


async def test_a_change_that_stands_in_the_document_when_its_message_is_rejected(root: Path) -> None:
    async with editing(root) as editor:

        def reject(params: Message) -> object:
            editor.change("a.py", NEW)
            return pressing("Reject")(params)

        editor.answers[ASK] = reject
        editor.open("a.py")
        answer = await edited(editor)
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
