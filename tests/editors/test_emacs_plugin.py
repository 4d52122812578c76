"""Emacs with agentfs.el: the user decides with keys about what an agent proposes."""

from pathlib import Path

import pytest

from support.real_emacs import READY, REVIEW, decision, reviewing
from support.sample import TEXT

pytestmark = pytest.mark.usefixtures("each_emacs")

CHANGED = TEXT.replace("two", "2")
C_G = "\x07"
LONG = "".join(f"line {number}\n" for number in range(1, 41))


async def test_accepting_changes_and_saves_an_open_file_and_leaves_the_windows_as_they_were(
    root: Path,
) -> None:
    async with reviewing(root) as emacs:
        await emacs.visit("a.py")
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.screen.shows("agentfs:1")
        assert await emacs.layout() == before
        shown = await emacs.review("+2")
        assert "Edit a.py (+1/-1)" in shown
        assert "Agent:  Ada" in shown
        emacs.screen.press("y")
        answered = await answer
        assert decision(answered) == ("accepted", "disk")
        assert await emacs.layout() == before
    assert (root / "a.py").read_text() == CHANGED


async def test_several_windows_are_as_they_were(root: Path) -> None:
    async with reviewing(root) as emacs:
        emacs.screen.press("\x182\x183")
        await emacs.visit("a.py")
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.counts()
        emacs.screen.press(REVIEW)
        await emacs.screen.shows("Edit a.py (+1/-1)")
        emacs.screen.press("q")
        await emacs.screen.shows(lambda text: "*agentfs review*" not in text)
        assert await emacs.layout() == before
        assert not answer.done()


async def test_a_closed_file_is_written_without_being_opened(root: Path) -> None:
    async with reviewing(root) as emacs:
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
        assert await emacs.layout() == before
        assert len(emacs.wire.all("textDocument/didOpen")) == 1
    assert (root / "a.py").read_text() == CHANGED


async def test_a_new_file_in_a_new_folder_is_created(root: Path) -> None:
    async with reviewing(root) as emacs:
        params = {"path": "new/deep/c.txt", "content": "one\ntwo", "create_dirs": True, "agent": "Ada"}
        answer = emacs.wire.ask("agentfs/write", params)
        shown = await emacs.review("+two")
        assert "--- /dev/null\n+++ b/new/deep/c.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n" in shown
        assert "No newline at end of file" in shown
        assert not (root / "new").exists()
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
    assert (root / "new/deep/c.txt").read_bytes() == b"one\ntwo"


async def test_unsaved_changes_are_seen_kept_and_not_saved(root: Path) -> None:
    async with reviewing(root) as emacs:
        await emacs.visit("a.py")
        await emacs.press("\x0f", "textDocument/didChange")  # C-o: a line before the first one
        answer = await emacs.read_and_edit("a.py", "two", "2")
        assert "@@ -1,4 +1,4 @@\n\n one\n" in await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "editor")
        await emacs.screen.shows("\n\none\n2\nthree\n")
        assert (root / "a.py").read_text() == TEXT
        await emacs.press("\x18\x13", "textDocument/didSave")
    assert (root / "a.py").read_text() == f"\n{CHANGED}"


@pytest.mark.parametrize("reason", ["not now", ""])
async def test_rejecting_tells_the_agent_the_reason(root: Path, reason: str) -> None:
    async with reviewing(root) as emacs:
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press(f"{reason}\r")
        review = (await answer)["context"]["review"]
        assert (review["decision"], review.get("feedback", "")) == ("rejected", reason)
        assert await emacs.layout() == before
    assert (root / "a.py").read_text() == TEXT


async def test_quitting_the_reason_decides_nothing(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press(f"no{C_G}")
        await emacs.screen.shows("Quit")
        await emacs.accept()  # the review becomes the selected window again
        assert decision(await answer) == ("accepted", "disk")


async def test_a_text_that_the_user_amends_is_what_lands(root: Path) -> None:
    async with reviewing(root) as emacs:
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("e")
        await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x1b>four\r\x03\x03")
        answered = await answer
        assert decision(answered) == ("amended", "disk")
        assert "+four" in answered["data"]["review"]["amendments"]
        assert await emacs.layout() == before
    assert (root / "a.py").read_text() == f"{CHANGED}four\n"


async def test_leaving_the_amendment_keeps_the_proposal_as_it_was(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("e")
        await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("typed\x03\x0b")
        assert "typed" not in await emacs.ready("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
    assert (root / "a.py").read_text() == CHANGED


async def test_a_dropped_hunk_does_not_land(root: Path) -> None:
    async with reviewing(root, files={"long.txt": LONG.encode()}) as emacs:
        await emacs.wire.ask("agentfs/read", {"path": "long.txt"})
        edits = [("line 3", "LINE 3"), ("line 37", "LINE 37")]
        whole = LONG
        for old, new in edits:
            whole = whole.replace(f"{old}\n", f"{new}\n")
        answer = emacs.wire.ask("agentfs/write", {"path": "long.txt", "content": whole, "overwrite": True})
        await emacs.review("+LINE 3\n")
        emacs.screen.press("k")
        shown = await emacs.ready("You have changed this proposal")
        assert "+LINE 37" in shown
        assert "+LINE 3\n" not in shown
        await emacs.accept()
        assert decision(await answer) == ("amended", "disk")
    assert (root / "long.txt").read_text() == LONG.replace("line 37\n", "LINE 37\n")


async def test_what_is_decided_later_waits_without_a_window(root: Path) -> None:
    async with reviewing(root) as emacs:
        before = await emacs.layout()
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("q")
        assert await emacs.layout() == before
        await emacs.screen.shows("agentfs:1")
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
        assert await emacs.layout() == before


async def test_always_lets_the_sessions_later_changes_through(root: Path) -> None:
    async with reviewing(root) as emacs:
        await emacs.visit("b.py")
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("!")
        await answer
        second = await (await emacs.read_and_edit("b.py", "two", "2"))
        assert second["data"]["review"]["decision"] == "allowed"
        assert second["data"]["landing"] == "disk"
        await emacs.screen.shows("one\n2\nthree\n")
        await emacs.screen.shows("agentfs-auto")
        emacs.screen.press("\x1bxagentfs-manual\r")
        await emacs.screen.shows(lambda text: "agentfs-auto" not in text)
        await emacs.read_and_edit("b.py", "one", "1")
        await emacs.counts()
    assert (root / "b.py").read_text() == CHANGED


async def test_one_file_of_a_batch_can_be_left_out(root: Path) -> None:
    async with reviewing(root) as emacs:
        for name in ("a.py", "b.py"):
            await emacs.wire.ask("agentfs/read", {"path": name})
        operations = [
            {"tool": "edit", "params": {"path": name, "old_string": "two", "new_string": "2"}}
            for name in ("a.py", "b.py")
        ]
        answer = emacs.wire.ask("agentfs/batch", {"operations": operations, "atomic": False})
        await emacs.review("x leaves one out")
        emacs.screen.press("\x15x")  # C-u x
        await emacs.screen.shows("Leave out, because")
        emacs.screen.press("Not a.\r")
        await emacs.ready("a.py  LEFT OUT")
        await emacs.accept()
        answered = await answer
        assert answered["data"]["failed_items"] == [0]
        assert answered["data"]["results"][0]["feedback"] == "Not a."
    assert (root / "a.py").read_text() == TEXT
    assert (root / "b.py").read_text() == CHANGED


async def test_a_batch_that_landed_in_part_tells_which_file_did_not(root: Path) -> None:
    operations = [
        {"tool": "write", "params": {"path": name, "content": "new\n"}} for name in ("a.txt", "b%s.txt")
    ]
    async with reviewing(root) as emacs:
        answer = emacs.wire.ask("agentfs/batch", {"operations": operations, "atomic": False})
        await emacs.review("b%s.txt")
        (root / "b%s.txt").write_text("another program's\n")
        await emacs.accept()
        assert (await answer)["data"]["failed_items"] == [1]
        await emacs.screen.shows("done, but b%s.txt changed meanwhile")
    assert (root / "b%s.txt").read_text() == "another program's\n"


async def test_ten_at_once_are_decided_one_after_the_other(root: Path) -> None:
    names = [f"f{number}.txt" for number in range(10)]
    async with reviewing(root, files={name: TEXT.encode() for name in names}) as emacs:
        before = await emacs.layout()
        answers = [await emacs.read_and_edit(name, "two", "2") for name in names]
        await emacs.screen.shows("agentfs:10")
        emacs.screen.press(REVIEW)
        for name in names:
            await emacs.ready(f"Edit {name} ")
            emacs.screen.press("y")
        for answer in answers:
            assert decision(await answer) == ("accepted", "disk")
        assert await emacs.layout() == before
    assert all((root / name).read_text() == CHANGED for name in names)


async def test_a_key_pressed_as_the_review_appears_accepts_nothing(root: Path) -> None:
    more = "(setq agentfs-review-guard 1.5)"
    async with reviewing(root, more) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.counts()
        emacs.screen.press(f"{REVIEW}y")
        shown = await emacs.screen.shows("Shown only just now: look at it, then press the key again")
        assert READY not in shown
        await emacs.ready("+2")
        emacs.screen.press("q")
        await emacs.screen.shows(lambda text: "*agentfs review*" not in text)
        emacs.screen.press(f"{REVIEW}y")
        await emacs.screen.shows("Shown only just now: look at it, then press the key again")
        assert not emacs.wire.all("agentfs/settle")
        await emacs.ready("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")


async def test_whoever_types_while_a_proposal_arrives_is_not_disturbed(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        emacs.screen.press("y y y")
        await emacs.wire.seen("agentfs/proposed")
        emacs.screen.press(" more")
        await emacs.screen.shows("y y y more")
        assert not emacs.wire.all("agentfs/settle")
        emacs.screen.press("\x1bxsome")
        await emacs.screen.shows("M-x some")
        other = await emacs.read_and_edit("b.py", "two", "2")
        await emacs.wire.seen("agentfs/proposed", 2)
        emacs.screen.press("thing")
        await emacs.screen.shows("M-x something")
        emacs.screen.press(C_G)
        await emacs.screen.shows("agentfs:2")
        emacs.screen.press(REVIEW)
        for name, change in (("a.py", answer), ("b.py", other)):
            await emacs.ready(f"b/{name}")
            emacs.screen.press("y")
            assert decision(await change) == ("accepted", "disk")


async def test_a_file_that_changes_meanwhile_is_not_accepted(root: Path) -> None:
    async with reviewing(root) as emacs:
        await emacs.visit("a.py")
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("\x18o")
        await emacs.press("x", "textDocument/didChange")
        emacs.screen.press("\x18o")
        await emacs.screen.shows(" a.py has changed since the agent read it")
        emacs.screen.press("y")
        await emacs.screen.shows("\na.py has changed since the agent read it")  # in the last line
        assert not emacs.wire.all("agentfs/settle")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press("read it again\r")
        assert (await answer)["context"]["review"]["feedback"] == "read it again"


async def test_a_change_on_disk_is_a_conflict(root: Path) -> None:
    async with reviewing(root) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        (root / "a.py").write_text("other\n")
        emacs.screen.press("y")
        assert (await answer)["error"]["code"] == "CONFLICT"
        await emacs.screen.shows("a file changed meanwhile")
    assert (root / "a.py").read_text() == "other\n"


async def test_where_it_is_configured_the_review_appears_without_the_focus(root: Path) -> None:
    async with reviewing(root, "(setq agentfs-announce 'display)") as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.ready("+2")
        await emacs.press("y", "textDocument/didChange")
        assert not emacs.wire.all("agentfs/settle")
        emacs.screen.press("\x18o")
        await emacs.screen.shows("approving keys count in a moment")
        await emacs.ready("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")
        layout = await emacs.layout()
        assert "notes.txt" in layout
        assert "agentfs" not in layout
