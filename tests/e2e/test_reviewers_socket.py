"""The reviewers' socket: a reviewer in a terminal decides on changes
(docs/protocol.md#18-the-reviewers-socket)."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from agentfs_lsp.client import AsyncAgentFS
from agentfs_lsp.reviewer.connection import Connection
from support.agents_socket import starting
from support.editor import APPLY, ASK, AUTO, NO_ANSWER, PENDING, REVIEW, REVIEWING, configure
from support.reviewers_socket import RawReviewer, Reviewer, attached, entry_of, found
from support.sample import TEXT
from support.wire import Message

EDITED = TEXT.replace("two", "2")

# --- with an editor that shows reviews itself -------------------------------------------------------------


async def test_what_the_reviewer_accepts_lands_and_the_editor_is_told(
    root: Path, file: Path, sockets: Path
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2", agent="Ada"))
        proposed = await reviewer.seen("agentfs/proposed")
        assert proposed == await editor.seen("agentfs/proposed")
        shown = await reviewer.connection.request("agentfs/proposal", {"id": proposed["id"]})
        assert shown["files"][0]["proposed_text"] == EDITED
        assert file.read_text() == TEXT
        assert await reviewer.settle(proposed["id"]) == {"ok": True, "apply": None}
        answer = await edit
        settled = {"id": proposed["id"], "outcome": "landed"}
        assert await reviewer.seen("agentfs/settled") == await editor.seen("agentfs/settled") == settled
        review = answer["data"]["review"]
        assert (review["rung"], review["decision"], review["by"]) == ("review", "accepted", "user")
    assert editor.process.returncode == 0
    assert file.read_text() == EDITED


async def test_the_editor_applies_what_the_reviewer_accepts_for_an_open_file(
    root: Path, file: Path, sockets: Path
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        editor.open("a.py")

        def apply(params: Message) -> Message:
            if "changeAnnotations" in params["edit"]:
                return PENDING
            done = editor.apply(params["edit"])
            editor.save("a.py")
            return {"applied": done}

        editor.answers[APPLY] = apply
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        ident = (await reviewer.seen("agentfs/proposed"))["id"]
        await reviewer.settle(ident)
        assert (await edit)["data"]["landing"] == "disk"
        assert (await editor.seen("agentfs/settled"))["outcome"] == "landed"
        assert editor.documents[editor.uri("a.py")].text == EDITED
    assert file.read_text() == EDITED


async def test_a_preview_that_the_editor_holds_is_withdrawn(root: Path, file: Path, sockets: Path) -> None:
    async with (
        found(root, sockets, capabilities=REVIEW, answers={APPLY: lambda _: NO_ANSWER}) as (editor, _),
        attached(root) as reviewer,
    ):
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        ident = (await reviewer.seen("agentfs/proposed"))["id"]
        held = await editor.seen_message(APPLY)
        await reviewer.settle(ident)
        await edit
        assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
        assert len(editor.all(APPLY)) == 1
    assert file.read_text() == EDITED


async def test_a_file_that_a_notebook_has_unsaved_is_not_written_beneath_it(
    root: Path, file: Path, sockets: Path
) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        editor.notify("agentfs/documentState", {"uri": editor.uri("a.py"), "unsaved_elsewhere": True})
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        ident = (await reviewer.seen("agentfs/proposed"))["id"]
        refused = await reviewer.settle(ident)
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
        assert refused["reason"].startswith("The file has unsaved changes in the editor.")
        editor.notify("agentfs/documentState", {"uri": editor.uri("a.py"), "unsaved_elsewhere": False})
        await editor.request("agentfs/status")
        assert (await reviewer.settle(ident))["ok"]
        assert (await edit)["data"]["applied"]


async def test_a_rejection_with_its_reason_reaches_the_agent(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        ident = (await reviewer.seen("agentfs/proposed"))["id"]
        await reviewer.settle(ident, "rejected", feedback="Not this way.")
        answer = await edit
        assert answer["error"]["code"] == "USER_REJECTED"
        assert "Not this way." in answer["text"]
        late = await editor.request("agentfs/settle", {"id": ident, "decision": "accepted"})
        assert (late["ok"], late["code"]) == (False, "SETTLED")
        assert late["reason"] == "Another reviewer has decided on this proposal."
    assert file.read_text() == TEXT


async def test_an_amended_text_is_what_lands(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        proposed = await reviewer.seen("agentfs/proposed")
        files = [{"uri": proposed["files"][0]["uri"], "decision": "amended", "text": "nul \0\n"}]
        refused = await reviewer.settle(proposed["id"], "amended", files=files)
        assert (refused["ok"], refused["code"]) == (False, "INVALID_PARAM")
        files[0]["text"] = "mine\n"
        assert (await reviewer.settle(proposed["id"], "amended", files=files))["ok"]
        assert (await edit)["data"]["review"]["decision"] == "amended"
    assert file.read_text() == "mine\n"


async def test_files_of_a_batch_are_decided_one_by_one(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        operations = [
            {"tool": "write", "params": {"path": name, "content": "1\n"}} for name in ("b.py", "c.py")
        ]
        batch = editor.start("agentfs/batch", {"operations": operations, "atomic": False})
        proposed = await reviewer.seen("agentfs/proposed")
        files = [{"uri": proposed["files"][0]["uri"], "decision": "rejected"}]
        await reviewer.settle(proposed["id"], files=files)
        assert (await batch)["status"] == "partial"
        ended = [one["outcome"] for one in (await reviewer.seen("agentfs/settled"))["files"]]
        assert ended == ["rejected", "landed"]
    assert [one.name for one in root.iterdir()] == ["c.py"]


async def test_always_lets_the_rest_of_the_session_through(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        await reviewer.settle((await reviewer.seen("agentfs/proposed"))["id"], always=True)
        assert (await write)["data"]["applied"]
        assert (await editor.write("c.py", "1\n"))["data"]["review"]["rung"] == "policy"


async def test_whoever_settles_first_decides(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _), attached(root) as reviewer:
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        ident = (await editor.seen("agentfs/proposed"))["id"]
        await editor.request("agentfs/settle", {"id": ident, "decision": "rejected"})
        assert (await edit)["error"]["code"] == "USER_REJECTED"
        assert (await reviewer.seen("agentfs/settled"))["outcome"] == "rejected"
        late = await reviewer.settle(ident)
        assert (late["ok"], late["code"]) == (False, "SETTLED")
    assert file.read_text() == TEXT


async def test_who_comes_later_is_told_what_waits(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _):
        writes = [asyncio.ensure_future(editor.write(name, "1\n")) for name in ("b.py", "c.py")]
        await editor.seen("agentfs/proposed", 2)
        async with attached(root) as reviewer:
            await reviewer.seen("agentfs/proposed", 2)
            for _, proposed in list(reviewer.told):
                await reviewer.settle(proposed["id"])
            await asyncio.gather(*writes)


async def test_when_the_reviewer_goes_the_editor_goes_on(root: Path, sockets: Path) -> None:
    async with found(root, sockets, **REVIEWING) as (editor, _):
        async with attached(root) as reviewer:
            write = asyncio.ensure_future(editor.write("b.py", "1\n"))
            ident = (await reviewer.seen("agentfs/proposed"))["id"]
        await editor.request("agentfs/settle", {"id": ident, "decision": "accepted"})
        assert (await write)["data"]["applied"]


# --- with an editor that asks by messages -----------------------------------------------------------------


async def test_where_the_editor_shows_no_diff_only_the_reviewer_is_asked(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _), attached(root) as reviewer:
        assert (await editor.request("agentfs/status"))["data"]["rung"] == "review"
        write = asyncio.ensure_future(editor.write("b.py", "1\n"))
        await reviewer.settle((await reviewer.seen("agentfs/proposed"))["id"])
        assert (await write)["data"]["applied"]
        assert await reviewer.seen("agentfs/settled")
        assert all(
            "eviewer" in one["params"]["message"] or "confirm" in one["params"]["message"]
            for one in editor.all(ASK)
        )
        assert editor.all("agentfs/settled") == []


async def test_what_the_reviewer_leaves_is_asked_in_the_editor(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _):
        async with attached(root) as reviewer:
            writes = [asyncio.ensure_future(editor.write(name, "1\n")) for name in ("b.py", "c.py")]
            await reviewer.seen("agentfs/proposed", 2)
        editor.answers[ASK] = lambda _: {"title": "Approve"}
        for write in writes:
            answer = await write
            assert answer["data"]["review"]["rung"] == "message"


async def test_what_the_editor_asks_already_is_answered_there(root: Path, sockets: Path) -> None:
    answered: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

    async def answer(params: Message) -> object:
        return {"title": "Allow"} if "eviewer" in params["message"] else await answered

    async with found(root, sockets, answers={ASK: answer}, name="Visual Studio Code") as (editor, entry):
        first = asyncio.ensure_future(editor.write("b.py", "1\n"))
        await editor.seen(ASK)
        connection = await Connection.find(root)
        assert connection is not None
        reviewer = Reviewer(connection)
        await connection.attach()
        pairing = asyncio.ensure_future(connection.pair())
        await asyncio.sleep(0)  # it is sent
        other = await RawReviewer.connect(entry)
        await other.attach(entry)
        assert (await other.pair())["result"]["code"] == "BUSY"
        assert await other.is_cut()
        second = asyncio.ensure_future(editor.write("c.py", "1\n"))
        await editor.are_pending("shown", "queued")
        answered.set_result({"title": "Approve"})
        assert (await first)["data"]["review"]["rung"] == "message"
        await pairing
        proposed = await reviewer.seen("agentfs/proposed")
        assert proposed["files"][0]["path"] == "c.py"
        await reviewer.settle(proposed["id"])
        assert (await second)["data"]["review"]["rung"] == "review"
        await connection.close()


async def test_an_undo_from_the_terminal_is_reviewed_there(root: Path, file: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _), attached(root) as reviewer:
        await editor.read("a.py")
        edit = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
        await reviewer.settle((await reviewer.seen("agentfs/proposed"))["id"])
        change = (await edit)["data"]["change_id"]
        history = await reviewer.connection.request("agentfs/userHistory", {"limit": 5})
        assert [one["change_id"] for one in history["data"]["changes"]] == [change]
        undo = asyncio.ensure_future(
            reviewer.connection.request("agentfs/userUndo", {"change_id": change, "agent": ""})
        )
        await reviewer.settle((await reviewer.seen("agentfs/proposed", 2))["id"])
        assert (await undo)["data"]["undone"] == change
    assert file.read_text() == TEXT


async def test_changes_of_agents_outside_reach_the_reviewer(root: Path, sockets: Path) -> None:
    async with (
        found(root, sockets),
        attached(root) as reviewer,
        AsyncAgentFS.attach(root, name="Codex") as agent,
    ):
        write = asyncio.ensure_future(agent.write("b.py", "1\n"))
        proposed = await reviewer.seen("agentfs/proposed")
        assert proposed["agent"] == "outside: Codex"
        await reviewer.settle(proposed["id"])
        assert (await write).applied


# --- the end ----------------------------------------------------------------------------------------------

KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from agentfs_lsp.sockets import discovery
from agentfs_lsp.reviewer.connection import Connection
discovery.folder = lambda: Path(sys.argv[2])
async def main():
    connection = await Connection.find(Path(sys.argv[1]))
    proposed = asyncio.get_running_loop().create_future()
    connection.follow(lambda method, params: proposed.set_result(params["id"]), lambda: None)
    await connection.attach()
    await connection.pair()
    print("paired", flush=True)
    ident = await proposed
    if sys.argv[3] == "settles":
        asyncio.ensure_future(connection.request("agentfs/settle", {"id": ident, "decision": "accepted"}))
        await asyncio.sleep(0)
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["settles", "does not"])
async def test_a_reviewer_that_is_killed_loses_nothing(
    root: Path, file: Path, sockets: Path, way: str
) -> None:
    async with found(root, sockets) as (editor, _):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", KILLED, str(root), str(sockets), way, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        assert await process.stdout.readline() == b"paired\n"
        editor.answers[ASK] = lambda _: {"title": "Approve"}
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "2")
        assert answer["data"]["applied"]
        assert answer["data"]["review"]["rung"] == ("review" if way == "settles" else "message")
        assert await process.wait() == -signal.SIGKILL
    assert file.read_text() == EDITED


async def test_without_the_setting_there_is_no_socket(root: Path, sockets: Path) -> None:
    async with found(root, sockets, options=AUTO) as (editor, entry), attached(root) as reviewer:
        configure(editor, reviewers={"socket": False})
        await entry_of(editor, root, there=False)
        await reviewer.lost()
        assert not Path(entry.socket).exists()
        configure(editor)
        await entry_of(editor, root)


async def test_a_workspace_cannot_open_the_socket(root: Path, sockets: Path) -> None:
    (root / ".agentfs.toml").write_text("[reviewers]\nsocket = true\n")
    async with starting(root, sockets, options={"reviewers": {"socket": False}}) as editor:
        for _ in range(20):
            await editor.request("agentfs/status")
        assert list(sockets.with_name(f"{sockets.name}-reviewers").glob("*")) == []


async def test_when_the_editor_ends_the_reviewer_is_told(root: Path, sockets: Path) -> None:
    async with found(root, sockets) as (editor, _), attached(root) as reviewer:
        os.kill(editor.process.pid, signal.SIGTERM)
        await reviewer.lost()
        await editor.ended()
