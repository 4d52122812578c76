"""Reviews and landings when the client shuts down, disappears, or closes the folder
(docs/protocol.md#1-start-and-transport, docs/protocol.md#91-review-clients)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from support.editor import APPLY, NO_ANSWER, REVIEWING, Editor, change_folder, editing
from support.sample import CHANGED, EDIT, asked, report


@pytest_asyncio.fixture
async def editor(root: Path) -> AsyncIterator[Editor]:
    async with editing(root, **REVIEWING) as editor:
        yield editor


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
async def test_a_folder_closed_behind_a_yes_lands(
    editor: Editor, root: Path, file: Path, is_open: bool
) -> None:
    if is_open:
        editor.open("a.py")
    proposal, answer = await asked(editor)
    with editor.in_one_piece():
        settled = editor.start("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        change_folder(editor, root, opened=False)
    to_apply = (await settled)["apply"]
    if is_open:
        assert editor.apply(to_apply)
        assert (await report(editor, proposal, "applied", a=True))["ok"]
        editor.save("a.py")
        await report(editor, proposal, "saved", a=True)
    assert (await answer)["data"]["landing"] == "disk"
    assert file.read_text() == CHANGED
    assert (await editor.read(str(file)))["error"]["code"] == "ACCESS_DENIED"
    change_folder(editor, root, opened=True)
    assert (await editor.request("agentfs/edit", {**EDIT, "old_string": "2"}))["text"].startswith(
        "Read the file first."
    )


async def test_a_queued_proposal_withdrawn_has_no_review(editor: Editor, root: Path, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    _, shown = await asked(editor)
    queued = editor.start("agentfs/edit", EDIT)
    await editor.request("agentfs/status", {})
    change_folder(editor, root, opened=False)
    told = await queued
    assert (await shown)["context"]["review"]["rung"] == "review"
    assert "folder was closed" in told["text"]
    assert "review" not in told["context"]


async def test_a_settle_counts_though_the_client_leaves_right_behind_it(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    proposal, _ = await asked(editor)
    editor.start("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    assert editor.process.stdin is not None
    editor.process.stdin.close()
    await editor.ended()
    assert file.read_text() == CHANGED
