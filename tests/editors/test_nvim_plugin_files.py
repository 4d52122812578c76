"""agentfs.nvim: the bytes that land, whatever the file is like, and the text that the server is told."""

from pathlib import Path

import pytest

from support.nvim_plugin import ended, layout, plugin, pressed, proposed, reviewed, typed, waiting

GBK = "set fileencodings=utf-8,gbk,latin1"


@pytest.mark.parametrize("how", ["open", "closed"])
@pytest.mark.parametrize("amended", [False, True])
@pytest.mark.parametrize(
    ("before", "config"),
    [
        (b"one\ntwo\nthree\n", ""),
        (b"one\r\ntwo\r\nthree\r\n", ""),
        (b"one\ntwo\nthree", ""),
        (b"one\ntwo\nthree", "vim.o.fixeol = false"),
        (b"\xef\xbb\xbfone\ntwo\nthree\n", ""),
        ("一\ntwo\n三\n".encode("gbk"), f"vim.cmd('{GBK}')"),
        (b"one\r\ntwo\nthree\r\n", ""),
    ],
    ids=["plain", "crlf", "unended", "nofixeol", "bom", "gbk", "mixed"],
)
async def test_only_what_was_proposed_or_typed_changes(
    root: Path, repository: Path, neovim: Path, before: bytes, config: str, how: str, amended: bool
) -> None:
    file = root / "a.txt"
    file.write_bytes(before)
    options = ""
    opened = "a.txt" if how == "open" else "notes.txt"
    if before.decode("gbk", "replace").startswith("一") and how == "closed":
        options, config = "settings = { encoding = { default = 'gbk' } },", ""
    async with plugin(root, repository, neovim, open_file=opened, options=options, config=config) as editor:
        layout_before = await layout(editor, 1)
        answer = await proposed(editor, "a.txt", "two", "zwei")
        await reviewed(editor, "zwei")
        if amended:
            await typed(editor, "A!", "zwei!")
        settled = await pressed(editor, "ga")
        answered = await answer
        await ended(editor)
        assert await layout(editor, 2) == layout_before
    assert answered["data"]["landing"] == "disk", answered
    assert answered["data"]["review"]["decision"] == ("amended" if amended else "accepted")
    assert ("files" in settled["params"]) == amended
    after = before.replace(b"two", b"zwei!" if amended else b"zwei")
    if before.endswith(b"three") and how == "open" and not config:
        after += b"\n"  # Neovim's fixeol
    assert file.read_bytes() == after


async def test_a_new_file_in_a_new_folder(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        answer = editor.wire.ask(
            "agentfs/write", {"path": "src/new/a.py", "content": "a = 1\n", "agent": "Ada"}
        )
        await waiting(editor, 1)
        assert "new file: src/new/a.py" in await reviewed(editor, "a = 1")
        assert not (root / "src").exists()
        await pressed(editor, "ga")
        assert (await answer)["data"]["operation"] == "create"
    assert (root / "src/new/a.py").read_text() == "a = 1\n"


async def test_a_buffer_with_unsaved_changes_gets_the_change_and_is_not_saved(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    text = file.read_text()
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        await typed(editor, "Ounsaved", "unsaved")
        read = {"path": "a.py"}
        while not (await editor.wire.ask("agentfs/read", read))["data"]["content"].startswith("unsaved\n"):
            pass  # what was typed has not reached the server yet
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        answered = await answer
        await ended(editor)
        assert (answered["status"], answered["data"]["landing"]) == ("partial", "editor")
        assert file.read_text() == text
        editor.screen.press(":w\r")
        await editor.wire.seen("textDocument/didSave")
    assert file.read_text() == "unsaved\n" + text.replace("two", "2")


async def test_what_was_landed_is_undone_by_u(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    text = file.read_text()
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        await answer
        await ended(editor)
        await editor.press("u:w\r", "textDocument/didSave")
    assert file.read_text() == text


async def test_a_change_that_is_allowed_lands_and_is_saved(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    options = "settings = { approval = { mode = 'auto_edit' } },"
    async with plugin(root, repository, neovim, open_file="a.py", options=options) as editor:
        answered = await (await editor.read_and_edit("a.py", "two", "2"))
        assert answered["data"]["landing"] == "disk"
        assert file.read_text() == "one\n2\nthree\n"
        assert not editor.wire.all("agentfs/proposed")


async def test_a_file_that_is_touched_meanwhile_waits_for_no_key(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        file.touch()
        await pressed(editor, "ga")
        assert (await answer)["data"]["landing"] == "disk"
        await ended(editor)
        assert file.read_text() == "one\n2\nthree\n"
