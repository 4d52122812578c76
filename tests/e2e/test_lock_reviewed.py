"""The lock across a review: docs/protocol.md#8-lock. What moved while the user decided is a conflict; what
landed is known to the session, formatter included."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import count
from typing import Any

import pytest
import pytest_asyncio

from support.editor import REVIEWING, Editor, editing

pytestmark = pytest.mark.asyncio(loop_scope="module")

NUMBERS = count()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Editor]:
    """A client that reviews and saves."""
    root = tmp_path_factory.mktemp("reviewed") / "root"
    root.mkdir()
    async with editing(root, **REVIEWING) as editor:
        yield editor


class ChangeRequest:
    """A change that an agent asks for, told from others by its explanation."""

    def __init__(self, editor: Editor, tool: str, **params: Any) -> None:
        self.editor = editor
        self.why = f"reason {next(NUMBERS)}"
        self.answer = editor.start(f"agentfs/{tool}", {**params, "explanation": self.why})

    async def proposal(self) -> dict[str, Any]:
        def is_this(message: dict[str, Any]) -> bool:
            return (
                message.get("method") == "agentfs/proposed" and message["params"]["explanation"] == self.why
            )

        announced = await self.editor.message(is_this)
        return await self.editor.request("agentfs/proposal", {"id": announced["params"]["id"]})

    async def settled(self, decision: str = "accepted", **more: Any) -> dict[str, Any]:
        await self.editor.settle(await self.proposal(), decision, **more)
        return await self.answer


def edit(editor: Editor, path: str, old: str, new: str, **params: Any) -> ChangeRequest:
    return ChangeRequest(editor, "edit", path=path, old_string=old, new_string=new, **params)


async def test_a_formatters_work_on_save_is_not_taken_for_the_users(editor: Editor) -> None:
    path = editor.root / "formatted.py"
    path.write_text("x=1\n")
    document = editor.open("formatted.py")
    await editor.read("formatted.py")
    asked = edit(editor, "formatted.py", "x=1", "x=2")
    proposal = await asked.proposal()
    settled = await editor.request("agentfs/settle", {"id": proposal["id"], "decision": "accepted"})
    assert editor.apply(settled["apply"])
    files = [{"uri": document.uri, "applied": True}]
    await editor.request("agentfs/applied", {"id": proposal["id"], "files": files})
    editor.change("formatted.py", "x = 2\n")
    editor.save("formatted.py")
    saved = {"id": proposal["id"], "files": [{"uri": document.uri, "saved": True}]}
    await editor.request("agentfs/saved", saved)
    answer = await asked.answer
    assert (answer["status"], answer["data"]["landing"]) == ("success", "disk")
    assert "-x=2\n+x = 2\n" in answer["data"]["review"]["on_save"]
    assert "on_save" in answer["text"]
    assert answer["stats"]["file_size_bytes"] == 6
    again = await edit(editor, "formatted.py", "x = 2", "x = 3").settled()
    assert again["status"] == "success"
    assert path.read_text() == "x = 3\n"


async def test_a_rejected_change_can_be_made_again_without_reading(editor: Editor) -> None:
    path = editor.root / "rejected.txt"
    path.write_text("one\n")
    await editor.read("rejected.txt")
    answer = await edit(editor, "rejected.txt", "one", "2").settled("rejected")
    assert (answer["error"]["code"], answer["data"]) == ("USER_REJECTED", {})
    answer = await edit(editor, "rejected.txt", "one", "two").settled()
    assert answer["status"] == "success"


async def test_a_rejected_creation_leaves_not_even_a_folder(editor: Editor) -> None:
    asked = ChangeRequest(editor, "write", path="deep/er/new.txt", content="x\n")
    proposal = await asked.proposal()
    assert not (editor.root / "deep").exists()
    await editor.settle(proposal, "rejected")
    assert (await asked.answer)["error"]["code"] == "USER_REJECTED"
    assert not (editor.root / "deep").exists()


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("moved", ["the-file/a.txt", "the-folder"])
async def test_a_link_put_in_its_place_meanwhile_is_a_conflict_and_not_followed(
    editor: Editor, moved: str, is_open: bool
) -> None:
    name = f"{moved.partition('/')[0]}-{is_open}"
    path = editor.root / name / "a.txt"
    path.parent.mkdir()
    path.write_text("one\n")
    if is_open:
        editor.open(f"{name}/a.txt")
    await editor.read(f"{name}/a.txt")
    asked = edit(editor, f"{name}/a.txt", "one", "1")
    proposal = await asked.proposal()
    replaced = path if "/" in moved else path.parent
    replaced.rename(editor.root / f"{name}-moved")
    replaced.symlink_to(editor.root / f"{name}-moved")
    settled = await editor.settle(proposal)
    answer = await asked.answer
    assert settled["settle"]["code"] == answer["error"]["code"] == "CONFLICT"
    assert "during the review" in answer["text"]
    assert path.read_text() == "one\n"


async def test_a_waiting_change_is_computed_on_what_landed_before_it(editor: Editor) -> None:
    path = editor.root / "queued.txt"
    path.write_text("one\ntwo\n")
    await editor.read("queued.txt")
    await editor.read("queued.txt", session="other")
    first = edit(editor, "queued.txt", "one", "1")
    proposal = await first.proposal()
    second = edit(editor, "queued.txt", "two", "2")
    third = edit(editor, "queued.txt", "two", "II", session="other")
    await editor.message(lambda message: message.get("params", {}).get("pending") == 3)
    status = await editor.request("agentfs/status", {})
    states = [one["state"] for one in status["data"]["pending"]]
    assert states == ["shown", "queued", "queued"]
    await editor.settle(proposal)
    assert (await first.answer)["status"] == "success"
    answer = await second.settled()
    assert answer["status"] == "success"
    assert (await third.answer)["error"]["code"] == "CONFLICT"
    assert path.read_text() == "1\n2\n"
