"""What a review client can rely on: the order of notifications, which proposals it sees when, and how it
finds them again (docs/protocol.md#91-review-clients)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.editor import NO_ANSWER, PENDING, REVIEW, REVIEWING, Editor, RpcError, connected, editing
from support.sample import CHANGED, EDIT, TEXT, asked, edited
from support.sharing import in_module, shared
from support.wire import Message

LONG = "x" * 99 + "\n"

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


# --- the order of the end ---------------------------------------------------------------------------------


class Heard:
    """The client's messages about a proposal, and the order in which it learns its end."""

    def __init__(self, editor: Editor, proposal: Message, answer: asyncio.Future[Any]) -> None:
        self.editor, self.id, self.answer = editor, proposal["id"], answer
        self.requests = {answer.request_id: "the agent's answer"}  # type: ignore[attr-defined]

    def start(self, method: str, **params: Any) -> asyncio.Future[Any]:
        request = self.editor.start(f"agentfs/{method}", {"id": self.id, **params})
        self.requests[request.request_id] = method  # type: ignore[attr-defined]
        return request

    async def send(self, method: str, **params: Any) -> Message:
        answer: Message = await self.start(method, **params)
        return answer

    async def all(self) -> list[str]:
        await asyncio.wait([self.answer])
        self.answer.exception()
        await self.editor.seen("agentfs/settled")
        told = (self._name(message) for message in self.editor.received)
        return [name for name in told if name]

    def _name(self, message: Message) -> str:
        if message.get("method") == "agentfs/settled":
            return "settled"
        return "" if "method" in message else self.requests.get(message["id"], "")


@pytest.mark.parametrize("size", [0, 2_000_000], ids=["small", "large"])
@pytest.mark.parametrize("how", ["closed", "open", "unsaved work", "rejected", "conflict", "not applied"])
async def test_the_client_is_answered_first(editor: Editor, file: Path, how: str, size: int) -> None:
    """However large the file is: work off the event loop changes no order."""
    text = TEXT + LONG * (size // len(LONG))
    file.write_text(text)
    if how in ("open", "unsaved work", "not applied"):
        editor.open("a.py", text + ("mine\n" if how == "unsaved work" else ""))
    heard = Heard(editor, *await asked(editor))
    if how == "conflict":
        file.write_text("theirs\n")
    settled = await heard.send("settle", decision="rejected" if how == "rejected" else "accepted")
    sent = ["settle"]
    if settled.get("apply"):
        done = how != "not applied" and editor.apply(settled["apply"])
        files = [{"uri": file.as_uri(), "applied": done}]
        applied = await heard.send("applied", files=files)
        sent.append("applied")
        if applied.get("save"):
            editor.save("a.py")
            await heard.send("saved", files=[{"uri": file.as_uri(), "saved": True}])
            sent.append("saved")
    assert sent == {
        "open": ["settle", "applied", "saved"],
        "unsaved work": ["settle", "applied"],
        "not applied": ["settle", "applied"],
    }.get(how, ["settle"])
    assert await heard.all() == [*sent, "settled", "the agent's answer"]


async def test_a_withdrawn_proposal_is_settled_before_the_answer(editor: Editor, file: Path) -> None:
    heard = Heard(editor, *await asked(editor))
    editor.cancel(heard.answer)
    assert await heard.all() == ["settled", "the agent's answer"]


async def test_a_settle_and_the_previews_answer_are_answered_in_order(editor: Editor, file: Path) -> None:
    editor.answers["workspace/applyEdit"] = lambda _: NO_ANSWER
    heard = Heard(editor, *await asked(editor))
    preview = await editor.seen_message("workspace/applyEdit")
    with editor.in_one_piece():
        editor.send({"jsonrpc": "2.0", "id": preview["id"], "result": PENDING})
        settle = heard.start("settle", decision="rejected")
    assert await settle == {"ok": True, "apply": None}
    assert await heard.all() == ["settle", "settled", "the agent's answer"]


async def test_a_rejection_that_arrives_before_a_cancellation_counts(editor: Editor, file: Path) -> None:
    heard = Heard(editor, *await asked(editor))
    with editor.in_one_piece():
        settle = heard.start("settle", decision="rejected", feedback="use three")
        editor.cancel(heard.answer)
    assert await settle == {"ok": True, "apply": None}
    assert await heard.all() == ["settle", "settled", "the agent's answer"]
    answer = await heard.answer
    assert (answer["error"]["code"], answer["context"]["review"]["feedback"]) == (
        "USER_REJECTED",
        "use three",
    )


async def test_a_settle_that_cannot_be_done_is_looked_at_in_order(editor: Editor, file: Path) -> None:
    """Whether a large amended text fits is checked off the event loop; meanwhile the agent cancels."""
    heard = Heard(editor, *await asked(editor))
    files = [{"uri": file.as_uri(), "decision": "amended", "text": LONG * 50_000 + "\0"}]
    with editor.in_one_piece():
        settle = heard.start("settle", decision="amended", files=files)
        editor.cancel(heard.answer)
    await editor.request("agentfs/status", {})
    editor.cancel(heard.answer)  # again, without effect
    assert (await settle)["code"] == "INVALID_PARAM"
    assert await heard.all() == ["settle", "settled", "the agent's answer"]
    assert file.read_text() == TEXT


# --- which proposals there are ----------------------------------------------------------------------------


async def test_a_second_proposal_for_a_file_waits_for_the_first(editor: Editor, file: Path) -> None:
    first, answer = await asked(editor)
    second = editor.start("agentfs/edit", {**EDIT, "old_string": "three", "new_string": "3"})
    shown, queued = await editor.are_pending("shown", "queued")
    assert (shown["id"], shown["state"], queued["state"]) == (first["id"], "shown", "queued")
    unknown = await editor.request("agentfs/proposal", {"id": queued["id"]})
    assert (unknown["ok"], unknown["code"]) == (False, "UNKNOWN")
    assert len(editor.all("agentfs/proposed")) == 1
    await editor.settle(first)
    next_one = await editor.proposed(2)
    assert next_one["id"] == queued["id"]
    assert next_one["files"][0]["base_text"] == CHANGED  # recomputed on the first one's result
    names = [message.get("method") for message in editor.received]
    proposed = [at for at, name in enumerate(names) if name == "agentfs/proposed"]
    assert names.index("agentfs/settled") < proposed[1]
    await editor.settle(next_one)
    assert [(await each)["status"] for each in (answer, second)] == ["success", "success"]
    assert file.read_text() == "one\n2\n3\n"


async def test_an_announced_proposal_is_settled_before_initialized(root: Path, file: Path) -> None:
    async with connected(root, answers=REVIEWING["answers"]) as editor:
        folder = {"uri": root.as_uri(), "name": "root"}
        params = {"processId": None, "capabilities": REVIEW, "workspaceFolders": [folder]}
        await editor.request("initialize", params)
        answer = editor.start("agentfs/write", {"path": "b.py", "content": "b\n"})
        proposal = await editor.proposed()
        await editor.settle(proposal)
        assert (await answer)["status"] == "success"
        assert await editor.seen("agentfs/settled") == {"id": proposal["id"], "outcome": "landed"}


async def test_what_was_never_announced_is_never_settled(editor: Editor, file: Path) -> None:
    first, answer = await asked(editor)
    second = editor.start("agentfs/edit", {**EDIT, "old_string": "three", "new_string": "3"})
    await editor.are_pending("shown", "queued")
    editor.cancel(second)
    with pytest.raises(RpcError):
        await second
    await editor.settle(first)
    await answer
    assert [one["params"]["id"] for one in editor.all("agentfs/settled")] == [first["id"]]


async def test_a_client_that_begins_anew_finds_what_waits(editor: Editor, root: Path, file: Path) -> None:
    """It needs nothing of the conversation but the connection. The agent's request does not block it."""
    (root / "b.py").write_text(TEXT)
    editor.open("a.py")
    waiting = []
    for path in ("a.py", "b.py"):
        await editor.read(path)
        waiting.append(editor.start("agentfs/edit", {**EDIT, "path": path}))
    await editor.seen("agentfs/proposed", 2)
    halfway = (await editor.pending())[0]["id"]
    await editor.request("agentfs/settle", {"id": halfway, "decision": "accepted"})
    editor.received.clear()

    found = await editor.pending()
    assert [(one["paths"], one["state"]) for one in found] == [(["a.py"], "landing"), (["b.py"], "shown")]
    for one in found:
        proposal = await editor.request("agentfs/proposal", {"id": one["id"]})
        assert (proposal["state"], proposal["files"][0]["proposed_text"]) == (one["state"], CHANGED)
        assert not any(each.done() for each in waiting[found.index(one) :])
        await editor.settle(proposal)
    assert [(await each)["status"] for each in waiting] == ["success", "success"]
    assert file.read_text() == (root / "b.py").read_text() == CHANGED
    ended = await editor.request("agentfs/proposal", {"id": halfway})
    assert (ended["ok"], ended["code"]) == (False, "UNKNOWN")
    assert (await editor.request("agentfs/settle", {"id": halfway, "decision": "rejected"}))["ok"]


@pytest.mark.parametrize(("unsaved", "outcome"), [("", "landed"), ("mine\n", "editor")])
async def test_the_outcome_of_a_batch_is_that_of_what_landed_of_it(
    editor: Editor, root: Path, file: Path, unsaved: str, outcome: str
) -> None:
    editor.open("a.py", TEXT + unsaved)
    await editor.read("a.py")
    writes = [{"tool": "write", "params": {"path": path, "content": "1\n"}} for path in ("b.py", "c.py")]
    operations = [{"tool": "edit", "params": EDIT}, *writes]
    answer = editor.start("agentfs/batch", {"operations": operations, "atomic": False})
    proposal = await editor.proposed()
    uris = {one["path"]: one["uri"] for one in proposal["files"]}
    await editor.settle(proposal, files=[{"uri": uris["b.py"], "decision": "rejected"}])
    results = {one["path"]: one["status"] for one in (await answer)["data"]["results"]}
    assert (results["b.py"], results["c.py"]) == ("error", "success")
    assert (await editor.seen("agentfs/settled"))["outcome"] == outcome
    assert not (root / "b.py").exists()


# --- edits that are no question ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("save", "unsaved", "landing"),
    [
        ("auto", "", "disk"),
        ("auto", "mine\n", "editor"),
        ("always", "mine\n", "disk"),
        ("never", "", "editor"),
    ],
)
async def test_the_setting_says_which_documents_the_client_saves(
    root: Path, file: Path, save: str, unsaved: str, landing: str
) -> None:
    options = {"approval": {"mode": "auto_edit"}, "save": save}
    async with editing(root, capabilities=REVIEW, options=options) as editor:

        def applied(params: Message) -> Message:
            done = editor.apply(params["edit"])
            if landing == "disk":
                editor.save("a.py")
            return {"applied": done}

        editor.answers["workspace/applyEdit"] = applied
        document = editor.open("a.py", TEXT + unsaved)
        answer = await edited(editor)
        assert answer["data"]["landing"] == landing
        assert document.text == CHANGED + unsaved


# --- the state of documents -------------------------------------------------------------------------------


async def dirty(editor: Editor) -> bool:
    answer = await editor.read("a.py")
    assert answer["data"]["source"] == "editor"
    told: bool = answer["data"]["dirty"]
    return told


async def test_the_state_of_a_document_counts_from_opening_to_next_save(editor: Editor, file: Path) -> None:
    def tell(**state: Any) -> None:
        editor.notify("agentfs/documentState", {"uri": file.as_uri(), **state})

    tell(dirty=True)  # of a closed document
    editor.open("a.py")
    assert not await dirty(editor)
    tell(dirty=True)
    assert await dirty(editor)
    proposal, answer = await asked(editor)
    assert (await editor.settle(proposal))["applied"] == {"ok": True, "save": []}
    assert (await answer)["data"]["landing"] == "editor"
    editor.save("a.py")
    assert not await dirty(editor)
    editor.change("a.py", TEXT + "mine\n")
    tell(dirty=False)  # buffer and disk are checked anyway
    assert await dirty(editor)
    editor.save("a.py")
    tell(dirty=True)
    editor.close("a.py")
    editor.open("a.py")
    assert not await dirty(editor)
