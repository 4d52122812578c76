"""agentfs.nvim: a change is accepted, rejected, amended, or left for later, by keys in the real Neovim."""

from pathlib import Path

from support.nvim_plugin import (
    ended,
    layout,
    plugin,
    pressed,
    proposed,
    reviewed,
    typed,
    waiting,
)
from support.sample import CHANGED, TEXT


async def test_an_open_file_is_accepted_and_saved(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await editor.screen.shows("Ada: Edit a.py (+1/-1). :Agentfs review")
        assert "your buffer: a.py" in await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        answered = await answer
        assert (answered["data"]["landing"], answered["data"]["review"]["decision"]) == ("disk", "accepted")
        assert file.read_text() == CHANGED
        await ended(editor)
        assert await layout(editor, 2) == before


async def test_a_closed_file_is_rejected_with_a_reason(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        assert "on disk: a.py" in await reviewed(editor, "proposed: a.py")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("Use words.\r")
        review = (await answer)["context"]["review"]
        assert (review["decision"], review["feedback"]) == ("rejected", "Use words.")
        assert file.read_text() == TEXT
        await ended(editor)
        assert await layout(editor, 2) == before


async def test_escape_at_the_reason_decides_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("\x1b")
        await editor.screen.shows(lambda text: "Reject, because:" not in text)
        assert not editor.wire.all("agentfs/settle")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("\r")
        assert "feedback" not in (await answer)["context"]["review"]


async def test_what_is_typed_on_the_right_lands(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await typed(editor, "A and more", "2 and more")
        await pressed(editor, ":w\r")
        answered = await answer
        assert answered["data"]["review"]["decision"] == "amended"
        assert file.read_text() == "one\n2 and more\nthree\n"
        await ended(editor)
        assert await layout(editor, 2) == before


async def test_a_dropped_hunk_does_not_land(root: Path, repository: Path, neovim: Path) -> None:
    file = root / "a.py"
    file.write_text(text := "".join(f"line {number}\n" for number in range(12)))
    content = text.replace("line 1\n", "first\n").replace("line 9\n", "second\n")
    async with plugin(root, repository, neovim) as editor:
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        answer = editor.wire.ask("agentfs/write", {"path": "a.py", "content": content, "agent": "Ada"})
        await waiting(editor, 1)
        await reviewed(editor, "second")
        editor.screen.press("do")
        await editor.screen.shows(lambda text: "first" not in text and "second" in text)
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "amended"
    assert file.read_text() == text.replace("line 9\n", "second\n")


async def test_the_keys_hold_on_the_left_only_while_the_review_is_open(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    config = "vim.keymap.set('n', 'ga', '<cmd>echo 1000 + 24<cr>', { buffer = 1 })"
    async with plugin(root, repository, neovim, open_file="a.py", config=config) as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("\x17hq")
        await editor.screen.shows(lambda text: "proposed:" not in text)
        editor.screen.press("ga")
        await editor.screen.shows("1024")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("\x17h")
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "accepted"
        await ended(editor)
        editor.screen.press(":echo 'again'\r")
        await editor.screen.shows("again")
        editor.screen.press("ga")
        await editor.screen.shows("1024")


async def test_a_change_that_is_left_for_later_keeps_what_was_typed(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("A!\x1bq")
        await editor.screen.shows(lambda text: "proposed:" not in text)
        assert (await layout(editor, 2)).split()[:3] == before.split()[:3]
        await reviewed(editor, "2!")
        await pressed(editor, "ga")
        await answer
        assert file.read_text() == CHANGED.replace("2", "2!")


async def test_closing_a_window_of_the_review_decides_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        editor.screen.press(":split notes.txt\r")
        before = await layout(editor, 1)
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press(":quit\r")
        await editor.screen.shows(lambda text: "proposed:" not in text and "one" in text)
        assert (await layout(editor, 2)).split()[:3] == before.split()[:3]
        assert not editor.wire.all("agentfs/settle")
        await waiting(editor, 1)


async def test_words_with_an_acceptance_go_to_the_agent(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, ":Agentfs accept Well done.\r")
        review = (await answer)["data"]["review"]
    assert (review["decision"], review["feedback"]) == ("accepted", "Well done.")


async def test_a_batch_is_decided_file_by_file(root: Path, repository: Path, neovim: Path) -> None:
    names = ("a.txt", "b.txt", "c.txt")
    operations = [{"tool": "write", "params": {"path": name, "content": f"{name}\n"}} for name in names]
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        answer = editor.wire.ask("agentfs/batch", {"operations": operations, "atomic": False, "agent": "Ada"})
        await waiting(editor, 1)
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("[ ] c.txt +1/-0 (create)")
        editor.screen.press("ga")
        await editor.screen.shows("[+] a.txt")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("No b.\r")
        await editor.screen.shows("[-] b.txt")
        await pressed(editor, "ga")
        answered = await answer
        await ended(editor)
        assert await layout(editor, 2) == before
    assert [result["status"] for result in answered["data"]["results"]] == ["success", "error", "success"]
    assert answered["data"]["results"][1]["feedback"] == "No b."
    assert [(root / name).exists() for name in names] == [True, False, True]


async def test_a_batch_that_landed_in_part_tells_which_file_did_not(
    root: Path, repository: Path, neovim: Path
) -> None:
    operations = [
        {"tool": "write", "params": {"path": name, "content": "new\n"}} for name in ("a.txt", "b.txt")
    ]
    async with plugin(root, repository, neovim) as editor:
        answer = editor.wire.ask("agentfs/batch", {"operations": operations, "atomic": False})
        await waiting(editor, 1)
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("[ ] b.txt")
        (root / "b.txt").write_text("another program's\n")
        editor.screen.press("ga")
        await editor.screen.shows("[+] a.txt")
        await pressed(editor, "ga")
        assert (await answer)["data"]["failed_items"] == [1]
        await editor.screen.shows("agentfs: b.txt has changed, and was left alone. The rest has landed")
    assert (root / "b.txt").read_text() == "another program's\n"


async def test_one_rejected_file_rejects_what_lands_together(
    root: Path, repository: Path, neovim: Path
) -> None:
    operations = [
        {"tool": "write", "params": {"path": name, "content": "new\n"}} for name in ("a.txt", "b.txt")
    ]
    async with plugin(root, repository, neovim) as editor:
        answer = editor.wire.ask("agentfs/batch", {"operations": operations, "agent": "Ada"})
        await waiting(editor, 1)
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("[ ] b.txt")
        editor.screen.press("ga")
        await editor.screen.shows("[+] a.txt")
        editor.screen.press("gr")
        await editor.screen.shows("Reject all 2 files, because:")
        editor.screen.press("Not now.\r")
        review = (await answer)["context"]["review"]
    assert (review["decision"], review["feedback"]) == ("rejected", "Not now.")
    assert not (root / "a.txt").exists()


async def test_ten_at_once_follow_each_other(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        writes = [{"path": f"{number}.txt", "content": f"text {number}\n"} for number in range(10)]
        answers = [editor.wire.ask("agentfs/write", write) for write in writes]
        await waiting(editor, 10)
        await editor.screen.shows("10 changes wait. :Agentfs review")
        editor.screen.press(":Agentfs review\r")
        for more in range(9, 0, -1):
            await editor.screen.shows(f"({more} more waiting)")
            await pressed(editor, "ga")
        await editor.screen.shows(lambda text: "more waiting" not in text and "proposed:" in text)
        await pressed(editor, "ga")
        for number, answer in enumerate(answers):
            assert (await answer)["status"] == "success"
            assert (root / f"{number}.txt").read_text() == f"text {number}\n"
        await ended(editor, 10)
        assert await layout(editor, 2) == before


async def test_always_allows_the_sessions_later_changes(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, "gA")
        await answer
        await ended(editor)
        later = await (await editor.read_and_edit("a.py", "three", "3"))
        assert (later["data"]["review"]["by"], later["data"]["landing"]) == ("mode", "disk")
        assert file.read_text() == "one\n2\n3\n"
