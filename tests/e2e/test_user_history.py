"""agentfs/userHistory and agentfs/userUndo: docs/protocol.md#14-the-editors-own-methods."""

from pathlib import Path
from typing import Any

import pytest

from support.client import Editor
from support.editor import AUTO, REVIEWING, RpcError, editing
from support.wire import Message

SESSION = "agent"
REVIEWED: Any = {**REVIEWING, "options": AUTO}


@pytest.fixture
def secret(root: Path) -> Path:
    path = root / ".env"
    path.write_text("KEY=1\n")
    return path


async def changed(root: Path) -> str:
    """The id of a change of a protected file by an earlier server: no session knows the file."""

    def agree(params: Message) -> Message:
        return next(one for one in params["actions"] if one["title"] in {"Approve", "Allow once"})

    async with editing(root, answers={"window/showMessageRequest": agree}) as editor:
        await editor.read(".env", session=SESSION)
        answer = await editor.edit(".env", "KEY=1", "KEY=2", session=SESSION)
    return str(answer["data"]["change_id"])


async def history(editor: Editor, method: str = "userHistory", **params: Any) -> list[Message]:
    answer = await editor.request(f"agentfs/{method}", params)
    changes: list[Message] = answer["data"].get("changes", [])
    return changes


async def test_the_user_sees_and_undoes_what_no_agent_may(root: Path, secret: Path) -> None:
    change_id = await changed(root)
    async with editing(root, **REVIEWED) as editor:
        assert await history(editor, "history") == []
        (change,) = await history(editor, texts=True, change_id=change_id)
        texts = {key: change["files"][0][key] for key in ("before_text", "proposed_text", "after_text")}
        assert texts == {"before_text": "KEY=1\n", "proposed_text": "KEY=2\n", "after_text": "KEY=2\n"}
        params = {"change_id": change_id, "session": SESSION}
        by_agent = await editor.request("agentfs/undo", params)
        assert by_agent["error"]["code"] == "NOT_FOUND"
        asking = editor.start("agentfs/userUndo", params)
        proposal = await editor.proposed()
        assert (proposal["tool"], secret.read_text()) == ("undo", "KEY=2\n"), "reviewed like any change"
        await editor.settle(proposal)
        answer = await asking
        assert answer["status"] == "success"
        assert "-KEY=2\n+KEY=1\n" in answer["data"]["diff_preview"]
        assert secret.read_text() == "KEY=1\n"
        assert [one["change_id"] for one in await history(editor)] == [proposal["id"], change_id]


async def test_no_session_learns_of_it(root: Path, secret: Path) -> None:
    change_id = await changed(root)
    async with editing(root, **REVIEWED) as editor:
        asking = editor.start("agentfs/userUndo", {"change_id": change_id, "session": SESSION})
        await editor.settle(await editor.proposed())
        await asking
        assert await history(editor, "history", session=SESSION) == []
        edited = await editor.edit(".env", "KEY=1", "KEY=3", session=SESSION)
        assert edited["error"]["code"] == "INVALID_PARAM"
        assert edited["text"].startswith("Read the file first.")
        assert (await editor.undo(session=SESSION))["error"]["code"] == "NOT_FOUND"
    assert secret.read_text() == "KEY=1\n"


async def test_what_rules_deny_is_not_undone_here(root: Path) -> None:
    async with editing(root, options=AUTO) as editor:
        await editor.write("notes.md", "a\n")
    rule = {"files": ["notes.md"], "write": "deny"}
    async with editing(root, options={**AUTO, "rules": [rule]}) as editor:
        (change,) = await history(editor)
        answer = await editor.request("agentfs/userUndo", {"change_id": change["change_id"]})
    assert answer["error"]["code"] == "ACCESS_DENIED"
    assert (root / "notes.md").read_text() == "a\n"


@pytest.mark.parametrize("method", ["agentfs/userHistory", "agentfs/userUndo"])
async def test_params_are_those_of_the_agents_request(root: Path, method: str) -> None:
    async with editing(root) as editor:
        wrong = await editor.request(method, {"changes_id": "x"})
        unknown = await editor.request(method, {"change_id": "x"})
        assert "Did you mean change_id?" in wrong["text"]
        assert unknown["error"]["code"] == "NOT_FOUND"
        await editor.request("shutdown")
        with pytest.raises(RpcError, match="-32600"):
            await editor.request(method, {})


async def test_several_changes_are_undone_in_one_review(root: Path) -> None:
    (root / "a.md").write_text("one\ntwo\n")
    async with editing(root, options=AUTO) as editor:
        await editor.read("a.md", session=SESSION)
        await editor.edit("a.md", "one", "1", session=SESSION)
        await editor.edit("a.md", "1", "I", session=SESSION)
        await editor.write("new/b.md", "b\n", session=SESSION)
        await editor.write("c.md", "c\n", session="other")
    async with editing(root, **REVIEWING) as editor:
        changes = await history(editor)
        assert len({change["connection"] for change in changes}) == 1
        ids = [change["change_id"] for change in changes if change["session"] == SESSION]
        asking = editor.start("agentfs/userUndo", {"change_ids": ids, "session": "user"})
        proposal = await editor.proposed()
        assert [(one["path"], one["operation"]) for one in proposal["files"]] == [
            ("new/b.md", "delete"),
            ("a.md", "update"),
        ]
        assert ((root / "a.md").read_text(), proposal["atomic"]) == ("I\ntwo\n", True)
        await editor.settle(proposal)
        answer = await asking
        assert [answer["data"]["undone"], *answer["data"]["also_undone"]] == ids
    assert (root / "a.md").read_text() == "one\ntwo\n"
    assert sorted(path.name for path in root.iterdir() if not path.name.startswith(".")) == ["a.md", "c.md"]
