"""How users decide, by each way of asking them, and what fails on the way."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from typing import Any

import pytest

from support.docs import REPOSITORY
from support.editor import APPLY, ASK, NO_ANSWER, PENDING, REVIEW, RpcError
from support.operations import writes
from support.personas import NEOVIM_0_11, VSCODE, pressing, ticking
from support.scenarios.steps import TEXT, configured, edit_a, scenario
from support.transcripts import Recorder, Transcript
from support.wire import Message

EMPTY = "sha256:" + hashlib.sha256(b"").hexdigest()
FRAIL = REPOSITORY / "tests" / "support" / "frail_server.py"


async def proposed(editor: Recorder, method: str, params: Message) -> tuple[Message, asyncio.Future[Any]]:
    """Request a change; returns the fetched proposal, and a future for the agent's response."""
    previews, proposals = len(editor.all(APPLY)) + 1, len(editor.all("agentfs/proposed")) + 1
    asked = editor.start(method, params)
    await editor.answered(APPLY, previews)
    return await editor.proposed(proposals), asked


async def settled(editor: Recorder, request: tuple[str, Message], *decision: str, **more: object) -> None:
    """Request a change, and settle its proposal, by default with "accepted"."""
    proposal, asked = await proposed(editor, *request)
    await editor.settle(proposal, *decision, **more)
    await asked


def reviewing(t: Transcript, **more: Any) -> Any:
    """A review client that saves."""
    answers = {APPLY: lambda _: PENDING}
    return t.editing(capabilities=REVIEW, answers=answers, **more)


async def is_cancelled(asked: asyncio.Future[Any]) -> None:
    with pytest.raises(RpcError):
        await asked


def close_withdrawn(editor: Recorder) -> None:
    """Neovim ignores $/cancelRequest, so the user closes the question."""
    editor.send({"jsonrpc": "2.0", "id": editor.all(ASK)[-1]["id"], "result": None})


@scenario
async def review(t: Transcript) -> None:
    t.put({"a.py": TEXT, ".env": "A=1\n"})
    async with reviewing(t, greeting=True) as editor:
        await editor.read("a.py")
        proposal, asked = await proposed(editor, *edit_a("one", "1"))
        await editor.request("agentfs/status")
        await editor.settle(proposal)
        await asked
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})

        editor.open("a.py")
        await settled(editor, edit_a("two", "2", agent="Ada", explanation="Figures."), feedback="Well done.")

        amended = [{"uri": editor.uri("a.py"), "decision": "amended", "text": "1\n2\nthird\nfour\nfive\n"}]
        await settled(editor, edit_a("three", "3"), "amended", files=amended)
        await editor.request("agentfs/history", {"limit": 1})

        await settled(editor, edit_a("third", "3"), "rejected", feedback="Leave it.")

        proposal, asked = await proposed(editor, *edit_a("third", "3"))
        accepted = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        await editor.request("agentfs/status")
        editor.apply(accepted["apply"])
        uri = editor.uri("a.py")
        told = {"id": proposal["id"], "files": [{"uri": uri, "applied": True}]}
        await editor.request("agentfs/applied", told)
        unsaved = {
            "id": proposal["id"],
            "files": [{"uri": uri, "saved": False, "reason": "The user said no."}],
        }
        await editor.request("agentfs/saved", unsaved)
        await asked
        editor.save("a.py")

        editor.answers[ASK] = pressing("Allow once")
        await editor.read(".env")
        new = {"path": "new.py", "content": "key = 'AKIAABCDEFGHIJKLMNOP'  # \u202e\n# \u200b\n# \a\n"}
        await settled(editor, ("agentfs/write", new), always=True)
        await editor.write("other.py", "1\n")
        await editor.request("agentfs/setApprovalMode", {"mode": "manual", "session": "default"})
        await settled(editor, ("agentfs/undo", {}))
        await configured(editor, limits={"pending_per_session": 1})
        proposal, asked = await proposed(editor, "agentfs/write", {"path": "two.py", "content": "2\n"})
        await editor.write("three.py", "3\n")
        await editor.request("shutdown")
        await is_cancelled(asked)
        settle = {"id": proposal["id"], "decision": "accepted"}
        await editor.request("agentfs/settle", settle)


@scenario
async def review_without_a_yes(t: Transcript) -> None:
    """Every end of a review without a landing, and the responses to late messages."""
    t.put({"a.py": TEXT})
    async with reviewing(t) as editor:

        async def settle(proposal: Message, **more: object) -> Message:
            said = {"id": proposal["id"], "decision": "accepted", **more}
            return await editor.request("agentfs/settle", said)

        await editor.read("a.py")
        for method in ("agentfs/proposal", "agentfs/settle", "agentfs/applied", "agentfs/saved"):
            await editor.request(method, {"id": "none", "decision": "accepted"})

        proposal, asked = await proposed(editor, *edit_a("one", "1"))
        for wrong in (
            {"decision": "yes"},
            {"always": 1},
            {"feedback": 1},
            {"nonsense": 1},
            {"decision": "amended"},
            {"decision": "rejected", "always": True},
            {"files": 1},
            {"files": [{"uri": "file:///elsewhere"}]},
            {"files": [{"uri": editor.uri("a.py")}, {"uri": editor.uri("a.py")}]},
            {"files": [{"uri": editor.uri("a.py"), "decision": "amended", "text": "\0"}]},
        ):
            await settle(proposal, **wrong)
        await editor.request("agentfs/applied", {"id": proposal["id"], "files": []})
        t.put({"a.py": "another's\n"})
        await settle(proposal)
        await asked

        await editor.read("a.py")
        editor.answers[APPLY] = lambda _: {"applied": False}
        asked = editor.start(*edit_a("another", "mine"))
        dismissed = await editor.seen("agentfs/proposed", 2)
        await asked
        await settle(dismissed)
        await editor.request("agentfs/proposal", {"id": dismissed["id"]})

        editor.answers[APPLY] = lambda _: NO_ANSWER
        await configured(editor, approval={"timeout_s": 0.05})
        await editor.request(*edit_a("another", "mine"))
        await settle(await editor.seen("agentfs/proposed", 3))
        await configured(editor)

        editor.answers[APPLY] = lambda _: PENDING
        proposal, asked = await proposed(editor, *edit_a("another", "mine"))
        queued = editor.start(*edit_a("another", "her"))
        await editor.message(lambda message: (message.get("params") or {}).get("pending") == 2)
        await editor.request("agentfs/status")
        editor.cancel(queued)
        await is_cancelled(queued)
        editor.cancel(asked)
        await is_cancelled(asked)

        asked = editor.start(*edit_a("another", "mine", workDoneToken="token-1"))
        await editor.answered(APPLY, 5)
        await editor.seen("$/progress")
        editor.notify("window/workDoneProgress/cancel", {"token": "token-1"})
        await is_cancelled(asked)
        await settle(await editor.seen("agentfs/proposed", 5))

        proposal, asked = await proposed(editor, *edit_a("another", "mine"))
        rules = [{"files": ["a.py"], "edit": "deny"}]
        await configured(editor, rules=rules)
        await asked
        await settle(proposal)
        await configured(editor)

        proposal, asked = await proposed(editor, *edit_a("another", "mine"))
        folder = {"uri": t.root.as_uri(), "name": t.root.name}
        closed = {"event": {"removed": [folder], "added": []}}
        await editor.tell("workspace/didChangeWorkspaceFolders", closed)
        await asked
        opened = {"event": {"removed": [], "added": [folder]}}
        await editor.tell("workspace/didChangeWorkspaceFolders", opened)

        editor.open("a.py")
        await editor.read("a.py")
        proposal, asked = await proposed(editor, *edit_a("another", "mine"))
        await settle(proposal)
        refused = [{"uri": editor.uri("a.py"), "applied": False, "reason": "It is read-only."}]
        await editor.request("agentfs/applied", {"id": proposal["id"], "files": refused})
        await asked


@scenario
async def review_batch(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT})

    def asked_for(old: str, new: str, **more: object) -> tuple[str, Message]:
        params = [{"path": path, "old_string": old, "new_string": new} for path in ("a.py", "b.py")]
        return "agentfs/batch", {"operations": [{"tool": "edit", "params": each} for each in params], **more}

    async with reviewing(t) as editor:
        uri = editor.uri("b.py")
        editor.open("a.py")
        for path in ("a.py", "b.py"):
            await editor.read(path)
        await settled(editor, asked_for("one", "1", explanation="Figures."))
        await settled(
            editor, asked_for("two", "2"), files=[{"uri": uri, "decision": "rejected"}], feedback="Not here."
        )
        not_b = {"uri": uri, "decision": "rejected", "feedback": "b is frozen."}
        await settled(editor, asked_for("two", "2", atomic=False), files=[not_b])
        amended = {"uri": uri, "decision": "amended", "text": "1\ntwo\nthird\nfour\nfive\n"}
        await settled(editor, asked_for("three", "3"), "amended", files=[amended])
        proposal, asked = await proposed(editor, *asked_for("five", "5"))
        accepted = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        editor.apply(accepted["apply"])
        t.remove("b.py")
        told = {"id": proposal["id"], "files": [{"uri": editor.uri("a.py"), "applied": True}]}
        fallen = await editor.request("agentfs/applied", told)
        editor.apply(fallen["revert"])
        await asked


@scenario
async def review_blind(t: Transcript) -> None:
    """The user sees what the agent may not read."""
    t.put({"secret.txt": "one\n"})
    rules = [{"files": ["secret.txt"], "read": "deny"}]
    async with reviewing(t, options={"rules": rules}) as editor:
        write = ("agentfs/write", {"path": "secret.txt", "content": "2\n"})
        await settled(editor, write)
        await settled(editor, write, "rejected")


@scenario
async def preview(t: Transcript) -> None:
    """VS Code without the extension."""
    t.put({"a.py": TEXT})
    changed = TEXT.replace("one", "1").replace("five", "5")
    async with t.editing(VSCODE.editing, greeting=True, press="Approve") as editor:
        await editor.answered("client/registerCapability")
        await editor.read("a.py")
        editor.answers[APPLY] = ticking(editor, None)
        await editor.write("a.py", changed, agent="Ada", explanation="Figures.")

        def failing(_: Message) -> object:
            raise RpcError(-32603, "no preview")

        editor.answers[APPLY] = failing
        await editor.write("a.py", changed)
        await editor.write("new.py", "1\n")
        editor.open("a.py")
        editor.answers[APPLY] = ticking(editor, slice(None))
        await editor.edit("a.py", "two", "2")
        editor.save("a.py")
        editor.answers[APPLY] = ticking(editor, slice(1, None))
        await editor.write("a.py", TEXT)
        editor.save("a.py")
        await configured(editor, approval={"timeout_s": 0.05})
        await editor.answered("workspace/configuration", 2)
        editor.answers[APPLY] = lambda _: NO_ANSWER
        await editor.write("a.py", changed)


@scenario
async def message(t: Transcript) -> None:
    """Any other editor."""
    t.put({"a.py": TEXT, "long.txt": ""})
    rules = [{"files": ["free.txt"], "write": "allow"}]
    async with t.editing(options={"rules": rules}) as editor:
        await editor.write("free.txt", "1\n")
        await editor.read("a.py")
        for press in ("Reject", None, "Approve"):
            editor.answers[ASK] = pressing(press)
            await editor.request(*edit_a("one", "1", agent="Ada", explanation="Figures\nas elsewhere."))
        editor.answers[ASK] = pressing("Approve")
        await editor.write("new.txt", "".join(f"line {number}\n" for number in range(20)))
        await editor.write(
            "long.txt", "".join(f"line {number}\n" for number in range(1000)), expected_hash=EMPTY
        )

        def failing(_: Message) -> object:
            raise RpcError(-32601, "no messages")

        editor.answers[ASK] = failing
        await editor.request(*edit_a("two", "2"))
        editor.answers[ASK] = lambda _: NO_ANSWER
        asked = editor.start(*edit_a("two", "2"))
        await editor.seen(ASK, len(editor.all(ASK)) + 1)
        editor.cancel(asked)
        await is_cancelled(asked)
        close_withdrawn(editor)
        await configured(editor, approval={"timeout_s": 0.05})
        await editor.request(*edit_a("two", "2"))
        close_withdrawn(editor)
        await configured(editor)
        editor.answers[ASK] = pressing("Always for this session")
        await editor.request(*edit_a("two", "2"))
        await editor.request(*edit_a("three", "3"))
        await editor.request("agentfs/status")
    async with t.editing(NEOVIM_0_11.editing, press="Approve") as editor:
        await editor.answered("workspace/configuration")
        await editor.read("a.py")
        await editor.request(*edit_a("four", "4"))


@scenario
async def errors(t: Transcript) -> None:
    """Failures below and inside the server."""
    t.put({"locked.py": "one\n", "broken.py": "one\n"})
    (t.root / "locked.py").chmod(0)
    async with reviewing(t, command=[sys.executable, str(FRAIL)]) as editor:
        await editor.read("locked.py")
        (t.root / "locked.py").chmod(0o644)
        await editor.read("broken.py")
        for path in ("unlandable.py", "undecided.py"):
            proposal, asked = await proposed(editor, "agentfs/write", {"path": path, "content": "one\n"})
            await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
            await asked
        t.remove("undecided.py")
        operations = [writes(path, "one\n") for path in ("undecided.py", "b.py")]
        proposal, asked = await proposed(editor, "agentfs/batch", {"operations": operations})
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        await asked
