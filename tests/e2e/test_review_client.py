"""A client that reviews: docs/protocol.md#91-review-clients, step by step, through the real process."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.editor import APPLY, NO_ANSWER, REVIEWING, Editor, RpcError, editing
from support.sample import CHANGED, TEXT, asked, edited, settle
from support.sharing import in_module, shared

pytestmark = in_module
server, root, editor = shared(lambda root: editing(root, **REVIEWING))


async def test_accepting_a_closed_file_writes_exactly_what_was_shown(
    editor: Editor, root: Path, file: Path
) -> None:
    proposal, answer = await asked(editor, agent="Ada", explanation="shorter")
    assert proposal["title"] == "Edit a.py (+1/-1)"
    assert (proposal["agent"], proposal["explanation"]) == ("Ada", "shorter")
    [shown] = proposal["files"]
    assert (shown["base_text"], shown["proposed_text"]) == (TEXT, CHANGED)
    assert file.read_text() == TEXT
    steps = await editor.settle(proposal)
    told = await answer
    assert steps["settle"] == {"ok": True, "apply": None}
    assert told["status"] == "success"
    assert (told["data"]["applied"], told["data"]["landing"]) == (True, "disk")
    assert told["data"]["review"]["decision"] == "accepted"
    assert file.read_text() == CHANGED
    assert sorted(path.name for path in root.iterdir()) == ["a.py"]


async def test_accepting_an_open_clean_file_applies_and_saves_in_the_editor(
    editor: Editor, file: Path
) -> None:
    editor.open("a.py")
    proposal, answer = await asked(editor)
    steps = await editor.settle(proposal)
    told = await answer
    assert steps["applied"] == {"ok": True, "save": [file.as_uri()]}
    assert (told["status"], told["data"]["landing"]) == ("success", "disk")
    assert file.read_text() == CHANGED


async def test_an_open_dirty_file_waits_unsaved_in_the_editor(editor: Editor, file: Path) -> None:
    editor.open("a.py", TEXT + "mine\n")
    proposal, answer = await asked(editor)
    steps = await editor.settle(proposal)
    told = await answer
    assert steps["applied"] == {"ok": True, "save": []}
    assert told["status"] == "partial"
    assert (told["data"]["applied"], told["data"]["landing"]) == (False, "editor")
    assert file.read_text() == TEXT


async def test_a_rejection_carries_the_users_words(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    proposal, answer = await asked(editor)
    await editor.settle(proposal, "rejected", feedback="keep two")
    told = await answer
    assert (await editor.seen("agentfs/settled"))["outcome"] == "rejected"
    assert told["error"]["code"] == "USER_REJECTED"
    assert "keep two" in told["text"]
    assert told["context"]["review"]["feedback"] == "keep two"
    assert file.read_text() == TEXT


async def test_an_amended_text_lands_instead_and_the_agent_is_told(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    files = [{"uri": file.as_uri(), "decision": "amended", "text": "one\nTWO\nthree\n"}]
    await editor.settle(proposal, "amended", files=files)
    told = await answer
    assert told["data"]["review"]["decision"] == "amended"
    assert "-2\n+TWO\n" in told["data"]["review"]["amendments"]
    assert file.read_text() == "one\nTWO\nthree\n"


async def test_an_applied_true_without_a_settle_approves_nothing(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: {"applied": True}
    answer = await edited(editor)
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


async def test_cancelling_withdraws_the_proposal(editor: Editor, file: Path) -> None:
    editor.answers[APPLY] = lambda _: NO_ANSWER
    proposal, answer = await asked(editor)
    editor.cancel(answer)
    with pytest.raises(RpcError) as refused:
        await answer
    assert refused.value.code == -32800
    assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
    held = await editor.seen_message(APPLY)
    assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
    late = await settle(editor, proposal)
    assert (late["ok"], late["code"]) == (False, "WITHDRAWN")
    assert file.read_text() == TEXT


async def test_a_change_on_disk_during_the_review_is_a_conflict(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    file.write_text(TEXT + "four\n")
    steps = await editor.settle(proposal)
    told = await answer
    assert (steps["settle"]["ok"], steps["settle"]["code"]) == (False, "CONFLICT")
    assert told["error"]["code"] == "CONFLICT"
    assert "+four" in told["context"]["conflict"]["diff_since_read"]
    assert file.read_text() == TEXT + "four\n"


async def test_always_lets_the_rest_of_the_session_through(editor: Editor, file: Path) -> None:
    proposal, answer = await asked(editor)
    await editor.settle(proposal, always=True)
    await answer
    second = await editor.edit("a.py", "three", "3")
    assert second["data"]["review"]["decision"] == "allowed"
    await editor.read("a.py", session="other")
    waiting = editor.start(
        "agentfs/edit", {"path": "a.py", "old_string": "one", "new_string": "1", "session": "other"}
    )
    await editor.seen("agentfs/proposed", 2)
    editor.cancel(waiting)
    with pytest.raises(RpcError):
        await waiting
    assert file.read_text() == "one\n2\n3\n"
