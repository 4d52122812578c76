"""Reads that need approval: the user sees who wants to read what, and allows it once
(docs/protocol.md#13-settings-and-policy)."""

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import pytest

from support.editor import ASK, NO_ANSWER, REVIEW, REVIEWING, Editor, RpcError, editing
from support.personas import VIM_LSP, VSCODE, answering, pressing
from support.sharing import in_module, shared
from support.wire import Message

SECRET = "TOKEN=hunter2\n"

pytestmark = in_module
server, root, editor = shared(editing)


@pytest.fixture
def env(root: Path) -> Path:
    path = root / ".env"
    path.write_text(SECRET)
    return path


def no_secret_in(answer: Message) -> bool:
    return "hunter2" not in str(answer)


@pytest.mark.parametrize(("capabilities", "questions"), [(None, 2), (REVIEW, 1)])
async def test_once_allows_one_read(
    root: Path, env: Path, capabilities: Message | None, questions: int
) -> None:
    """Where numbers choose, a second question confirms approval; review clients list their questions."""
    async with editing(root, capabilities=capabilities, answers=answering(pressing("Allow once"))) as editor:
        first = await editor.read(".env", agent="Ada")
        question = await editor.seen(ASK)
        await editor.read(".env", agent="other\u202e\n+x")
        second = await editor.seen(ASK, questions + 1)
        await editor.read(".env", session="a-session-id")
        third = await editor.seen(ASK, 2 * questions + 1)
        assert len(editor.all(ASK)) == 3 * questions
    assert first["data"]["content"] == SECRET
    assert [action["title"] for action in question["actions"]] == ["Deny", "Allow once"]
    assert "Ada" in question["message"]
    assert ".env" in question["message"]
    assert r"other\u202e\x0a+x asks" in second["message"]
    assert "An agent asks" in third["message"]


async def test_where_nobody_can_be_asked_the_text_says_what_to_set(editor: Editor, env: Path) -> None:
    answer = await editor.read(".env")
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert "the file was not read" in answer["error"]["message"]
    assert "agentfs.protected" in answer["text"]


async def test_anything_else_is_a_no(editor: Editor, env: Path) -> None:
    odd: list[Any] = [
        None,
        {},
        "Allow once",
        {"title": "allow once"},
        {"title": "Deny"},
        {"title": None},
        True,
    ]
    said = iter(odd)
    editor.answers |= answering(lambda _: next(said))
    for number, _ in enumerate(odd):
        answer = await editor.read(".env", session=f"s{number}")
        assert answer["error"]["code"] == "USER_REJECTED"
        assert no_secret_in(answer)
    editor.answers[ASK] = pressing("Deny")
    asked = len(editor.all(ASK))
    again = await editor.read(".env", session="s6")
    assert "will not be asked again for" in again["text"]
    assert len(editor.all(ASK)) == asked
    written = await editor.write(".env", "TOKEN=x\n")
    assert written["error"]["message"] == "Read the file first."
    assert no_secret_in(written)


async def test_silence_is_a_timeout_and_keeps_no_other_request_waiting(root: Path, env: Path) -> None:
    (root / "a.py").write_text("one\n")
    options = {"approval": {"timeout_s": 0.1}}
    async with editing(root, answers=answering(NO_ANSWER), options=options) as editor:
        reading = editor.start("agentfs/read", {"path": ".env"})
        question = await editor.seen_message(ASK)
        assert (await editor.read("a.py"))["data"]["content"] == "one\n"
        answer = await reading
        assert (await editor.seen("$/cancelRequest"))["id"] == question["id"]
    assert answer["error"]["code"] == "TIMEOUT"


async def test_only_a_question_that_was_asked_and_then_cancelled_counts(root: Path, env: Path) -> None:
    (root / "a.py").write_text("one\n")

    async def cancel(reading: asyncio.Future[Any]) -> None:
        editor.cancel(reading)
        with pytest.raises(RpcError, match="cancel"):
            await reading

    async with VSCODE.editing(root) as editor:
        editor.answers |= answering(NO_ANSWER)
        other = editor.start("agentfs/read", {"path": ".env.other"})
        await editor.seen(ASK)
        waiting = editor.start("agentfs/read", {"path": ".env"})
        await editor.read("a.py")
        await cancel(waiting)
        asked = editor.start("agentfs/read", {"path": ".env"})
        await cancel(other)
        assert "'.env'" in (await editor.seen(ASK, 2))["message"]
        await cancel(asked)
        answer = await editor.read(".env")
        assert len(editor.all(ASK)) == 2
    assert answer["error"]["code"] == "USER_REJECTED"
    assert answer["text"].startswith("An earlier read of '.env' was cancelled before the user answered.")


async def test_where_only_the_first_button_can_be_pressed_it_allows(root: Path, env: Path) -> None:
    async with VIM_LSP.editing(root, "Approve") as editor:
        answer = await editor.read(".env")
        assert (await editor.seen(ASK))["actions"][0]["title"] == "Allow once"
    assert answer["data"]["content"] == SECRET


async def test_a_protected_file_is_asked_for_in_auto_edit_too(root: Path, env: Path) -> None:
    options = {"approval": {"mode": "auto_edit"}}
    async with VSCODE.editing(root, "Allow once", options) as editor:
        await editor.read(".env")
        editor.answers["workspace/applyEdit"] = lambda _: {"applied": False}
        answer = await editor.edit(".env", "hunter2", "hunter3")
    assert answer["error"]["code"] == "USER_REJECTED"
    assert env.read_text() == SECRET


async def test_no_answer_tells_a_guess_at_what_was_never_shown(root: Path) -> None:
    """Neither a hash nor a difference between found and not found, whatever the agent passes or the settings
    omit."""
    path = root / ".env"
    path.write_text(SECRET)
    digest = "sha256:" + hashlib.sha256(SECRET.encode()).hexdigest()
    async with editing(root, options={"require_read": False, "approval": {"mode": "auto_edit"}}) as editor:
        answers = [
            await editor.edit(".env", guess, "x", dry_run=True, **more)
            for guess in ("TOKEN=h", "TOKEN=i")
            for more in ({}, {"expected_hash": digest}, {"expected_size_bytes": 1})
        ]
        answers += [
            await editor.write(".env", guess, overwrite=over)
            for guess in (SECRET, "x\n")
            for over in (True, False)
        ]
        assert not editor.all(ASK)
    assert {answer["text"] for answer in answers} == {"Read the file first. File: '.env'."}
    assert not [answer for answer in answers if "conflict" in answer["context"]]
    assert path.read_text() == SECRET


async def test_what_became_of_a_file_that_was_shown_once_is_not_told(root: Path, env: Path) -> None:
    async with editing(root, answers=answering(pressing("Allow once"))) as editor:
        seen = await editor.read(".env")
        env.write_text("TOKEN=changed\n")
        digest = "sha256:" + hashlib.sha256(b"TOKEN=changed\n").hexdigest()
        answer = await editor.edit(".env", "TOKEN", "T", dry_run=True, expected_hash=digest)
    conflict = answer["context"]["conflict"]
    assert answer["error"]["code"] == "CONFLICT"
    assert conflict["expected"]["hash"] == seen["data"]["hash"]
    assert (conflict["actual"]["hash"], conflict["diff_since_read"]) == (None, None)


async def test_a_batch_of_one_change_tells_no_more_of_the_conflict(root: Path, env: Path) -> None:
    operation = {"tool": "edit", "params": {"path": ".env", "old_string": "TOKEN", "new_string": "T"}}
    reviewing = {**REVIEWING["answers"], **answering(pressing("Allow once"))}
    async with editing(root, capabilities=REVIEWING["capabilities"], answers=reviewing) as editor:
        await editor.read(".env")
        batch = editor.start("agentfs/batch", {"operations": [operation]})
        proposal = await editor.proposed()
        env.write_text("TOKEN=changed\n")
        await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
        answer = await batch
    conflict = answer["context"]["conflict"]
    assert answer["error"]["code"] == "CONFLICT"
    assert (conflict["actual"]["hash"], conflict["diff_since_read"]) == (None, None)


async def test_history_does_not_count_the_lines_of_a_version_not_shown(root: Path, env: Path) -> None:
    answers = {**REVIEWING["answers"], **answering(pressing("Allow once"))}
    async with editing(root, capabilities=REVIEWING["capabilities"], answers=answers) as editor:
        for more in ({}, {"session": "another"}):
            await editor.read(".env", **more)
        edit = editor.start(
            "agentfs/edit", {"path": ".env", "old_string": "T", "new_string": "t", "session": "another"}
        )
        files = [{"uri": editor.uri(".env"), "decision": "amended", "text": "A=1\nB=2\n" + SECRET}]
        await editor.settle(await editor.proposed(), "accepted", files=files)
        await edit
        history = await editor.request("agentfs/history", {})
    (change,) = history["data"]["changes"]
    (file,) = change["files"]
    assert file["before_hash"]
    assert (file["after_hash"], file["lines_added"], file["lines_removed"]) == (None, None, None)


async def test_what_the_user_types_into_a_proposal_is_not_told(root: Path) -> None:
    """The agent writes a template, and the user puts the secret in."""
    write = {"path": ".env", "content": "TOKEN=\n"}
    other = {"tool": "write", "params": {"path": "a.txt", "content": "a\n"}}
    told = []
    async with editing(root, **REVIEWING) as editor:
        for number, (method, params) in enumerate(
            (
                ("agentfs/write", write),
                ("agentfs/batch", {"operations": [{"tool": "write", "params": write}, other]}),
            )
        ):
            (root / ".env").unlink(missing_ok=True)
            answer = editor.start(method, params)
            proposal = await editor.proposed(number + 1)
            files = [{"uri": editor.uri(".env"), "decision": "amended", "text": SECRET}]
            await editor.settle(proposal, "accepted", files=files)
            told.append(await answer)
            assert (root / ".env").read_text() == SECRET
    for answer in told:
        assert "lines" not in answer["text"] + str(answer["stats"])
        assert answer["data"]["applied"]
        assert answer["data"]["review"]["decision"] == "amended"
        assert "The user made amendments, which are not reported." in answer["text"]
        assert no_secret_in(answer)
