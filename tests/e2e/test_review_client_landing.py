"""From the settle to the saved file with a review client
(docs/protocol.md#91-review-clients, steps 3 to 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.editor import REVIEWING, Editor, editing
from support.sample import CHANGED, TEXT, asked, settle
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def report(editor: Editor, proposal: Message, **told: Any) -> Message:
    """agentfs/applied or agentfs/saved, whichever `told` has."""
    [(name, done)] = told.items()
    files = [{"uri": editor.uri("a.py"), name: done, "reason": "the user's disk is full"}]
    return await editor.request(f"agentfs/{name}", {"id": proposal["id"], "files": files})


async def test_opened_while_it_was_reviewed_it_lands_in_the_editor(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    assert proposal["files"][0]["version"] is None
    document = editor.open("a.py")
    steps = await editor.settle(proposal)
    assert steps["settle"]["apply"]["documentChanges"][0]["textDocument"]["version"] == 1
    assert (await answer)["data"]["landing"] == "disk"
    assert document.text == file.read_text() == CHANGED


async def test_closed_while_it_was_reviewed_it_lands_on_disk(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    editor.close("a.py")
    assert await settle(editor, proposal) == {"ok": True, "apply": None}
    assert (await answer)["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED


async def test_typing_while_it_was_reviewed_is_a_conflict(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    editor.change("a.py", TEXT + "mine\n")
    refused = await settle(editor, proposal)
    told = await answer
    assert (refused["ok"], refused["code"]) == (False, "CONFLICT")
    assert "'a.py' was changed in the editor" in refused["reason"]
    assert told["context"]["conflict"]["source"] == "editor"
    assert file.read_text() == TEXT


async def test_unsaved_work_dropped_while_it_was_reviewed_is_a_conflict(editor: Editor, file: Path) -> None:
    editor.open("a.py", TEXT + "mine\n")
    proposal, answer = await asked(editor)
    editor.close("a.py")
    assert (await settle(editor, proposal))["code"] == "CONFLICT"
    assert (await answer)["error"]["code"] == "CONFLICT"
    assert file.read_text() == TEXT


async def test_a_save_and_a_touch_while_it_was_reviewed_are_no_conflict(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    editor.save("a.py")
    file.touch()
    await editor.settle(proposal)
    assert (await answer)["status"] == "success"


async def test_a_refusal_to_apply_ends_it_and_there_is_nothing_to_take_back(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    await settle(editor, proposal)
    refused = await report(editor, proposal, applied=False)
    told = await answer
    assert (refused["ok"], refused["code"], refused["revert"]) == (False, "EXECUTION_ERROR", None)
    assert "disk is full" in refused["reason"]
    assert told["error"]["code"] == "EXECUTION_ERROR"
    assert file.read_text() == TEXT


async def test_applying_too_late_is_to_be_taken_back(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING, options={"landing_timeout_s": 0.1}) as editor:
        document = editor.open("a.py")
        proposal, answer = await asked(editor)
        settled = await settle(editor, proposal)
        assert (await answer)["error"]["code"] == "EXECUTION_ERROR"
        assert editor.apply(settled["apply"])
        refused = await report(editor, proposal, applied=True)
        assert (refused["ok"], refused["code"]) == (False, "EXECUTION_ERROR")
        assert editor.apply(refused["revert"])
    assert document.text == file.read_text() == TEXT


async def test_a_report_that_is_not_true_lands_nothing(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING, options={"landing_timeout_s": 0.1}) as editor:
        editor.open("a.py")
        proposal, answer = await asked(editor)
        await settle(editor, proposal)
        refused = await report(editor, proposal, applied=True)
        told = await answer
    assert (refused["ok"], refused["code"], refused["revert"]) == (False, "EXECUTION_ERROR", None)
    assert told["error"]["code"] == "EXECUTION_ERROR"
    assert file.read_text() == TEXT


async def test_a_report_of_another_file_only_is_no_report_of_this(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    await settle(editor, proposal)
    refused = await editor.request("agentfs/applied", {"id": proposal["id"], "files": []})
    assert (refused["ok"], refused["code"]) == (False, "EXECUTION_ERROR")
    assert (await answer)["error"]["code"] == "EXECUTION_ERROR"


async def test_a_save_that_failed_is_not_waited_for(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING, options={"save_timeout_s": 600}) as editor:
        document = editor.open("a.py")
        proposal, answer = await asked(editor)
        editor.apply((await settle(editor, proposal))["apply"])
        assert (await report(editor, proposal, applied=True))["save"] == [file.as_uri()]
        await report(editor, proposal, saved=False)
        told = await answer
    assert (told["status"], told["data"]["landing"]) == ("partial", "editor")
    assert (document.text, file.read_text()) == (CHANGED, TEXT)


@pytest.mark.parametrize("said", [True, None])
async def test_a_save_that_is_not_on_disk_is_none(root: Path, file: Path, said: bool | None) -> None:
    async with editing(root, **REVIEWING, options={"save_timeout_s": 0.1}) as editor:
        editor.open("a.py")
        proposal, answer = await asked(editor)
        editor.apply((await settle(editor, proposal))["apply"])
        await report(editor, proposal, applied=True)
        if said:
            await report(editor, proposal, saved=said)
        told = await answer
    assert (told["status"], told["data"]["applied"], told["data"]["landing"]) == ("partial", False, "editor")
    assert file.read_text() == TEXT


async def test_a_formatter_on_save_is_told_as_on_save(editor: Editor, file: Path) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    editor.apply((await settle(editor, proposal))["apply"])
    await report(editor, proposal, applied=True)
    editor.change("a.py", CHANGED.replace("2", "2  # formatted"))
    editor.save("a.py")
    await report(editor, proposal, saved=True)
    told = await answer
    assert told["data"]["landing"] == "disk"
    assert told["data"]["review"]["decision"] == "accepted"
    assert "+2  # formatted" in told["data"]["review"]["on_save"]


@pytest.mark.parametrize(
    ("client", "options"),
    [
        ({"review": True}, {}),
        ({"review": True, "save": False}, {"save": "always"}),
        ({"review": True, "save": True}, {"save": "never"}),
    ],
)
async def test_where_nothing_is_saved_the_client_is_told_to_save_nothing(
    root: Path, file: Path, client: Message, options: Message
) -> None:
    declared = REVIEWING | {"capabilities": {"experimental": {"agentfs": client}}}
    async with editing(root, **declared, options=options) as editor:
        editor.open("a.py")
        proposal, answer = await asked(editor)
        steps = await editor.settle(proposal)
        assert steps["applied"] == {"ok": True, "save": []}
        assert (await answer)["data"]["landing"] == "editor"


async def test_save_always_saves_what_the_user_had_not_saved(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING, options={"save": "always"}) as editor:
        editor.open("a.py", TEXT + "mine\n")
        proposal, answer = await asked(editor)
        await editor.settle(proposal)
        assert (await answer)["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED + "mine\n"


async def test_no_folder_is_made_before_the_yes_and_none_is_left_after_a_no(
    editor: Editor, root: Path
) -> None:
    for number, decision in enumerate(("rejected", "accepted"), start=1):
        future = editor.start("agentfs/write", {"path": "new/deep/a.py", "content": "x\n"})
        proposal = await editor.proposed(number)
        assert proposal["files"][0]["operation"] == "create"
        assert proposal["files"][0]["base_hash"] is None
        assert list(root.iterdir()) == []
        await editor.settle(proposal, decision)
        await future
        assert (root / "new").exists() == (decision == "accepted")
    assert (root / "new" / "deep" / "a.py").read_text() == "x\n"
