"""From the settle to the saved file with a review client
(docs/protocol.md#91-review-clients, steps 3 to 5)."""

from pathlib import Path
from typing import Any

import pytest

from support.editor import REVIEWING, Editor, editing
from support.sample import CHANGED, EDIT, TEXT, asked, settle
from support.sharing import in_module, shared
from support.wire import Message

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def report(editor: Editor, proposal: Message, **told: Any) -> Message:
    """Send agentfs/applied or agentfs/saved, depending on `told`."""
    [(name, done)] = told.items()
    files = [{"uri": editor.uri("a.py"), name: done, "reason": "the user's disk is full"}]
    return await editor.request(f"agentfs/{name}", {"id": proposal["id"], "files": files})


async def test_accepting_a_closed_file_writes_what_was_shown(editor: Editor, root: Path, file: Path) -> None:
    proposal, answer = await asked(editor)
    [shown] = proposal["files"]
    assert (shown["base_text"], shown["proposed_text"]) == (TEXT, CHANGED)
    assert file.read_text() == TEXT
    await editor.settle(proposal)
    assert (await answer)["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED
    assert [path.name for path in root.iterdir()] == ["a.py"]


async def test_a_document_with_text_that_its_encoding_cannot_hold_is_changed(
    editor: Editor, root: Path
) -> None:
    """As VS Code decodes EUC-JP: it knows more characters than Python."""
    (root / "a.py").write_bytes(b"\xa1\xc1\ntwo\n")
    document = editor.open("a.py", "～\ntwo\n")
    editor.notify("agentfs/documentState", {"uri": document.uri, "dirty": False, "encoding": "eucjp"})
    proposal, answer = await asked(editor)
    await editor.settle(proposal)
    assert (await answer)["data"]["landing"] == "editor"
    assert document.text == "～\n2\n"


async def test_a_change_on_disk_during_the_review_is_a_conflict(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    file.write_text(TEXT + "four\n")
    assert (await settle(editor, proposal))["code"] == "CONFLICT"
    assert "+four" in (await answer)["context"]["conflict"]["diff_since_read"]
    assert file.read_text() == TEXT + "four\n"


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("moved", ["folder/a.py", "folder"])
async def test_a_link_in_its_place_is_a_conflict(
    editor: Editor, root: Path, moved: str, is_open: bool
) -> None:
    path = root / "folder" / "a.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    if is_open:
        editor.open("folder/a.py")
    await editor.read("folder/a.py")
    answer = editor.start("agentfs/edit", EDIT | {"path": "folder/a.py"})
    proposal = await editor.proposed()
    (root / moved).rename(root / "moved")
    (root / moved).symlink_to(root / "moved")
    settled = await settle(editor, proposal)
    assert settled["code"] == (await answer)["error"]["code"] == "CONFLICT"
    assert "during the review" in (await answer)["text"]
    assert path.read_text() == TEXT


async def test_unsaved_work_dropped_while_it_was_reviewed_is_a_conflict(editor: Editor, file: Path) -> None:
    editor.open("a.py", TEXT + "mine\n")
    proposal, answer = await asked(editor)
    editor.close("a.py")
    assert (await settle(editor, proposal))["code"] == "CONFLICT"
    assert (await answer)["error"]["code"] == "CONFLICT"
    assert file.read_text() == TEXT


async def test_applying_too_late_is_to_be_reverted(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        document = editor.open("a.py")
        proposal, answer = await asked(editor)
        settled = await settle(editor, proposal)
        await editor.time_out()
        assert (await answer)["error"]["code"] == "EXECUTION_ERROR"
        assert editor.apply(settled["apply"])
        refused = await report(editor, proposal, applied=True)
        assert (refused["ok"], refused["code"]) == (False, "EXECUTION_ERROR")
        assert editor.apply(refused["revert"])
    assert document.text == file.read_text() == TEXT


async def test_a_report_that_is_not_true_lands_nothing(root: Path, file: Path) -> None:
    async with editing(root, **REVIEWING) as editor:
        editor.open("a.py")
        proposal, answer = await asked(editor)
        await settle(editor, proposal)
        refused = await editor.in_vain(report(editor, proposal, applied=True))
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


@pytest.mark.parametrize(("said", "save_s"), [(False, 600), (True, 0.1), (None, 0.1)])
async def test_a_reported_save_must_be_on_disk(
    root: Path, file: Path, said: bool | None, save_s: float
) -> None:
    """Nor is one that failed waited for."""
    async with editing(root, **REVIEWING, options={"save_timeout_s": save_s}) as editor:
        document = editor.open("a.py")
        proposal, answer = await asked(editor)
        editor.apply((await settle(editor, proposal))["apply"])
        assert (await report(editor, proposal, applied=True))["save"] == [file.as_uri()]
        if said is not None:
            await report(editor, proposal, saved=said)
        told = await answer
    assert (told["status"], told["data"]["applied"], told["data"]["landing"]) == ("partial", False, "editor")
    assert (document.text, file.read_text()) == (CHANGED, TEXT)


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


async def test_no_folder_is_made_before_the_yes_or_left_after_a_no(editor: Editor, root: Path) -> None:
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
