"""Edits that the editor applies, or reports, after `landing_timeout_s`: the response does not exclude them,
and history records them (docs/protocol.md#9-review-and-landing, docs/protocol.md#11-history-and-undo)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.client import TIMEOUT_S
from support.editor import APPLY, ASK, AUTO, NO_ANSWER, Editor, configure, editing
from support.operations import edits
from support.personas import pressing
from support.sample import TEXT, edited
from support.wire import Message

CHANGED = TEXT.replace("two", "2")
OPERATIONS = [edits(path, "two", "2") for path in ("a.py", "b.py")]


@pytest.fixture
async def editor(root: Path) -> AsyncIterator[Editor]:
    async with editing(root, options=AUTO) as editor:
        for name in ("a.py", "b.py"):
            (root / name).write_text(TEXT)
            editor.open(name)
            await editor.read(name)
        yield editor


def applying_unreported(editor: Editor) -> None:
    """Applies edits at once, but reports them only with `catch_up`, like eglot with the next key."""
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"], tell=False)}


async def asked(editor: Editor, request: Any, edits: int = 1) -> Message:
    """The response to a request whose last edit times out."""
    answer = await editor.in_vain(request, edits)
    assert (answer["error"]["code"], answer["context"]["landing"]) == ("EXECUTION_ERROR", "unknown")
    assert "Nothing was changed." not in answer["text"]
    assert "Read the file before you continue." in answer["text"]
    return answer


async def recorded(editor: Editor) -> Message:
    """The first change in history, once there is one."""
    async with asyncio.timeout(TIMEOUT_S):
        while not (changes := (await editor.request("agentfs/history"))["data"]["changes"]):
            pass
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    first: Message = changes[0]
    return first


def text_of(editor: Editor, path: str) -> str:
    return editor.documents[editor.uri(path)].text


async def opened_anew(editor: Editor, path: str) -> None:
    """The editor closes a document and opens it again, with its first version."""
    with editor.in_one_piece():
        editor.close(path)
        editor.open(path)
    await editor.request("agentfs/status")


@pytest.mark.parametrize("typed", ["", "mine\n"])
async def test_what_is_said_to_be_applied_and_not_reported_may_be_there(editor: Editor, typed: str) -> None:
    applying_unreported(editor)
    answer = await asked(editor, editor.edit("a.py", "two", "2"))
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    assert (await editor.undo())["error"]["code"] == "NOT_FOUND"
    editor.change("a.py", text_of(editor, "a.py") + typed)
    change = await recorded(editor)
    assert (change["decision"], change["files"][0]["path"]) == ("allowed", "a.py")
    assert (await editor.undo())["data"]["undone"] == change["change_id"]
    assert text_of(editor, "a.py") == TEXT + typed


async def test_each_file_of_a_batch_that_is_reported_late_is_a_change_of_its_own(editor: Editor) -> None:
    applying_unreported(editor)
    answer = await asked(editor, editor.request("agentfs/batch", {"operations": OPERATIONS}), 2)
    assert [one["path"] for one in answer["context"]["files"]] == ["a.py", "b.py"]
    for name in ("a.py", "b.py"):
        editor.catch_up(name)
        change = await recorded(editor)
        assert [one["path"] for one in change["files"]] == [name]
        assert (await editor.undo())["data"]["undone"] == change["change_id"]
        assert text_of(editor, name) == TEXT


async def test_an_edit_never_answered_may_still_be_applied(editor: Editor) -> None:
    """Of a batch, only the file whose edit was sent."""
    editor.answers[APPLY] = lambda _: NO_ANSWER
    answer = await asked(editor, editor.request("agentfs/batch", {"operations": OPERATIONS}))
    assert answer["context"]["files"] == [{"path": "a.py", "landing": "editor"}]
    assert editor.apply((await editor.seen(APPLY))["edit"])
    assert [one["path"] for one in (await recorded(editor))["files"]] == ["a.py"]
    await editor.undo()
    assert text_of(editor, "a.py") == text_of(editor, "b.py") == TEXT


async def test_a_refused_edit_is_not_told_as_late_beside_one_never_answered(editor: Editor) -> None:
    editor.answers[APPLY] = lambda _: {"applied": False} if len(editor.all(APPLY)) == 1 else NO_ANSWER
    answer = await asked(editor, editor.request("agentfs/batch", {"operations": OPERATIONS}), 2)
    assert answer["context"]["files"] == [{"path": "b.py", "landing": "editor"}]
    assert "the editor did not report it in time, and may still apply it" in answer["text"]


async def test_what_arrives_beside_a_file_that_landed_is_a_change_of_its_own(editor: Editor) -> None:
    editor.answers[APPLY] = lambda params: (
        NO_ANSWER if len(editor.all(APPLY)) == 2 else {"applied": editor.apply(params["edit"])}
    )
    params = {"operations": OPERATIONS, "atomic": False}
    answer = await editor.in_vain(editor.request("agentfs/batch", params), 2)
    assert [one["landing"] for one in answer["data"]["results"]] == ["editor", "unknown"]
    assert editor.apply((await editor.seen(APPLY, 2))["edit"])
    async with asyncio.timeout(TIMEOUT_S):
        while (await recorded(editor))["change_id"] == answer["data"]["change_id"]:
            pass
    await editor.undo()
    assert (text_of(editor, "a.py"), text_of(editor, "b.py")) == (CHANGED, TEXT)


async def test_no_edit_is_sent_while_an_earlier_one_may_still_come(editor: Editor) -> None:
    """Editors apply a version's second edit where the first has moved the lines, or the same one twice."""
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    await editor.read("a.py")
    for _ in range(2):
        answer = await editor.edit("a.py", "two", "2")
        assert answer["text"].endswith("Nothing was changed. Ask the user before you try again.")
        assert "the editor has not reported what became of an earlier change" in answer["text"]
    assert editor.apply((await editor.seen(APPLY))["edit"])
    await recorded(editor)
    assert len((await editor.request("agentfs/history"))["data"]["changes"]) == 1
    assert text_of(editor, "a.py") == CHANGED
    await editor.read("a.py")
    assert (await editor.edit("a.py", "three", "3"))["status"] == "partial"


async def test_an_edit_never_answered_may_still_come_when_the_document_is_opened_anew(editor: Editor) -> None:
    """Neovim applies it once the user has answered its prompt, perhaps by reloading the file."""
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    await opened_anew(editor, "a.py")
    await editor.read("a.py")
    assert "the editor has not reported" in (await editor.edit("a.py", "three", "3"))["text"]
    assert editor.apply((await editor.seen(APPLY))["edit"])
    change = await recorded(editor)
    assert (await editor.undo())["data"]["undone"] == change["change_id"]
    assert text_of(editor, "a.py") == TEXT


async def test_no_edit_is_sent_if_the_document_is_opened_anew_during_the_review(editor: Editor) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    editor.close("a.py")
    await editor.read("a.py")

    def approve(params: Message) -> object:
        if editor.uri("a.py") not in editor.documents:
            editor.open("a.py")
        return pressing("Approve")(params)

    editor.answers[ASK] = approve
    configure(editor, approval={"mode": "manual"})
    assert "the editor has not reported" in (await editor.edit("a.py", "three", "3"))["text"]
    assert editor.apply((await editor.seen(APPLY))["edit"])
    await recorded(editor)
    assert text_of(editor, "a.py") == CHANGED


async def test_no_edit_is_sent_while_a_rollback_may_still_come(editor: Editor) -> None:
    """Of a batch, whose second edit is not answered either."""
    editor.answers[APPLY] = lambda params: (
        {"applied": editor.apply(params["edit"])} if len(editor.all(APPLY)) == 1 else NO_ANSWER
    )
    answer = editor.start("agentfs/batch", {"operations": OPERATIONS})
    await editor.seen(APPLY, 2)
    await editor.time_out()
    assert len((await asked(editor, answer, 3))["context"]["files"]) == 2
    await editor.read("a.py")
    assert "the editor has not reported" in (await editor.edit("a.py", "three", "3"))["text"]
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    assert editor.apply((await editor.seen(APPLY, 3))["edit"])
    await editor.read("a.py")
    assert (await editor.edit("a.py", "three", "3"))["status"] == "partial"
    assert text_of(editor, "a.py") == TEXT.replace("three", "3")


async def test_no_edit_is_sent_while_one_of_an_unreadable_file_may_still_come(root: Path) -> None:
    """Whether or not the session has guessed the text."""
    (root / "a.py").write_text(TEXT)
    options = {**AUTO, "rules": [{"files": ["a.py"], "read": "deny", "write": "allow"}]}
    async with editing(root, options=options, answers={APPLY: lambda _: NO_ANSWER}) as editor:
        editor.open("a.py")
        for number, text in enumerate((TEXT, CHANGED), 1):
            await asked(editor, editor.write("a.py", text), number)
            assert "the editor has not reported" in (await editor.write("a.py", "x\n"))["text"]
            edit = await editor.seen_message(APPLY, number)
            editor.apply(edit["params"]["edit"])
            editor.send({"jsonrpc": "2.0", "id": edit["id"], "result": {"applied": True}})
        assert text_of(editor, "a.py") == CHANGED


async def test_an_edit_reported_while_a_batch_lands_without_its_file_is_recorded(editor: Editor) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("b.py", "two", "2"))
    await editor.read("b.py")
    batch = editor.start("agentfs/batch", {"operations": OPERATIONS, "atomic": False})
    await editor.seen(APPLY, 2)
    assert editor.apply((await editor.seen(APPLY))["edit"])
    assert [one["path"] for one in (await recorded(editor))["files"]] == ["b.py"]
    await editor.in_vain(batch, 2)


async def test_an_edit_repeated_on_disk_is_not_the_one_never_answered(editor: Editor) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    editor.close("a.py")
    repeated = await edited(editor)
    editor.open("a.py")
    editor.change("a.py", f"{CHANGED}mine\n")
    await editor.read("a.py")
    await editor.in_vain(editor.edit("a.py", "three", "3"), 2)
    assert (await recorded(editor))["change_id"] == repeated["data"]["change_id"]


async def test_an_unreported_edit_is_gone_when_the_document_is_opened_anew(editor: Editor) -> None:
    editor.answers[APPLY] = lambda _: {"applied": True}
    answer = asyncio.ensure_future(editor.edit("a.py", "two", "2"))
    await editor.seen(APPLY)
    await opened_anew(editor, "a.py")
    await editor.time_out()
    assert "Nothing was changed." in (await answer)["text"]
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    assert (await edited(editor))["status"] == "partial"


async def test_an_edit_reported_saved_and_closed_at_once_is_recorded(editor: Editor) -> None:
    applying_unreported(editor)
    await asked(editor, editor.edit("a.py", "two", "2"))
    with editor.in_one_piece():
        editor.catch_up("a.py")
        editor.save("a.py")
        editor.close("a.py")
    change = await recorded(editor)
    assert (await editor.undo())["data"]["undone"] == change["change_id"]
    assert (editor.root / "a.py").read_text() == TEXT


async def test_only_the_next_version_is_searched_for_the_edit(editor: Editor) -> None:
    """What the user types after it is the user's, even if the server reads both at once."""
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    with editor.in_one_piece():
        editor.change("a.py", f"{TEXT}x")
        editor.change("a.py", CHANGED)
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    await editor.edit("b.py", "two", "2")
    (change,) = (await editor.request("agentfs/history"))["data"]["changes"]
    assert [one["path"] for one in change["files"]] == ["b.py"]


async def test_no_number_of_unreported_edits_and_no_time_lets_others_through(editor: Editor) -> None:
    names = [f"{number}.py" for number in range(17)]
    for name in names:
        (editor.root / name).write_text(TEXT)
        editor.open(name)
        await editor.read(name)
    applying_unreported(editor)
    await editor.in_vain(asyncio.gather(*(editor.edit(name, "two", "2") for name in names)), len(names))
    await editor.time_out()
    for name in names:
        await editor.read(name)
        assert "the editor has not reported" in (await editor.edit(name, "three", "3"))["text"]
    editor.close(names[0])
    await editor.read(names[0])
    assert (await editor.edit(names[0], "two", "2"))["status"] == "success"
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    await opened_anew(editor, names[1])
    await editor.read(names[1])
    assert (await editor.edit(names[1], "three", "3"))["status"] == "partial", (
        "the other went with the document"
    )


@pytest.mark.parametrize(
    "late", [{"result": {"applied": False}}, {"error": {"code": -32603, "message": "User cancelled"}}]
)
async def test_a_late_no_lets_other_edits_through(editor: Editor, late: Message) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    await asked(editor, editor.edit("a.py", "two", "2"))
    await editor.read("a.py")
    editor.answers[APPLY] = lambda params: {"applied": editor.apply(params["edit"])}
    editor.send({"jsonrpc": "2.0", "id": (await editor.seen_message(APPLY))["id"], **late})
    answer = await editor.edit("a.py", "three", "3")
    (change,) = (await editor.request("agentfs/history"))["data"]["changes"]
    assert change["change_id"] == answer["data"]["change_id"]


async def test_nobody_reviews_what_could_not_land(editor: Editor) -> None:
    applying_unreported(editor)
    await asked(editor, editor.edit("a.py", "two", "2"))
    await editor.read("a.py")
    editor.answers[ASK] = pressing("Reject")
    configure(editor, approval={"mode": "manual"})
    answer = await editor.edit("a.py", "two", "2")
    assert "the editor has not reported what became of an earlier change" in answer["text"]
    assert editor.all(ASK) == []
