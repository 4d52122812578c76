"""Files that may be changed and not read: docs/protocol.md#13-settings-and-policy."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from support.editor import REVIEWING, configure, editing
from support.personas import VSCODE, pressing

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "the launch code is 4711\n"


UNREADABLE = {"rules": [{"files": ["drop/**"], "read": "deny", "write": "allow", "edit": "allow"}]}


async def test_what_may_not_be_read_is_replaced_blindly_and_nothing_is_told_of_it(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    told = []
    async with editing(root, options=UNREADABLE) as editor:
        for before in (SECRET, "as new\n", "as new\r\n", "", "\ufeffas new\n"):
            path.write_bytes(before.encode())
            answer = await editor.write("drop/box.txt", "as new\n")
            assert answer["status"] == "success", answer
            assert path.read_bytes().decode().strip("\ufeff").split() == ["as", "new"]
            answer["data"]["review"].pop("waited_ms")
            answer["data"].pop("change_id")
            told.append((answer["data"], answer["text"], answer["stats"].keys()))
            assert "4711" not in str(answer)
        tried = await editor.write("drop/box.txt", "x\n", dry_run=True)
        assert (tried["data"]["diff_preview"], tried["stats"].keys()) == ("", {"time_ms"})
        created = await editor.write("drop/new.txt", "x\n")
        assert (created["data"]["operation"], created["data"]["diff_preview"]) == ("create", "")
        assert (await editor.write("drop/new.txt", "y\n"))["data"]["applied"] is True
    assert all(one == told[0] for one in told)
    data, text, stats = told[0]
    assert (data["unchanged"], data["diff_preview"], data["warnings"], data["corrections"]) == (
        False,
        "",
        [],
        [],
    )
    assert text == (
        "Wrote 'drop/box.txt'. Reading this file is denied, so its previous content is not reported."
    )
    assert stats == {"time_ms"}


async def test_nothing_that_needs_reading_is_done_where_reading_is_denied(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    path.write_text(SECRET)
    (root / "drop" / "blob").write_bytes(b"\0\1")
    digest = "sha256:" + hashlib.sha256(SECRET.encode()).hexdigest()
    async with editing(root, options={**UNREADABLE, "require_read": False}) as editor:
        refused = [
            await editor.read("drop/box.txt"),
            await editor.edit("drop/box.txt", "4711", "0815"),
            await editor.edit("drop/box.txt", "4712", "0815", dry_run=True),
            await editor.edit("drop/missing.txt", "a", "b"),
            await editor.write("drop/box.txt", "x\n", expected_hash=digest),
            await editor.write("drop/box.txt", "x\n", expected_size_bytes=1),
            await editor.write("drop/box.txt", "x\n", expected_hash=digest, dry_run=True),
            await editor.write("drop/blob", "x\n"),
        ]
        assert {answer["error"]["code"] for answer in refused} == {"ACCESS_DENIED"}
        assert all("drop/**" in answer["text"] and "4711" not in answer["text"] for answer in refused)
        there = await editor.write("drop/box.txt", "x\n", overwrite=False)
        assert there["error"]["code"] == "CONFLICT"
        assert there["context"]["conflict"]["actual"]["hash"] is None
    assert path.read_text() == SECRET


async def test_a_blind_change_is_reviewed_like_any_and_a_conflict_tells_nothing(root: Path) -> None:
    (root / "drop").mkdir()
    path = root / "drop" / "box.txt"
    path.write_text(SECRET)
    rules = [{"files": ["drop/**"], "read": "deny"}]
    async with editing(root, options={"rules": rules}, **REVIEWING) as editor:
        same = editor.start("agentfs/write", {"path": "drop/box.txt", "content": SECRET})
        await editor.settle(await editor.proposed())
        answer = await same
        assert (answer["data"]["applied"], answer["data"]["unchanged"]) == (True, False)
        moved = editor.start("agentfs/write", {"path": "drop/box.txt", "content": "x\n"})
        proposal = await editor.proposed(2)
        shown = await editor.request("agentfs/proposal", {"id": proposal["id"]})
        assert shown["files"][0]["base_text"] == SECRET
        path.write_text("moved 4712\n")
        await editor.settle(proposal)
        conflict = (await moved)["context"]["conflict"]
        assert (
            conflict["expected"]["hash"] is conflict["actual"]["hash"] is conflict["diff_since_read"] is None
        )
    assert path.read_text() == "moved 4712\n"


async def test_reading_denied_while_a_change_is_reviewed_leaves_nothing_in_its_answer(root: Path) -> None:
    (root / "a.txt").write_text(SECRET)
    async with editing(root, **REVIEWING) as editor:
        await editor.read("a.txt")
        asked = editor.start("agentfs/write", {"path": "a.txt", "content": "x\n"})
        proposal = await editor.proposed()
        configure(editor, rules=[{"files": ["a.txt"], "read": "deny"}])
        await editor.settle(proposal)
        answer = await asked
        assert (answer["data"]["applied"], answer["data"]["diff_preview"]) == (True, "")
        assert "4711" not in str(answer)


async def test_whether_the_user_can_be_asked_tells_no_guess_from_another(root: Path) -> None:
    """The more of the file a text repeats, the shorter is the diff that a message must hold."""
    (root / "pin.txt").write_text(SECRET)
    (root / "long.txt").write_text("".join(f"line {number}\n" for number in range(1000)))
    rules = [{"files": ["*.txt"], "read": "deny", "write": "ask"}]
    asking = {"window/showMessageRequest": pressing("Reject")}
    async with editing(root, options={"rules": rules}, name="Neovim", answers=asking) as editor:

        async def code(first: str, more: int) -> str:
            answer = await editor.write("pin.txt", first + "x\n" * more)
            return str(answer["error"]["code"])

        asked, refused = 1, 2000
        while refused - asked > 1:
            middle = (asked + refused) // 2
            if await code("no such line\n", middle) == "USER_REJECTED":
                asked = middle
            else:
                refused = middle
        for more in (asked, refused):
            assert await code(SECRET, more) == await code("no such line\n", more)
        assert await code(SECRET, refused) == "ACCESS_DENIED"
        text = (root / "long.txt").read_text()
        for content in (text, f"{text}x\n", "x\n"):
            assert (await editor.write("long.txt", content))["error"]["code"] == "ACCESS_DENIED"


async def test_how_the_user_is_asked_tells_nothing_of_the_text(root: Path) -> None:
    """The preview is only for UTF-8 with uniform line ends."""
    path = root / "pin.txt"
    rules = [{"files": ["*.txt"], "read": "deny", "write": "ask"}]
    async with VSCODE.editing(root, "Reject", {"rules": rules}) as editor:
        told = []
        for held in (b"47\n11\n", b"47\r\n11\n", b"47\r\n11\r\n", b""):
            path.write_bytes(held)
            answer = await editor.write("pin.txt", "0815\n")
            answer["context"]["review"].pop("waited_ms")
            told.append((answer["context"]["review"], answer["text"]))
    assert told == [told[0]] * 4
    assert told[0][0]["rung"] == "message"
