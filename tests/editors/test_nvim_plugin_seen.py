"""agentfs.nvim: what is accepted has all been on the screen, also what is long, folded, or removed."""

import asyncio
from pathlib import Path

from support.nvim_plugin import ended, plugin, pressed, proposed, quiet, reviewed, waiting
from support.real_editors import RealEditor
from support.wire import Message

INLINE = "view = 'inline',"
UNSEEN = "not on the screen yet"


async def rewritten(editor: RealEditor, path: str, content: str) -> asyncio.Future[Message]:
    """An agent's new text of a file that it has read, once it waits."""
    await editor.wire.ask("agentfs/read", {"path": path})
    answer = editor.wire.ask("agentfs/write", {"path": path, "content": content, "agent": "Ada"})
    await waiting(editor, 1)
    return answer


async def refused(editor: RealEditor, number: int) -> str:
    """Press ga, which does not accept; returns the screen."""
    editor.screen.press("ga")
    await editor.screen.shows(UNSEEN)
    await quiet(editor, number)
    assert not editor.wire.all("agentfs/settle")
    return editor.screen.text


async def test_a_held_key_turns_no_pages(root: Path, repository: Path, neovim: Path) -> None:
    content = "".join(f"line {number}\n" for number in range(60))
    clock = """
    local time = vim.uv.hrtime
    vim.g.passed = 0
    vim.uv.hrtime = function() return time() + vim.g.passed end
    """
    async with plugin(root, repository, neovim, options="guard_ms = 60000,", config=clock) as editor:
        editor.wire.ask("agentfs/write", {"path": "long.txt", "content": content, "agent": "Ada"})
        await waiting(editor, 1)
        await reviewed(editor, "line 0")
        editor.screen.press(":let g:passed = 100000000000\r")
        for number in range(6):
            editor.screen.press("ga")
            await quiet(editor, number)
        await editor.screen.shows("Only just shown: press ga again.")
        assert not editor.wire.all("agentfs/settle")


async def test_a_line_longer_than_the_window_is_read_to_its_end(
    root: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        content = f"{'x' * 2010}END\n"
        answer = editor.wire.ask("agentfs/write", {"path": "c.txt", "content": content, "agent": "Ada"})
        await waiting(editor, 1)
        shown, number = await reviewed(editor, "xxx"), 0
        while "xEND" not in shown:
            shown = await refused(editor, number := number + 1)
        await pressed(editor, "ga")
        assert (await answer)["data"]["applied"]


async def test_removed_lines_are_seen(root: Path, repository: Path, neovim: Path) -> None:
    (root / "long.txt").write_text("top\n" + "".join(f"line {number}.\n" for number in range(60)) + "end\n")
    async with plugin(root, repository, neovim) as editor:
        answer = await rewritten(editor, "long.txt", "top\nend\n")
        shown = [await reviewed(editor, "line 0.")]
        while "line 59." not in shown[-1]:
            shown.append(await refused(editor, len(shown)))
        assert all(f"line {number}." in "".join(shown) for number in range(60))
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
    assert (root / "long.txt").read_text() == "top\nend\n"


async def test_names_that_look_the_same_are_two_files(root: Path, repository: Path, neovim: Path) -> None:
    operations = [
        {"tool": "write", "params": {"path": name, "content": f"{number}\n"}}
        for number, name in enumerate(("a b.py", "a  b.py"))
    ]
    async with plugin(root, repository, neovim) as editor:
        editor.wire.ask("agentfs/batch", {"operations": operations, "agent": "Ada"})
        await waiting(editor, 1)
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("│0")
        editor.screen.press("ga")
        await editor.screen.shows("│1")
        await pressed(editor, "ga")
        await ended(editor)
    assert [(root / name).read_text() for name in ("a b.py", "a  b.py")] == ["0\n", "1\n"]


async def test_what_is_folded_in_the_file_is_shown_there(root: Path, repository: Path, neovim: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\nthree\n\tfolded\n\ttoo\nend\n")
    config = "vim.o.foldmethod = 'indent'"
    async with plugin(root, repository, neovim, options=INLINE, config=config, open_file="a.txt") as editor:
        await editor.screen.shows("+--")
        await rewritten(editor, "a.txt", "1\ntwo\nthree\n\tfolded\n\tchanged\nend\n")
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("    changed")
        editor.screen.press("q")
        await editor.screen.shows("+--")


async def test_added_lines_fit_a_window_that_became_narrower(
    root: Path, repository: Path, neovim: Path
) -> None:
    (root / "a.txt").write_text("one\ntwo\nthree\n")
    async with plugin(root, repository, neovim, options=INLINE, open_file="a.txt") as editor:
        await proposed(editor, "a.txt", "two", f"{'x' * 60} end")
        editor.screen.press(":Agentfs review\r")
        await editor.screen.shows("x end")
        editor.screen.press(":rightbelow vsplit notes.txt\r")
        await editor.screen.shows(lambda text: "a.txt" in text and "notes.txt" in text)
        await editor.screen.shows("x end")
