"""The lock across a review: docs/protocol.md#8-lock. What moved while the user decided is a conflict; what
landed is known to the session, formatter included."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

from support.editor import REVIEWING, editing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from support.editor import Editor

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


async def test_what_the_user_made_of_it_is_known_too(editor: Editor) -> None:
    path = editor.root / "amended.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    await editor.read("amended.txt")
    files = [{"uri": path.as_uri(), "decision": "amended", "text": "one\nTWO\nthree\n"}]
    answer = await edit(editor, "amended.txt", "two", "2").settled("amended", files=files)
    assert answer["data"]["review"]["decision"] == "amended"
    assert path.read_bytes() == b"one\r\nTWO\r\nthree\r\n"
    again = await edit(editor, "amended.txt", "TWO", "2").settled()
    assert again["status"] == "success"


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


async def test_a_file_that_came_to_be_meanwhile_is_not_replaced(editor: Editor) -> None:
    asked = ChangeRequest(editor, "write", path="came/new.txt", content="agent's\n")
    proposal = await asked.proposal()
    (editor.root / "came").mkdir()
    (editor.root / "came/new.txt").write_text("user's\n")
    steps = await editor.settle(proposal)
    answer = await asked.answer
    assert steps["settle"]["code"] == answer["error"]["code"] == "CONFLICT"
    assert "exists already" in answer["error"]["message"]
    assert [one.name for one in (editor.root / "came").iterdir()] == ["new.txt"]
    assert (editor.root / "came/new.txt").read_text() == "user's\n"


async def test_a_file_that_went_meanwhile_does_not_come_back(editor: Editor) -> None:
    path = editor.root / "went.txt"
    path.write_text("one\n")
    await editor.read("went.txt")
    asked = edit(editor, "went.txt", "one", "two")
    proposal = await asked.proposal()
    path.unlink()
    await editor.settle(proposal)
    assert (await asked.answer)["error"]["code"] == "CONFLICT"
    assert not path.exists()


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
    assert "while it was being reviewed" in answer["text"]
    assert path.read_text() == "one\n"


async def test_typing_meanwhile_is_a_conflict_and_stays(editor: Editor) -> None:
    path = editor.root / "typing.txt"
    path.write_text("one\n")
    document = editor.open("typing.txt")
    await editor.read("typing.txt")
    asked = edit(editor, "typing.txt", "one", "two")
    proposal = await asked.proposal()
    editor.change("typing.txt", "one\nmore\n")
    steps = await editor.settle(proposal)
    answer = await asked.answer
    assert steps["settle"]["code"] == answer["error"]["code"] == "CONFLICT"
    assert answer["context"]["conflict"]["source"] == "editor"
    assert "+more\n" in answer["context"]["conflict"]["diff_since_read"]
    assert (document.text, path.read_text()) == ("one\nmore\n", "one\n")


async def test_another_program_below_unsaved_work_meanwhile_is_a_conflict_on_disk(editor: Editor) -> None:
    path = editor.root / "below.txt"
    path.write_text("one\ntwo\n")
    document = editor.open("below.txt", "one\ntwo\nmine\n")
    await editor.read("below.txt")
    asked = edit(editor, "below.txt", "one", "1")
    proposal = await asked.proposal()
    path.write_text("one\ntheirs\n")
    settled = await editor.settle(proposal)
    answer = await asked.answer
    assert "changed on disk" in answer["text"]
    assert settled["settle"]["reason"] == answer["error"]["message"]
    conflict = answer["context"]["conflict"]
    assert (conflict["source"], document.text) == ("disk", "one\ntwo\nmine\n")
    assert "-two\n+theirs\n" in conflict["diff_since_read"]


async def test_opening_it_clean_or_touching_it_meanwhile_is_none(editor: Editor) -> None:
    path = editor.root / "looked-at.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    await editor.read("looked-at.txt")
    asked = edit(editor, "looked-at.txt", "one", "1")
    proposal = await asked.proposal()
    path.touch()
    document = editor.open("looked-at.txt", "one\ntwo\n")
    await editor.settle(proposal)
    answer = await asked.answer
    assert (answer["status"], document.text) == ("success", "1\ntwo\n")


async def test_a_mark_that_the_editor_keeps_in_the_text_is_none_either(editor: Editor) -> None:
    path = editor.root / "marked.txt"
    path.write_bytes(b"\xef\xbb\xbfone\ntwo\n")
    await editor.read("marked.txt")
    asked = edit(editor, "marked.txt", "one", "1")
    proposal = await asked.proposal()
    document = editor.open("marked.txt", "\ufeffone\ntwo\n")
    await editor.settle(proposal)
    answer = await asked.answer
    assert (answer["status"], document.text) == ("success", "\ufeff1\ntwo\n")


async def test_saving_what_was_unsaved_meanwhile_is_none(editor: Editor) -> None:
    path = editor.root / "saved-meanwhile.txt"
    path.write_bytes(b"one\ntwo\n")
    document = editor.open("saved-meanwhile.txt", "one\ntwo\nmine\n")
    await editor.read("saved-meanwhile.txt")
    asked = edit(editor, "saved-meanwhile.txt", "one", "1")
    proposal = await asked.proposal()
    editor.save("saved-meanwhile.txt")
    await editor.settle(proposal)
    answer = await asked.answer
    assert (answer["status"], answer["data"]["landing"], document.text) == (
        "success",
        "disk",
        "1\ntwo\nmine\n",
    )
    assert path.read_bytes() == b"1\ntwo\nmine\n"


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


async def test_a_change_that_is_none_asks_nobody(editor: Editor) -> None:
    (editor.root / "same.txt").write_bytes(b"one\r\n")
    await editor.read("same.txt")
    before = len(editor.all("agentfs/proposed"))
    answer = await editor.write("same.txt", "one\n")
    assert (answer["status"], answer["data"]["unchanged"]) == ("success", True)
    dry = await editor.write("same.txt", "two\n", dry_run=True)
    assert (dry["status"], "review" in dry["data"]) == ("partial", False)
    assert len(editor.all("agentfs/proposed")) == before
