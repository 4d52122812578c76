"""A client that reviews: docs/protocol.md#91-review-clients, step by step, through the real process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.editor import NO_ANSWER, REVIEW, RpcError, editing

if TYPE_CHECKING:
    from pathlib import Path

PENDING = {"applied": False, "failureReason": "agentfs:pending"}


@pytest.fixture
def file(root: Path) -> Path:
    path = root / "a.py"
    path.write_text("one\ntwo\nthree\n")
    return path


async def test_accepting_a_closed_file_writes_exactly_what_was_shown(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start(
            "agentfs/edit",
            {
                "path": "a.py",
                "old_string": "two",
                "new_string": "2",
                "agent": "Ada",
                "explanation": "shorter",
            },
        )
        proposal = await editor.proposed()
        assert proposal["title"] == "Edit a.py (+1/-1)"
        assert (proposal["agent"], proposal["explanation"]) == ("Ada", "shorter")
        [shown] = proposal["files"]
        assert (shown["base_text"], shown["proposed_text"]) == ("one\ntwo\nthree\n", "one\n2\nthree\n")
        assert file.read_text() == "one\ntwo\nthree\n"
        steps = await editor.settle(proposal)
        answer = await asked
    assert steps["settle"] == {"ok": True, "apply": None}
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == (
        "success",
        True,
        "disk",
    )
    assert answer["data"]["review"]["decision"] == "accepted"
    assert file.read_text() == "one\n2\nthree\n"
    assert sorted(path.name for path in root.iterdir()) == ["a.py"]


async def test_accepting_an_open_clean_file_applies_and_saves_in_the_editor(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        editor.open("a.py")
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        steps = await editor.settle(await editor.proposed())
        answer = await asked
    assert steps["applied"] == {"ok": True, "save": [file.as_uri()]}
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")
    assert file.read_text() == "one\n2\nthree\n"


async def test_an_open_dirty_file_waits_unsaved_in_the_editor(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        editor.open("a.py", "one\ntwo\nthree\nmine\n")
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        steps = await editor.settle(await editor.proposed())
        answer = await asked
    assert steps["applied"] == {"ok": True, "save": []}
    assert (answer["status"], answer["data"]["applied"], answer["data"]["landing"]) == (
        "partial",
        False,
        "editor",
    )
    assert file.read_text() == "one\ntwo\nthree\n"


async def test_a_rejection_carries_the_users_words(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: NO_ANSWER}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        await editor.settle(await editor.proposed(), "rejected", feedback="keep two")
        answer = await asked
        assert (await editor.seen("agentfs/settled"))["outcome"] == "rejected"
    assert answer["error"]["code"] == "USER_REJECTED"
    assert "keep two" in answer["text"]
    assert answer["context"]["review"]["feedback"] == "keep two"
    assert file.read_text() == "one\ntwo\nthree\n"


async def test_an_amended_text_lands_instead_and_the_agent_is_told(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        proposal = await editor.proposed()
        files = [{"uri": file.as_uri(), "decision": "amended", "text": "one\nTWO\nthree\n"}]
        await editor.settle(proposal, "amended", files=files)
        answer = await asked
    assert answer["data"]["review"]["decision"] == "amended"
    assert "-2\n+TWO\n" in answer["data"]["review"]["amendments"]
    assert file.read_text() == "one\nTWO\nthree\n"


async def test_an_applied_true_without_a_settle_approves_nothing(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: {"applied": True}}
    ) as editor:
        await editor.read("a.py")
        answer = await editor.edit("a.py", "two", "2")
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == "one\ntwo\nthree\n"


async def test_cancelling_withdraws_the_proposal(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: NO_ANSWER}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        proposal = await editor.proposed()
        editor.cancel(asked)
        with pytest.raises(RpcError) as refused:
            await asked
        assert refused.value.code == -32800
        assert (await editor.seen("agentfs/settled"))["outcome"] == "withdrawn"
        held = await editor.seen_message("workspace/applyEdit")
        assert (await editor.seen("$/cancelRequest"))["id"] == held["id"]
        late = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    assert (late["ok"], late["code"]) == (False, "WITHDRAWN")
    assert file.read_text() == "one\ntwo\nthree\n"


async def test_a_change_on_disk_during_the_review_is_a_conflict(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        proposal = await editor.proposed()
        file.write_text("one\ntwo\nthree\nfour\n")
        steps = await editor.settle(proposal)
        answer = await asked
    assert (steps["settle"]["ok"], steps["settle"]["code"]) == (False, "CONFLICT")
    assert answer["error"]["code"] == "CONFLICT"
    assert "+four" in answer["context"]["conflict"]["diff_since_read"]
    assert file.read_text() == "one\ntwo\nthree\nfour\n"


async def test_always_lets_the_rest_of_the_session_through(root: Path, file: Path) -> None:
    async with editing(
        root, capabilities=REVIEW, answers={"workspace/applyEdit": lambda _: PENDING}
    ) as editor:
        await editor.read("a.py")
        asked = editor.start("agentfs/edit", {"path": "a.py", "old_string": "two", "new_string": "2"})
        await editor.settle(await editor.proposed(), always=True)
        await asked
        second = await editor.edit("a.py", "three", "3")
        assert second["data"]["review"]["decision"] == "allowed"
        other = editor.start("agentfs/read", {"path": "a.py", "session": "other"})
        await other
        waiting = editor.start(
            "agentfs/edit", {"path": "a.py", "old_string": "one", "new_string": "1", "session": "other"}
        )
        await editor.seen("agentfs/proposed", 2)
        editor.cancel(waiting)
        with pytest.raises(RpcError):
            await waiting
    assert file.read_text() == "one\n2\n3\n"
