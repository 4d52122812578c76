"""Cancelling a request, and progress while it waits: docs/protocol.md#2-requests."""

import asyncio
from pathlib import Path

import pytest

from support.editor import NO_ANSWER, REVIEWING, Editor, Message, RpcError, editing
from support.sample import CHANGED, EDIT
from support.wire import frame


def edit_a(editor: Editor, **more: object) -> asyncio.Future[Message]:
    return editor.start("agentfs/edit", EDIT | more)


async def is_cancelled(asked: asyncio.Future[Message]) -> bool:
    with pytest.raises(RpcError) as refused:
        await asked
    return refused.value.code == -32800


async def test_what_is_cancelled_at_once_was_never_begun(root: Path, file: Path) -> None:
    (root / "large.txt").write_bytes(b"line\n" * 100_000)
    stderr = root.parent / "stderr"
    reads = [("agentfs/read", {"path": path}) for path in ("large.txt", ".env")]
    async with editing(root, stderr=stderr, **REVIEWING) as editor:
        await editor.read("a.py")
        for method, params in (*reads, ("agentfs/edit", EDIT)):
            for _ in range(10):
                before = [*editor.all("window/showMessageRequest"), *editor.all("agentfs/proposed")]
                with editor.in_one_piece():
                    asked = editor.start(method, params)
                    editor.cancel(asked)
                assert await is_cancelled(asked)
                if before == [*editor.all("window/showMessageRequest"), *editor.all("agentfs/proposed")]:
                    break
            else:  # on a busy machine, now and then, the loop has its turn between the two messages
                raise AssertionError(f"{method} was begun each time")
        assert await editor.pending() == []
    assert stderr.read_text() == ""


async def test_a_search_through_a_huge_file_ends_when_it_is_cancelled(root: Path) -> None:
    with (root / "huge.log").open("wb") as file:
        file.write(b"line\n")
        file.truncate(1 << 38)  # a sparse file that takes minutes to read
    async with editing(root) as editor:
        params = {"path": "huge.log", "start_line": 100, "limit": 1, "workDoneToken": "token"}
        asked = editor.start("agentfs/read", params)
        await editor.time_out()
        await editor.seen("$/progress")
        editor.cancel(asked)
        assert await is_cancelled(asked)


async def test_a_cancelled_change_is_withdrawn_wherever_it_waits(root: Path, file: Path) -> None:
    stderr = root.parent / "stderr"
    async with editing(root, stderr=stderr, **REVIEWING) as editor:
        await editor.read("a.py")
        shown = edit_a(editor)
        first = await editor.proposed()
        queued = edit_a(editor, new_string="two or more")
        await editor.are_pending("shown", "queued")
        editor.cancel(queued)
        assert await is_cancelled(queued)
        assert [one["id"] for one in await editor.pending()] == [first["id"]]
        editor.cancel(shown)
        assert await is_cancelled(shown)
        assert await editor.pending() == []
        assert await editor.seen("agentfs/settled") == {
            "id": first["id"],
            "outcome": "withdrawn",
            "reason": "agent",
        }
        late = await editor.request("agentfs/settle", {"id": first["id"], "decision": "accepted"})
        assert (late["ok"], late["code"]) == (False, "WITHDRAWN")
        third = edit_a(editor)
        await editor.settle(await editor.proposed(2))
        assert (await third)["data"]["applied"] is True
    assert file.read_text() == CHANGED
    assert stderr.read_bytes() == b""


async def test_a_change_is_cancelled_while_it_waits_for_the_settings(root: Path) -> None:
    asks = {"workspace": {"configuration": True}}
    answers = {"workspace/configuration": lambda _: NO_ANSWER}
    async with editing(root, capabilities=asks, answers=answers) as editor:
        asked = editor.start("agentfs/write", {"path": "a.py", "content": "one\n"})
        await editor.request("agentfs/status")
        editor.cancel(asked)
        assert await is_cancelled(asked)
        assert editor.all("window/showMessageRequest") == []
    assert list(root.iterdir()) == []


async def test_a_protected_read_is_cancelled_while_the_user_is_asked(root: Path) -> None:
    (root / ".env").write_text("KEY=1\n")
    async with editing(root, answers={"window/showMessageRequest": lambda _: NO_ANSWER}) as editor:
        asked = editor.start("agentfs/read", {"path": ".env"})
        question = await editor.seen_message("window/showMessageRequest")
        editor.cancel(asked)
        assert await is_cancelled(asked)
        assert (await editor.seen("$/cancelRequest"))["id"] == question["id"]
        editor.send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Allow once"}})
        assert (await editor.request("agentfs/status"))["status"] == "success"


async def test_an_accepting_settle_counts_from_the_moment_it_comes(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        asked = edit_a(editor)
        proposal = await editor.proposed()
        settle = {"id": proposal["id"], "decision": "accepted"}
        editor.send_bytes(
            frame({"jsonrpc": "2.0", "id": "settle", "method": "agentfs/settle", "params": settle})
            + frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": asked.request_id}})
            + frame({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "settle"}})
        )
        assert (await asked)["data"]["applied"] is True
        answer = await editor.message(lambda one: one.get("id") == "settle")
        assert answer["result"] == {"ok": True, "apply": None}
    assert file.read_text() == CHANGED


async def test_a_change_that_waits_for_the_user_tells_that_it_does(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.py")
        asked = edit_a(editor, workDoneToken=0)
        begun = await editor.seen("$/progress")
        assert begun["token"] == 0
        assert begun["value"] == {
            "kind": "begin",
            "title": "Editing a.py",
            "message": "waiting for the review",
            "cancellable": True,
        }
        await editor.settle(await editor.proposed())
        assert (await asked)["status"] == "success"
        told = [one["params"] for one in editor.all("$/progress")]
        assert [(one["token"], one["value"]["kind"]) for one in told] == [(0, "begin"), (0, "end")]
        answered = next(one for one in editor.received if one.get("id") == asked.request_id)
        assert editor.received.index(editor.all("$/progress")[-1]) < editor.received.index(answered)


async def test_what_is_answered_at_once_reports_nothing(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        assert (await editor.read("a.py", workDoneToken="read"))["status"] == "success"
        asked = edit_a(editor, workDoneToken="edit", dry_run=True)
        assert (await asked)["status"] == "partial"
        assert editor.all("$/progress") == []
        wrong = await editor.read("a.py", workDoneToken=[])
        assert wrong["error"]["code"] == "INVALID_PARAM"
