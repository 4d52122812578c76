"""What lands in a document of Neovim is what was proposed, and the server knows its text."""

from pathlib import Path

import pytest

from support.editor import SERVER
from support.real_neovim import choose, neovim
from support.sample import TEXT

AUTO = "vim.lsp.config('agentfs', { init_options = { approval = { mode = 'auto_edit' } } })\n"
SPOIL = """
local apply = vim.lsp.handlers['workspace/applyEdit']
vim.lsp.handlers['workspace/applyEdit'] = function(...)
  vim.fn.writefile({ tostring(vim.uv.hrtime()) }, 'b.py')
  return apply(...)
end
"""
"""Changes b.py as an edit of another file arrives, so that a batch of both is rolled back."""
CROSS = """
local apply = vim.lsp.handlers['workspace/applyEdit']
vim.lsp.handlers['workspace/applyEdit'] = function(...)
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' })
  return apply(...)
end
"""
"""Changes the document as an edit of it arrives."""


@pytest.mark.parametrize("keys", [":edit a.xyz\r", ":edit new.xyz\r", ":enew\rione\x1b:write new.xyz\r"])
async def test_a_file_without_a_type_is_attached(root: Path, repository: Path, keys: str) -> None:
    (root / "a.xyz").write_text(TEXT)
    async with neovim(root, repository, SERVER) as editor:
        opened = await editor.press(keys, "textDocument/didOpen")
        assert opened["params"]["textDocument"]["uri"].endswith(".xyz")


@pytest.mark.parametrize(
    "content", ["one\n2\n", "one\ntwo\n", "one\ntwo\nthree\n", "one\ntwo\n\n", "zero\none\n2\n", "2\ntwo\n"]
)
@pytest.mark.parametrize("option", ["fixeol", "nofixeol"])
async def test_a_file_without_a_last_line_end_gets_the_one_that_is_written_and_no_more(
    root: Path, repository: Path, content: str, option: str
) -> None:
    file = root / "a.py"
    file.write_text("one\ntwo")
    async with neovim(root, repository, SERVER) as editor:
        await editor.press(f":set {option} | edit a.py\r", "textDocument/didOpen")
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        answer = editor.wire.ask("agentfs/write", {"path": "a.py", "content": content})
        for number in (1, 2):
            await choose(editor, "Approve", number)
        answered = await answer
        assert (answered["data"]["landing"], answered["data"]["review"]["decision"]) == ("editor", "accepted")
        await editor.press(":w\r", "textDocument/didSave")
        assert file.read_text() == content
        assert (await editor.wire.ask("agentfs/read", {"path": "a.py"}))["data"]["dirty"] is False
        edit = {"path": "a.py", "old_string": content, "new_string": f"{content}more\n", "dry_run": True}
        assert "error" not in await editor.wire.ask("agentfs/edit", edit)


@pytest.mark.parametrize("before", ["", "\n\n", "one", "one\n"])
@pytest.mark.parametrize("content", ["", "\n"])
async def test_an_empty_document_is_saved(root: Path, repository: Path, before: str, content: str) -> None:
    file = root / "a.py"
    file.write_text(before)
    async with neovim(root, repository, SERVER, AUTO) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        assert (await editor.wire.ask("agentfs/read", {"path": "a.py"}))["data"]["dirty"] is False
        empty = {"path": "a.py", "content": content, "allow_empty": True}
        assert "error" not in await editor.wire.ask("agentfs/write", empty)
        await editor.press(":w\r", "textDocument/didSave")
        assert file.read_text() in ("", "\n")
        assert (await editor.wire.ask("agentfs/read", {"path": "a.py"}))["data"]["dirty"] is False
        more = {"path": "a.py", "content": "more\n"}
        assert "error" not in await editor.wire.ask("agentfs/write", more)
        await editor.press(":w\r", "textDocument/didSave")
    assert file.read_text() == "more\n"


@pytest.mark.parametrize("content", ["one\r\ntwo\nthree\r\n", "one\r\nthree\r\ntwo\n"])
async def test_a_file_with_mixed_line_ends_is_followed(root: Path, repository: Path, content: str) -> None:
    file = root / "a.py"
    file.write_bytes(content.encode())
    async with neovim(root, repository, SERVER, AUTO) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        for number, typed in enumerate(("", ":%s/\\r$//\r"), 1):
            answer = await editor.read_and_edit("a.py", "two", f"two\n{number}")
            assert (await answer)["data"]["landing"] == "editor"
            await editor.press(f"{typed}:w\r", "textDocument/didSave")
            data = (await editor.wire.ask("agentfs/read", {"path": "a.py"}))["data"]
            assert (data["content"], data["dirty"]) == (file.read_bytes().decode(), False)
    assert "\r" not in data["content"]


async def test_an_edit_of_a_latin_1_file_is_saved_and_undone(root: Path, repository: Path) -> None:
    file = root / "a.py"
    file.write_bytes(before := "déjà\ntwo\n".encode("latin-1"))
    edit = {"path": "a.py", "old_string": "two", "new_string": "2"}
    steps = (("agentfs/edit", edit, before.replace(b"two", b"2")), ("agentfs/undo", {}, before))
    async with neovim(root, repository, SERVER, AUTO) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        for method, params, on_disk in steps:
            assert "error" not in await editor.wire.ask(method, params)
            await editor.press(":w\r", "textDocument/didSave")
            assert (await editor.wire.ask("agentfs/read", {"path": "a.py"}))["data"]["dirty"] is False
            assert file.read_bytes() == on_disk


async def test_what_is_typed_under_another_name_is_not_overwritten(root: Path, repository: Path) -> None:
    (root / "a.py").write_text("one\n")
    (root / "b.py").write_text("two\n")
    write = {"path": "b.py", "content": "2\n"}
    async with neovim(root, repository, SERVER, AUTO) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        await editor.wire.ask("agentfs/read", {"path": "b.py"})
        await editor.press(":file b.py\rOtyped\x1b", "textDocument/didChange")
        assert (await editor.wire.ask("agentfs/write", write))["error"]["code"] == "CONFLICT"
        await editor.press(":w!\r", "textDocument/didSave")
        data = (await editor.wire.ask("agentfs/read", {"path": "b.py"}))["data"]
    assert (data["content"], data["dirty"]) == ("typed\none\n", False)
    assert (root / "b.py").read_text() == "typed\none\n"


async def test_an_edit_that_crosses_the_first_keys_lands_nowhere(
    root: Path, file: Path, repository: Path
) -> None:
    async with neovim(root, repository, SERVER, AUTO + CROSS) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("newer than edits.")
        editor.screen.press("\r")
        assert (await answer)["error"]["code"] == "CONFLICT"
        await editor.press(":w\r", "textDocument/didSave")
    assert file.read_text() == f"typed\n{TEXT}"


@pytest.mark.parametrize("typed", ["replaced", "left"])
async def test_an_edit_waits_until_a_substitution_is_typed(
    root: Path, file: Path, repository: Path, typed: str
) -> None:
    async with neovim(root, repository, SERVER, AUTO) as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        editor.screen.press(":s/one")
        await editor.screen.shows("\n:s/one")
        answer = await editor.read_and_edit("a.py", "three", "3")
        await editor.wire.seen("workspace/applyEdit")
        if typed == "replaced":
            editor.screen.press("/x/\r")
            await editor.screen.shows("newer than edits.")
            editor.screen.press("\r")
            assert (await answer)["error"]["code"] == "CONFLICT"
        else:
            editor.screen.press("\x1b")
            assert (await answer)["data"]["landing"] == "editor"
        read = await editor.wire.ask("agentfs/read", {"path": "a.py"})
        await editor.press(":w\r", "textDocument/didSave")
    expected = TEXT.replace("one", "x") if typed == "replaced" else TEXT.replace("three", "3")
    assert read["data"]["content"] == file.read_text() == expected


@pytest.mark.parametrize("option", ["fixeol", "nofixeol"])
async def test_lines_at_the_end_are_saved_as_proposed_undone_and_rolled_back(
    root: Path, repository: Path, option: str
) -> None:
    cases = [
        ("one\n", "one\ntwo\n"),
        ("one\r\n", "one\r\ntwo\r\n"),
        ("one\ntwo\n", "1\ntwo\n\n"),
        ("one\ntwo\n\n", "one\n"),
        ("one\n\ntwo\n", "\n"),
        ("one\n", ""),
        ("\n", "one\n"),
        ("", "one\n"),
        ("one", "2\n"),
        ("one", ""),
    ]
    async with neovim(root, repository, SERVER, AUTO + SPOIL) as editor:

        async def rested(number: int) -> None:
            """Neovim reports a change at once if it reported none for 150 ms, and what follows later."""
            editor.screen.press(f":lua vim.defer_fn(function() print('rest' .. 'ed {number}') end, 200)\r")
            await editor.screen.shows(f"rested {number}")

        async def saved(name: str) -> str:
            await editor.press(":w\r", "textDocument/didSave")
            return (root / name).read_bytes().decode()

        for number, (before, after) in enumerate(cases):
            name = f"{number}.py"
            (root / name).write_text(before, newline="")
            await editor.press(f":set {option} | edit {name}\r", "textDocument/didOpen")
            await editor.wire.ask("agentfs/read", {"path": name})
            write = {"path": name, "content": after, "allow_empty": True}
            steps = [("write", write), ("undo", {}), ("write", write)]
            if before == "one":  # an undo would leave it its line end
                steps = [("write", {**write, "content": text}) for text in ("zero", before)]
            for step, (method, params) in enumerate(steps):
                if step < 2:
                    await rested(2 * number + step)
                answer = await editor.wire.ask(f"agentfs/{method}", params)
                assert "landing" in answer["data"], (before, after, answer)
            if before != "one":
                assert await saved(name) == after, before
                await editor.wire.ask("agentfs/undo", {})
                assert await saved(name) == before, after
            await rested(-number)
            (root / "b.py").write_text(TEXT)
            for path in (name, "b.py"):
                await editor.wire.ask("agentfs/read", {"path": path})
            operations = [{"tool": "write", "params": {**write, "path": path}} for path in (name, "b.py")]
            answer = await editor.wire.ask("agentfs/batch", {"operations": operations})
            assert answer.get("error", {}).get("code") == "CONFLICT", (before, after, answer)
            ended = "\n" if before == "one" and option == "fixeol" else ""
            assert await saved(name) == before + ended, after
