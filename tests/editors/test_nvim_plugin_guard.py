"""agentfs.nvim: no key approves what the user has not seen, and nothing interrupts what the user does."""

from pathlib import Path

from support.nvim_plugin import ended, layout, plugin, pressed, proposed, quiet, reviewed, typed, waiting
from support.sample import CHANGED, TEXT

SLOW = "guard_ms = 60000,"
AUTO = "open = 'auto',"


async def test_typing_goes_on_while_a_change_arrives(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, options=AUTO) as editor:
        await editor.press("ifirst ", "textDocument/didChange")
        answer = await proposed(editor, "a.py", "two", "2")
        for _ in range(5):
            await editor.press("ga:w 2\r", "textDocument/didChange")
        assert "proposed:" not in editor.screen.text
        editor.screen.press("\x1b")
        await editor.screen.shows("proposed: a.py")
        assert file.read_text() == TEXT
        assert not editor.wire.all("agentfs/settle")
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "accepted"
        await ended(editor)
        await editor.press(":w\r", "textDocument/didSave")
    assert (root / "notes.txt").read_text() == "first " + "ga:w 2\n" * 5 + "\n"


async def test_a_review_does_not_open_over_a_command_that_is_typed(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, options=AUTO) as editor:
        editor.screen.press(":let g:typed = ")
        await editor.screen.shows(":let g:typed =")
        await proposed(editor, "a.py", "two", "2")
        editor.screen.press("42\r")
        await editor.screen.shows("proposed: a.py")
        editor.screen.press(":echo 'typed' g:typed\r")
        await editor.screen.shows("typed 42")


async def test_unless_configured_a_change_only_announces_itself(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        await proposed(editor, "a.py", "two", "2")
        screen = await editor.screen.shows("Ada: Edit a.py (+1/-1). :Agentfs review")
        assert "Press ENTER" not in screen
        assert await layout(editor, 2) == before


async def test_a_key_right_after_the_review_opens_approves_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, options=SLOW, open_file="a.py") as editor:
        await proposed(editor, "a.py", "two", "2")
        editor.screen.press(":Agentfs review\rga")
        await editor.screen.shows("Only just shown: press ga again.")
        for keys in (":w\r", "gA", ":Agentfs accept\r"):
            editor.screen.press(keys)
            await editor.screen.shows(f"press {':w' if 'w' in keys else keys.strip()} again")
        await quiet(editor)
        assert not editor.wire.all("agentfs/settle")
    assert file.read_text() == TEXT


async def test_keys_that_were_meant_for_something_else_approve_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        await proposed(editor, "a.py", "two", "2")
        editor.screen.press("ga")
        await quiet(editor)
        editor.screen.press(":Agentfs accept\r")
        await editor.screen.shows("no review is open")
        assert not editor.wire.all("agentfs/settle")
    assert file.read_text() == TEXT


async def test_outside_its_windows_the_keys_decide_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press(":tabfirst\r")
        await editor.screen.shows(lambda text: "proposed:" not in text)
        editor.screen.press("ga:Agentfs accept\r")
        await quiet(editor)
        assert not editor.wire.all("agentfs/settle")
        editor.screen.press(":tabnext\r")
        await editor.screen.shows("Go into the review first.")


async def test_what_saves_by_itself_approves_nothing(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    config = "vim.api.nvim_create_autocmd('InsertLeave', { command = 'silent! wall', nested = true })"
    async with plugin(root, repository, neovim, open_file="a.py", config=config) as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await typed(editor, "A typed", "Nothing was written. ga in its review accepts the change.")
        editor.screen.press(":wall\r")
        await quiet(editor)
        assert not editor.wire.all("agentfs/settle")
        assert file.read_text() == TEXT
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "amended"


async def test_a_long_change_is_seen_before_it_is_accepted(
    root: Path, repository: Path, neovim: Path
) -> None:
    content = "".join(f"line {number}\n" for number in range(60))
    async with plugin(root, repository, neovim) as editor:
        answer = editor.wire.ask("agentfs/write", {"path": "long.txt", "content": content, "agent": "Ada"})
        await waiting(editor, 1)
        await reviewed(editor, "line 0")
        page = editor.screen.text
        while "line 59" not in page:
            last = page.splitlines()[-4]
            editor.screen.press("ga")
            page = await editor.screen.shows(
                lambda text, last=last: "on the screen yet" in text and text.splitlines()[-4] != last
            )
            assert not editor.wire.all("agentfs/settle")
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
    assert (root / "long.txt").read_text() == content


async def test_a_file_that_the_user_changes_meanwhile_is_not_accepted(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("\x17h")
        await editor.press("Goadded\x1b", "textDocument/didChange")
        editor.screen.press("\x17lga")
        await editor.screen.shows("The file is no longer what the agent has seen")
        assert not editor.wire.all("agentfs/settle")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("I am at it.\r")
        assert (await answer)["context"]["review"]["decision"] == "rejected"
        await ended(editor)
        await editor.press(":w\r", "textDocument/didSave")
    assert file.read_text() == TEXT + "added\n"


async def test_a_file_that_changes_on_disk_is_a_conflict(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        file.write_text("other\n")
        await pressed(editor, "ga")
        assert (await answer)["error"]["code"] == "CONFLICT"
        await ended(editor)
        assert await layout(editor, 2) == before
    assert file.read_text() == "other\n"


async def test_a_withdrawn_change_closes_its_review(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.wire.notify("$/cancelRequest", {"id": "test-2"})
        await ended(editor)
        await editor.screen.shows(lambda text: "proposed:" not in text)
        assert await layout(editor, 2) == before


async def test_a_review_that_ends_takes_no_window_from_who_types(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("A typed")
        await editor.screen.shows("2 typed")
        editor.wire.notify("$/cancelRequest", {"id": "test-2"})
        await editor.screen.shows("This change was withdrawn by the agent")
        editor.screen.press(" on\x1b")
        await editor.screen.shows("2 typed on")
        editor.screen.press("ga")
        await editor.screen.shows("This change no longer waits for you.")
        editor.screen.press("q")
        await editor.screen.shows("what you had typed is kept: :Agentfs draft")
        editor.screen.press(":Agentfs draft\r")
        await editor.screen.shows("2 typed on")
        assert not editor.wire.all("agentfs/settle")
    assert file.read_text() == TEXT


async def test_a_change_of_blanks_is_shown_whatever_diffopt_says(
    root: Path, repository: Path, neovim: Path
) -> None:
    (root / "a.txt").write_text("".join(f"line {number}\n" for number in range(60)))
    config = "vim.opt.diffopt:append('iwhiteall')"
    async with plugin(root, repository, neovim, config=config) as editor:
        answer = await proposed(editor, "a.txt", "line 30\n", "line  30\n")
        screen = await reviewed(editor, "proposed: a.txt")
        assert "│line  30" in screen
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
        await ended(editor)
        editor.screen.press(":let g:mark = 'kept' .. (&diffopt =~# 'iwhiteall')\r")
        await editor.screen.shows("kept1")


async def test_what_others_wrote_does_not_control_the_screen(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        editor.wire.ask(
            "agentfs/edit",
            {
                "path": "a.py",
                "old_string": "two",
                "new_string": "2 \u202e#",
                "agent": "%{execute('qall!')}\u202e\x1b]0;x",
                "explanation": "%#Error#why\n\u200b\n" + "long " * 100,
            },
        )
        await waiting(editor, 1)
        screen = await reviewed(editor, "proposed: a.py")
        assert "%{execute('qall!')}\\u{202e}\\u{1b}]0;x: Edit a.py" in screen
        assert "%#Error#why" in screen
        assert "\\u{200b}" in screen
        assert "! line 2: bidirectional" in screen


async def test_a_modeline_of_the_proposal_is_text(root: Path, repository: Path, neovim: Path) -> None:
    content = "# vim: set nomodifiable foldexpr=execute('qall!') foldmethod=expr ft=vim:\n"
    config = "vim.o.modeline = true"
    async with plugin(root, repository, neovim, config=config) as editor:
        answer = editor.wire.ask("agentfs/write", {"path": "a.vim", "content": content, "agent": "Ada"})
        await waiting(editor, 1)
        await reviewed(editor, "nomodifiable")
        editor.screen.press(":echo &l:foldmethod &l:modifiable &l:filetype .. '.'\r")
        await editor.screen.shows("diff 1 .")
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
    assert (root / "a.vim").read_text() == content


async def test_a_review_in_the_file_itself(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim, open_file="a.py", options="view = 'inline',") as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        screen = await reviewed(editor, "Edit a.py (+1/-1)")
        assert "one\ntwo\n2\nthree" in screen
        await pressed(editor, "ga")
        assert (await answer)["data"]["landing"] == "disk"
        await ended(editor)
        assert file.read_text() == CHANGED
        assert await layout(editor, 2) == before
        editor.screen.press("ga")
        await editor.screen.shows("<o>")


async def test_a_review_in_the_file_becomes_a_diff_to_edit(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py", options="view = 'inline',") as editor:
        answer = await proposed(editor, "a.py", "one", "1")
        await reviewed(editor, "Edit a.py (+1/-1)")
        editor.screen.press(":Agentfs diff\r")
        await editor.screen.shows("proposed: a.py")
        await typed(editor, "A!", "1!")
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "amended"
    assert file.read_text() == "1!\ntwo\nthree\n"
