"""Plays scenarios with the real process, and compares each of the server's messages with the transcript in
tests/cases/transcripts/.

`AGENTFS_RECORD=1 pytest tests/e2e/test_transcripts.py` records the transcripts again. Their diff shows the
change of the wire or its texts, and belongs in the same commit.
"""

import asyncio
import difflib
import hashlib
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.docs import REPOSITORY
from support.editor import APPLY, ASK, AUTO, NO_ANSWER, PENDING, REVIEW, RpcError, handshake
from support.personas import NEOVIM_0_11, VSCODE, pressing, ticking
from support.transcripts import Recorder, Transcript
from support.wire import Message

FOLDER = REPOSITORY / "tests" / "cases" / "transcripts"
SHOW = "window/showDocument"
LATIN = "caf\u00e9\n".encode("latin-1")
EMPTY = "sha256:" + hashlib.sha256(b"").hexdigest()
FRAIL = REPOSITORY / "tests" / "support" / "frail_server.py"
TEXT = "one\ntwo\nthree\nfour\nfive\n"

pytestmark = pytest.mark.xdist_group("transcripts")

Scenario = Callable[[Transcript], Awaitable[None]]
SCENARIOS: dict[str, Scenario] = {}


def scenario(play: Scenario) -> Scenario:
    """One transcript, named like the function."""
    SCENARIOS[play.__name__.replace("_", "-")] = play
    return play


# --- reading ----------------------------------------------------------------------------------------------


@scenario
async def read(t: Transcript) -> None:
    options = {"limits": {"read_lines": 3}, "rules": [{"files": ["secrets/"], "read": "deny"}]}
    t.put({"a.py": TEXT, "windows.txt": "\ufeffone\r\ntwo\r\n", "latin.txt": LATIN})
    t.put({"empty.txt": "", "binary": b"a\0b", "secrets/key": "k\n", ".env": "A=1\n"})
    (t.root / "loop").symlink_to("loop")
    (t.root / "folder").mkdir()
    async with t.editing(options=options) as editor:
        await editor.read("a.py")
        await editor.read("a.py", start_line=4, session="chat-1", agent="Ada")
        await editor.read("a.py", start_line=2, limit=2, line_numbers=True)
        await editor.read("a.py", limit=0)
        await editor.read("a.py", start_line=9)
        for path in ("windows.txt", "latin.txt", "empty.txt", "binary", "nothing.py", "folder", "secrets"):
            await editor.read(path)
        for path in ("secrets/key", "../b.py", "/etc/hostname", "file:///a.py", "a\\b", "", "loop", "a.py/b"):
            await editor.read(path)
        rules = [{"files": ["*.txt"], "encoding": "iso88591"}]
        folders = [{"uri": t.root.as_uri(), "rules": rules}]
        await editor.tell("agentfs/fileEncodings", {"folders": folders})
        await editor.read("latin.txt")
        editor.answers[ASK] = pressing("Deny")
        await editor.read(".env", agent="Ada")
        editor.answers[ASK] = pressing("Allow once")
        await editor.read(".env", agent="Ada", session="another")
        editor.answers[ASK] = pressing(None)
        await editor.edit("secrets/key", "k", "l")


@scenario
async def write(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT, "windows.txt": "one\r\ntwo\r\n", "latin.txt": LATIN})
    options = {**AUTO, "diff": {"max_lines": 6}, "limits": {"max_file_bytes": 200}}
    async with t.editing(options=options) as editor:
        await editor.write("src/util/new.py", "a = 1\n")
        await editor.write("a.py", "1\n")
        await editor.read("a.py")
        await editor.write("a.py", TEXT)
        await editor.write("a.py", TEXT.replace("two", "2"), dry_run=True)
        await editor.write("a.py", TEXT.replace("two", "2"), agent="Ada", explanation="Figures.")
        await editor.write("a.py", "1\n2\n3\n4\n5\n")
        t.put({"a.py": "another's\n"})
        conflict = await editor.write("a.py", "mine\n")
        there = conflict["context"]["conflict"]["actual"]["hash"]
        await editor.write("a.py", "mine\n", expected_hash=there)
        await editor.write("a.py", "one\n// ... rest of the code unchanged\n")
        await editor.write("a.py", "one\n", overwrite=False)
        await editor.write("empty.txt", "")
        await editor.write("empty.txt", "", allow_empty=True)
        await editor.write("no/folder.py", "1\n", create_dirs=False)
        await editor.write("nul.txt", "a\0")
        await editor.write("large.txt", "x" * 201)
        await editor.read("windows.txt")
        await editor.write("windows.txt", "one\n2\n")
        await editor.read("latin.txt")
        await editor.write("latin.txt", "tea\n")
        await editor.read("b.py")
        t.put({"b.py": TEXT.replace("one", "1")})
        await editor.write("b.py", TEXT.replace("five", "5"), on_conflict="merge")
        await editor.edit("b.py", "5", "five")
        await editor.read("b.py", session="chat-2")
        t.put({"b.py": "two\n"})
        await editor.write("b.py", TEXT, on_conflict="merge", session="chat-2")
        editor.answers[ASK] = pressing("Reject")
        await editor.write("key.py", "key = 'AKIAABCDEFGHIJKLMNOP'\n")
        await editor.write(".env", "A=1\n", agent="Ada", explanation="The figures\nof old.")


@scenario
async def edit(t: Transcript) -> None:
    t.put({"a.py": TEXT, "windows.txt": "one\r\ntwo\r\n", "tabs.py": "def f():\n\tone\n\ttwo\n"})
    t.put({"quotes.txt": "say \u201chi\u201d\n", "often.txt": "one\none\naaa\n", "gone.py": "one\n"})
    async with t.editing(options=AUTO) as editor:
        await editor.edit("nothing.py", "one", "1")
        await editor.edit("a.py", "one", "1")
        for path in ("a.py", "windows.txt", "tabs.py", "quotes.txt", "often.txt", "gone.py"):
            await editor.read(path)
        await editor.edit("a.py", "two", "2", dry_run=True)
        await editor.edit("a.py", "two", "2")
        await editor.edit("windows.txt", "one\ntwo\n", "1\n2\n")
        await editor.edit("a.py", "three  \nfour\n", "3\n4\n")
        await editor.edit("tabs.py", "    one\n    two\n", "    1\n    2\n")
        await editor.edit("quotes.txt", 'say "hi"', 'say "ho"')
        await editor.edit("often.txt", "one", "1")
        await editor.edit("often.txt", "one", "1", expected_count=3)
        await editor.edit("often.txt", "aa", "b", replace_all=True)
        await editor.edit("often.txt", "one", "1", replace_all=True)
        await editor.edit("a.py", "fiev", "5")
        await editor.edit("a.py", "FIVE", "5")
        await editor.edit("a.py", "   5 | five", "   5 | 5")
        await editor.edit("a.py", "five", "five")
        await editor.edit("a.py", "", "5")
        await editor.edit("a.py", "five", "5", expected_hash="sha256:0", expected_size_bytes=1)
        await editor.request("agentfs/edit", {"path": "a.py", "oldText": "five", "newText": "5"})
        both = {"path": "a.py", "oldText": "5", "old_string": "one", "newText": "1"}
        await editor.request("agentfs/edit", both)
        t.remove("gone.py")
        await editor.edit("gone.py", "one", "1")


@scenario
async def documents(t: Transcript) -> None:
    """Files open in an editor that does not save by itself."""
    t.put({"a.py": TEXT, "b.py": "one\n", "mixed.txt": "one\r\ntwo\n"})
    (t.root / "other.txt").hardlink_to(t.root / "mixed.txt")
    async with t.editing(options=AUTO) as editor:
        await editor.read("mixed.txt")
        await editor.edit("mixed.txt", "two", "2", dry_run=True)
        editor.open("mixed.txt", "one\ntwo\n")
        await editor.read("mixed.txt")
        await editor.edit("mixed.txt", "two", "2", dry_run=True)
        editor.open("a.py")
        await editor.read("a.py")
        await editor.edit("a.py", "one", "1")
        editor.save("a.py")
        editor.change("a.py", "mine\n" + TEXT)
        await editor.edit("a.py", "two", "2")
        await editor.read("a.py", limit=2)
        await editor.edit("a.py", "two", "2")
        place = {"line": 0, "character": 4}
        typed = {"range": {"start": place, "end": place}, "text": "!"}
        identifier = {"uri": editor.uri("a.py"), "version": 9}
        change = {"textDocument": identifier, "contentChanges": [typed]}
        await editor.tell("textDocument/didChange", change)
        await editor.read("a.py", limit=1)
        older = {"textDocument": {**identifier, "version": 3}, "contentChanges": [typed]}
        await editor.tell("textDocument/didChange", older)
        await editor.read("a.py")
        await editor.edit("a.py", "two", "2")
        whole = {"textDocument": {**identifier, "version": 10}, "contentChanges": [{"text": TEXT}]}
        await editor.tell("textDocument/didChange", whole)
        await editor.read("a.py", limit=1)
        editor.close("a.py")
        await editor.edit("a.py", "two", "2")
        editor.open("new.py", "a draft\n")
        await editor.read("new.py")
        await editor.edit("new.py", "draft", "text")
        editor.open("b.py")
        state = {"uri": editor.uri("b.py"), "dirty": True, "encoding": "utf-8"}
        await editor.tell("agentfs/documentState", state)
        await editor.read("b.py")
        editor.answers[APPLY] = lambda _: {"applied": False, "failureReason": "busy"}
        await editor.edit("b.py", "one", "1")
        editor.answers[APPLY] = lambda _: NO_ANSWER
        await configured(editor, **AUTO, landing_timeout_s=0.05)
        await editor.edit("b.py", "one", "1")


@scenario
async def saving(t: Transcript) -> None:
    """Open files in an editor that saves what policy allows."""
    t.put({"a.py": TEXT})

    def apply_and_save(params: Message) -> object:
        applied = editor.apply(params["edit"])
        editor.save("a.py")
        return {"applied": applied}

    def apply_format_and_save(params: Message) -> object:
        applied = editor.apply(params["edit"])
        editor.change("a.py", editor.documents[editor.uri("a.py")].text.upper())
        editor.save("a.py")
        return {"applied": applied}

    async with t.editing(options=AUTO, capabilities=REVIEW) as editor:
        editor.open("a.py")
        await editor.read("a.py")
        editor.answers[APPLY] = apply_and_save
        await editor.edit("a.py", "one", "1")
        editor.answers[APPLY] = apply_format_and_save
        await editor.edit("a.py", "two", "2")
        editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
        await configured(editor, **AUTO, save_timeout_s=0.05)
        await editor.edit("a.py", "THREE", "3")


@scenario
async def merging(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT})
    async with t.editing(options=AUTO) as editor:
        for path in ("a.py", "b.py"):
            await editor.read(path)
        t.put({"a.py": TEXT.replace("one", "1"), "b.py": TEXT.replace("one", "1")})
        await editor.edit("a.py", "five", "5", on_conflict="merge")
        edit = {"path": "b.py", "old_string": "five", "new_string": "5\u200b", "on_conflict": "merge"}
        write = {"path": "c.py", "content": "\ufeffc = 3\n"}
        operations = [{"tool": "edit", "params": edit}, {"tool": "write", "params": write}]
        await editor.request("agentfs/batch", {"operations": operations})


@scenario
async def batch(t: Transcript) -> None:
    t.put({"a.py": TEXT, "b.py": TEXT, "open.py": TEXT})

    def edit_of(path: str, old: str, new: str, **more: object) -> Message:
        return {"tool": "edit", "params": {"path": path, "old_string": old, "new_string": new, **more}}

    new = {"tool": "write", "params": {"path": "src/c.py", "content": "c = 3\n"}}
    missed = edit_of("b.py", "six", "6")
    async with t.editing(options=AUTO) as editor:

        async def ask(*operations: object, **more: object) -> None:
            await editor.request("agentfs/batch", {"operations": operations, **more})

        await ask(edit_of("a.py", "one", "1"))
        for path in ("a.py", "b.py"):
            await editor.read(path)
        await ask(edit_of("a.py", "one", "1"), edit_of("a.py", "1", "I"), new, dry_run=True)
        await ask(
            edit_of("a.py", "one", "1"), edit_of("a.py", "1", "I"), new, agent="Ada", explanation="Rome."
        )
        await ask(edit_of("a.py", "two", "2"), missed)
        await ask(edit_of("a.py", "two", "2"), missed, edit_of("b.py", "two", "2"), atomic=False)
        await ask(missed, edit_of("nothing.py", "one", "1"), atomic=False)
        await ask()
        await ask({"tool": "read", "params": {"path": "a.py"}})
        await ask(edit_of("a.py", "two", "2", session="chat-1"))
        await ask({"tool": "edit", "params": {"path": "a.py", "oldstring": "one"}})
        editor.open("open.py")
        await editor.read("open.py")
        await ask(edit_of("open.py", "one", "1"), edit_of("b.py", "three", "3"))
        editor.save("open.py")
        editor.answers[APPLY] = lambda _: {"applied": False}
        await ask(edit_of("open.py", "two", "2"), edit_of("b.py", "four", "4"))
        await ask(edit_of("open.py", "two", "2"), edit_of("b.py", "four", "4"), atomic=False)


@scenario
async def history(t: Transcript) -> None:
    t.put({"a.py": TEXT, "secret.py": "k\n"})
    rules = [{"files": ["secret.py"], "read": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def ask(**params: object) -> Message:
            return await editor.request("agentfs/history", params)

        await ask()
        await editor.read("a.py", session="chat-1")
        first = await editor.edit("a.py", "one", "1", session="chat-1", agent="Ada", explanation="Figures.")
        await editor.write("src/b.py", "b = 2\n", session="chat-2")
        await editor.write("secret.py", "l\n")
        await ask()
        await ask(texts=True, limit=1)
        await ask(session="chat-1")
        await ask(path="src")
        await ask(change_id=first["data"]["change_id"], texts=True)
        await ask(change_id="none")
        newest = (await ask(limit=1))["data"]["changes"][0]["change_id"]
        await ask(before=newest)
        await editor.request("agentfs/userHistory", {"texts": True, "limit": 1})
        await configured(editor, history={"enabled": False})
        await ask(limit=1)


@scenario
async def undo(t: Transcript) -> None:
    t.put({"a.py": TEXT, "secret.py": "k\n"})
    rules = [{"files": ["secret.py"], "read": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def ask(method: str = "agentfs/undo", **params: object) -> Message:
            return await editor.request(method, params)

        await ask()
        await ask(change_id="none")
        await editor.read("a.py")
        edited = await editor.edit("a.py", "one", "1")
        await ask(explanation="As it was.")
        await ask()
        await editor.edit("a.py", "five", "5")
        first = edited["data"]["change_id"]
        await ask(change_id=first)
        await ask(change_id=first)
        await editor.write("src/b.py", "b = 2\n")
        await ask()
        created = await editor.write("src/c.py", "c = 3\n")
        t.put({"src/c.py": "another's\n"})
        await ask(change_id=created["data"]["change_id"])
        t.put({"d.py": "d = 4"})
        await editor.read("d.py")
        await editor.write("d.py", "d = 4\n")
        editor.open("d.py")
        await ask()
        redacted = await editor.write("secret.py", "l\n")
        await ask(change_id=redacted["data"]["change_id"])
        await ask("agentfs/userUndo", change_id=redacted["data"]["change_id"])
        last = await editor.edit("a.py", "two", "2")
        await ask("agentfs/userUndo", change_id=last["data"]["change_id"])
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        editor.answers[ASK] = pressing("Approve")
        await ask()


# --- asking the user --------------------------------------------------------------------------------------


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


def edit_a(old: str, new: str, **more: object) -> tuple[str, Message]:
    """A request to change a.py."""
    return "agentfs/edit", {"path": "a.py", "old_string": old, "new_string": new, **more}


async def configured(editor: Recorder, **settings: Any) -> None:
    """Change the user's settings to these."""
    await editor.tell("workspace/didChangeConfiguration", {"settings": {"agentfs": settings}})


def reviewing(t: Transcript, **more: Any) -> Any:
    """A review client that saves."""
    answers = {APPLY: lambda _: PENDING}
    return t.editing(capabilities=REVIEW, answers=answers, **more)


async def is_cancelled(asked: asyncio.Future[Any]) -> None:
    with pytest.raises(RpcError):
        await asked


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
        await settled(
            editor, asked_for("two", "2", atomic=False), files=[{"uri": uri, "decision": "rejected"}]
        )
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


def close_withdrawn(editor: Recorder) -> None:
    """Neovim ignores $/cancelRequest, so the user closes the question."""
    editor.send({"jsonrpc": "2.0", "id": editor.all(ASK)[-1]["id"], "result": None})


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


# --- everything else --------------------------------------------------------------------------------------


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
        operations = [
            {"tool": "write", "params": {"path": path, "content": "one\n"}}
            for path in ("undecided.py", "b.py")
        ]
        proposal, asked = await proposed(editor, "agentfs/batch", {"operations": operations})
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        await asked


@scenario
async def tools(t: Transcript) -> None:
    rules = [
        {"files": ["SOUL.md"], "write": "ask", "edit": "ask"},
        {"files": ["MEMORY.md"], "write": "allow", "edit": "allow", "requires": "memory"},
    ]
    options = {"rules": rules, "switches": {"memory": False}}
    knowing = {"experimental": {"agentfs": {}}}
    async with t.editing(options=options, capabilities=knowing) as editor:
        for params in (
            {},
            {"format": "anthropic"},
            {"format": "mcp"},
            {"dialect": "gemini"},
            {"dialect": "workspace"},
            {"dialect": "other"},
        ):
            await editor.request("agentfs/tools", params)
        await editor.request("agentfs/setSwitch", {"name": "memory", "on": True})
        await editor.request("agentfs/tools", {"dialect": "workspace"})
        await editor.request("agentfs/setSwitch", {"name": "other", "on": True})
        await configured(editor, files=["SOUL.md"])
        await editor.request("agentfs/tools", {"dialect": "workspace", "format": "anthropic"})
        folder = {"uri": t.root.as_uri(), "name": t.root.name}
        closed = {"event": {"removed": [folder], "added": []}}
        await editor.tell("workspace/didChangeWorkspaceFolders", closed)
        await editor.request("agentfs/tools")


@scenario
async def call(t: Transcript) -> None:
    t.put({"a.md": TEXT, "often.md": "one\none\n", "private.md": "p\n"})
    rules = [{"files": ["private.md"], "read": "deny", "write": "deny", "edit": "deny"}]
    async with t.editing(options={**AUTO, "rules": rules}) as editor:

        async def run(dialect: str, name: str, /, **arguments: object) -> None:
            await editor.request("agentfs/call", {"dialect": dialect, "name": name, "arguments": arguments})

        for dialect, path, (old, new), (read_it, write_it, edit_it) in (
            ("standard", "path", ("old_string", "new_string"), ("Read", "Write", "Edit")),
            ("gemini", "file_path", ("old_string", "new_string"), ("read_file", "write_file", "replace")),
            ("workspace", "path", ("oldText", "newText"), ("read", "write", "edit")),
        ):
            await run(dialect, read_it, **{path: "a.md"})
            await run(dialect, read_it, **{path: "often.md"})
            await run(dialect, write_it, **{path: f"new-{dialect}.md", "content": "new\n"})
            await run(dialect, edit_it, **{path: "a.md", old: "two", new: "2"})
            await run(dialect, edit_it, **{path: "a.md", old: "2", new: "two"})
            await run(dialect, edit_it, **{path: "a.md", old: "six", new: "6"})
            await run(dialect, edit_it, **{path: "a.md", old: "one", new: "one"})
            await run(dialect, edit_it, **{path: "often.md", old: "one", new: "1"})
            await run(dialect, edit_it, **{path: "private.md", old: "p", new: "q"})
            await run(dialect, read_it, **{path: "nothing.md"})
            await run(dialect, read_it, **{path: "/etc/hostname"})
            await run(dialect, write_it, **{path: "a.md"})
            await run(dialect, write_it, **{path: "a.md", "content": "", "session": "chat-1"})
            await run(dialect, "Remove", **{path: "a.md"})
        await run("gemini", "read_file", file_path=str(t.root / "a.md"))
        params = {
            "name": "Write",
            "arguments": {"path": "a.md", "content": "1\n"},
            "expected_hash": "sha256:0",
        }
        await editor.request("agentfs/call", {**params, "agent": "Ada", "explanation": "Figures."})
        await editor.request("agentfs/setApprovalMode", {"mode": "manual"})
        editor.answers[ASK] = pressing("Reject")
        for dialect, name in (("standard", "Write"), ("gemini", "write_file"), ("workspace", "write")):
            path = "file_path" if dialect == "gemini" else "path"
            await run(dialect, name, **{path: "new.md", "content": "1\n"})


@scenario
async def commands(t: Transcript) -> None:
    t.put({"a.py": TEXT})
    async with t.editing(options=AUTO) as editor:

        async def run(command: str, *arguments: object) -> None:
            await editor.request("workspace/executeCommand", {"command": command, "arguments": arguments})

        await run("agentfs.read", {"path": "a.py"})
        await run("agentfs.edit", {"path": "a.py", "old_string": "one", "new_string": "1"})
        await run("agentfs.write", {"path": "b.py", "content": "1\n"})
        operation = {"tool": "write", "params": {"path": "c.py", "content": "1\n"}}
        await run("agentfs.batch", {"operations": [operation]})
        await run("agentfs.history", {"limit": 1})
        await run("agentfs.undo")
        await run("agentfs.tools", {"format": "mcp"})
        await run("agentfs.call", {"name": "Read", "arguments": {"path": "a.py"}})
        await run("agentfs.manual")
        await run("agentfs.status")
        await run("agentfs.remove", {"path": "a.py"})
        await run("agentfs.read", {"path": "a.py"}, {"path": "b.py"})


@scenario
async def settings(t: Transcript) -> None:
    registering = {"dynamicRegistration": True, "relativePatternSupport": True}
    capabilities = {
        "workspace": {
            "configuration": True,
            "didChangeConfiguration": registering,
            "didChangeWatchedFiles": registering,
        },
        "experimental": {"agentfs": {}},
    }
    section: Message = {"switches": {"memory": True}}
    answers = {"workspace/configuration": lambda _: [section]}
    async with t.editing(name="helix", capabilities=capabilities, answers=answers, options=AUTO) as editor:

        async def asked_again() -> None:
            """The editor reports a change of settings, and is asked for them."""
            told = len(editor.all("agentfs/statusChanged")) + 1
            editor.notify("workspace/didChangeConfiguration", {"settings": None})
            await editor.seen("agentfs/statusChanged", told)
            await editor.caught_up()

        await editor.answered("client/registerCapability")
        await editor.seen("agentfs/statusChanged")
        await editor.request("agentfs/status")
        await editor.write("a.py", "1\n")
        await editor.request("agentfs/setSwitch", {"name": "memory", "on": False})
        section |= {
            "approval": {"mode": "sometimes"},
            "nonsense": 1,
            "rules": [{"files": ["["], "edit": "deny"}],
        }
        await asked_again()
        await editor.request("agentfs/status")
        section.clear()
        await asked_again()
        for params in (
            {"mode": "auto_edit", "session": "chat-1"},
            {"mode": "manual", "session": "chat-2"},
            {"mode": "sometimes"},
            {"mode": "manual", "nonsense": 1},
        ):
            await editor.request("agentfs/setApprovalMode", params)
        await editor.read("a.py")
        await editor.request("agentfs/status", {"session": "chat-1"})
        await editor.request("agentfs/setApprovalMode", {"mode": "auto_edit"})
        t.put({".agentfs.toml": 'files = ["b.py"]\nrequire_read = false\n'})
        changed = {"changes": [{"uri": editor.uri(".agentfs.toml"), "type": 1}]}
        await editor.tell("workspace/didChangeWatchedFiles", changed)
        await editor.write("c.py", "1\n")
        t.put({".agentfs.toml": "files = [\n"})
        await editor.tell("workspace/didChangeWatchedFiles", changed)
        await editor.read("a.py")
    t.put({".agentfs.toml": ""})
    async with t.editing(name="Neovim", options={**AUTO, "nonsense": 1}) as editor:
        await editor.seen("window/showMessage")


@scenario
async def roots(t: Transcript) -> None:
    t.put({"one/a.py": "one\n", "two/b.py": "two\n"})
    folders = [("tides", t.root / "one"), ("moons", t.root / "two")]
    async with t.editing(folders=folders, options=AUTO) as editor:
        await editor.request("agentfs/status")
        await editor.read("tides/a.py")
        await editor.read("a.py")
        await editor.edit("tides/a.py", "one", "1")
        named = [{"name": name, "uri": path.as_uri()} for name, path in folders]
        event = {"removed": named[1:], "added": [{**named[1], "name": "tides"}]}
        await editor.tell("workspace/didChangeWorkspaceFolders", {"event": event})
        await editor.read("tides/a.py")
        event = {"removed": [named[0], *event["added"]], "added": []}
        await editor.tell("workspace/didChangeWorkspaceFolders", {"event": event})
        await editor.read("a.py")
        await editor.write("a.py", "1\n")


@scenario
async def chinese(t: Transcript) -> None:
    t.put({"a.py": TEXT, ".env": "A=1\n", "often.txt": "one\none\n"})
    async with t.editing(locale="zh-CN") as editor:
        await editor.read("nothing.py")
        await editor.request(*edit_a("one", "1"))
        await editor.read("a.py", limit=2)
        await editor.read("often.txt")
        await editor.edit("often.txt", "one", "1")
        for press in (None, "\u6279\u51c6"):
            editor.answers[ASK] = pressing(press)
            await editor.request(*edit_a("one", "1", agent="Ada", explanation="Figures."))
        await editor.read(".env")
        t.put({"a.py": "another's\n"})
        await editor.request(*edit_a("two", "2"))
        await editor.request("agentfs/read", {"pathh": "a.py"})
        await editor.request("agentfs/settle", {"id": "none", "decision": "accepted"})
        await editor.request("agentfs/tools", {"dialect": "workspace"})
        for name, arguments in (
            ("read", {"path": "nothing.md"}),
            ("edit", {"path": "often.txt", "oldText": "one", "newText": "1"}),
        ):
            params = {"dialect": "workspace", "name": name, "arguments": arguments}
            await editor.request("agentfs/call", params)
        await editor.request("agentfs/status")


@scenario
async def parameters(t: Transcript) -> None:
    """Every request with invalid params."""
    async with t.editing(options=AUTO) as editor:
        methods = editor.initialized["capabilities"]["experimental"]["agentfs"]["methods"]
        for method in methods:
            for params in (None, "a.py", {"nonsense": 1}, {"session": 1, "id": 1}, {"agent": "a" * 81}):
                await editor.request(method, params)


@scenario
async def connection(t: Transcript) -> None:
    """The start and end of a connection, and malformed messages."""
    async with t.connected() as editor:
        await editor.refused("agentfs/status", {})
        for body in (
            b"{",
            b"\xff",
            b'{"a":' * 129 + b"1" + b"}" * 129,
            b"[]",
            b'{"id": 1, "method": "agentfs/status"}',
            b'{"jsonrpc": "2.0", "id": {}, "method": "agentfs/status"}',
            b'{"jsonrpc": "2.0", "id": 1, "method": 1}',
        ):
            editor.send_raw(body)
            await editor.caught_up()
        editor.send_raw(b"nonsense\r\n\r\n", framed=False)
        await editor.caught_up()
        hello = handshake(t.root, name="Neovim", options=AUTO)
        await editor.request("initialize", hello)
        editor.notify("initialized", {})
        await editor.refused("initialize", hello)
        await editor.refused("agentfs/remove", {"path": "a.py"})
        await editor.tell("agentfs/removed", {"path": "a.py"})
        await editor.tell("$/cancelRequest", {"id": 99})
        editor.send({"jsonrpc": "2.0", "id": "agentfs-99", "result": None})
        await editor.caught_up()
        await editor.request("shutdown")
        await editor.refused("agentfs/status", {})
        editor.notify("exit", None)
        t.note("exit code", await editor.ended())


# --- the tests --------------------------------------------------------------------------------------------


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str | BaseException]:
    """The messages of each selected scenario. Scenarios run concurrently, since starting a server takes
    longer than most of them, and some wait."""
    tests = (item for item in request.session.items if isinstance(item, pytest.Function))
    names = [test.callspec.params["name"] for test in tests if test.originalname == WORD_FOR_WORD]
    at_once = asyncio.Semaphore(3)

    async def play(name: str) -> str:
        async with at_once:
            root = tmp_path_factory.mktemp(name) / "tides"
            root.mkdir()
            transcript = Transcript(root)
            await SCENARIOS[name](transcript)
            return transcript.text()

    return dict(zip(names, await asyncio.gather(*map(play, names), return_exceptions=True), strict=True))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_server_says_what_it_said(name: str, played: dict[str, str | BaseException]) -> None:
    said, file = played[name], FOLDER / f"{name}.txt"
    if isinstance(said, BaseException):
        raise said
    if os.environ.get("AGENTFS_RECORD"):
        file.write_text(said, "utf-8")
    recorded = file.read_text("utf-8") if file.exists() else ""
    if said != recorded:
        pytest.fail(difference(recorded, said, file), pytrace=False)


WORD_FOR_WORD = test_the_server_says_what_it_said.__name__


def difference(recorded: str, said: str, file: Path) -> str:
    path = file.relative_to(REPOSITORY).as_posix()
    lines = difflib.unified_diff(
        recorded.splitlines(), said.splitlines(), path, "what was said now", n=8, lineterm=""
    )
    told = "\n".join(lines)
    return f"The server says something else than it did ({path}):\n\n{told}\n\n{RERECORD}"


RERECORD = """\
Was code only moved or rebuilt? Then this is a defect: what goes over the wire has to stay as it is.
Was this change of the wire, or of its texts, the purpose? Then record it with
    AGENTFS_RECORD=1 .venv/bin/pytest tests/e2e/test_transcripts.py
and commit the transcripts with docs/protocol.md and CHANGELOG.md, having read their diff."""


def test_no_transcript_is_without_a_scenario() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == set(SCENARIOS)
