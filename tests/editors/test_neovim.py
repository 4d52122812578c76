"""Neovim 0.11 configured by docs/editors.md: typing approves nothing, and what is asked is visible."""

import contextlib
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentfs_lsp.adapters.review import diff_file
from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.text.width import width_of
from support.docs import examples, section, text_of
from support.editor import SERVER
from support.real_editors import ASK, SHOW, RealEditor, editing
from support.sample import TEXT
from support.terminal import LINES

NEOVIM = ".editors/neovim/bin/nvim"
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
REMOVE = """
local handlers = vim.lsp.config.agentfs.handlers
local ask = handlers['window/showMessageRequest']
handlers['window/showMessageRequest'] = function(...)
  vim.fn.delete('.agentfs/review', 'rf')
  vim.cmd.checktime()
  return ask(...)
end
"""
"""Removes the diff before the question, and lets Neovim notice."""
AUTO = "vim.lsp.config('agentfs', { init_options = { approval = { mode = 'auto_edit' } } })\n"


@contextlib.asynccontextmanager
async def neovim(
    root: Path, repository: Path, server: list[str] | None = None, config: str = ""
) -> AsyncIterator[RealEditor]:
    """Neovim in the workspace, with notes.txt open."""
    (root / ".git").mkdir()
    (root / "notes.txt").write_text("")
    init = root.parent / "init.lua"
    attach, _, *more = examples(section(text_of("editors.md"), "Neovim 0.11 and newer"), "lua")
    init.write_text("".join((attach, *more, config)))
    command = [str(repository / NEOVIM), "-n", "-u", str(init), "notes.txt"]
    async with editing(root, command, server) as editor:
        await editor.wire.seen("textDocument/didOpen")
        yield editor


async def choose(editor: RealEditor, title: str, number: int) -> None:
    """Answer the `number`th question with the number on screen for this title."""
    titles = [action["title"] for action in (await editor.wire.seen(ASK, number))["params"]["actions"]]
    place = titles.index(title) + 1
    await editor.screen.shows(lambda text: f"{place}: {title}" in text and f"{len(titles)}: " in text)
    editor.screen.press(f"{place}\r")


async def test_typing_as_a_proposal_arrives_lands_nothing(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository, SERVER) as editor:
        await editor.press("i2\r", "textDocument/didChange")
        answer = await editor.read_and_edit("a.py", "two", "2")
        for _ in range(10):  # until well after the diff is shown
            await editor.press("2\r", "textDocument/didChange")
        await editor.wire.seen(SHOW)
        await editor.press("2\r", "textDocument/didChange")
        assert not editor.wire.all(ASK)
        screen = await editor.screen.shows("3: Always for this session")
        assert "agentfs: Edit a.py (+1/-1), by Ada" in screen
        assert file.read_text() == TEXT
        editor.screen.press("2\r")
        await choose(editor, "Approve", 2)
        assert (await answer)["data"]["review"]["decision"] == "accepted"
    assert file.read_text() == TEXT.replace("two", "2")


@pytest.mark.parametrize(("selecting", "key"), [("Vj", "d"), ("Vj\x07", "x\x1b")])
async def test_an_arriving_diff_does_not_end_a_selection(
    root: Path, file: Path, repository: Path, selecting: str, key: str
) -> None:
    async with neovim(root, repository, SERVER) as editor:
        editor.screen.press(f"ione\rtwo\rthree\x1bgg{selecting}")
        await editor.screen.shows("LINE --")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await choose(editor, "Reject", 1)
        await answer
        await editor.press(f"{key}:w\r", "textDocument/didSave")
    assert (root / "notes.txt").read_text() == ("three\n" if key == "d" else "xthree\n")


async def test_messages_that_need_no_answer_take_no_key(root: Path, repository: Path) -> None:
    async with neovim(root, repository) as editor:
        await editor.press("ia", "textDocument/didChange")
        (root / ".agentfs.toml").write_text("".join(f'"{number}{"x" * 70}" = 1\n' for number in range(5)))
        await editor.wire.ask("agentfs/read", {"path": "notes.txt"})
        screen = await editor.screen.shows("2 too.")
        assert "Press ENTER" not in screen
        editor.screen.press("back to bed\x1b")
        await editor.press(":w\r", "textDocument/didSave")
        assert (root / "notes.txt").read_text() == "aback to bed\n"
        editor.screen.press(":messages\r")
        await editor.screen.shows("2 too.")


async def test_the_command_line_window_can_stay_open_after_a_question(root: Path, repository: Path) -> None:
    later = "vim.defer_fn(function() vim.api.nvim_set_current_line('later') end, 2500)"
    async with neovim(root, repository) as editor:
        editor.screen.press(f":new .agentfs/review/0123456789abcdef.diff | lua {later}\rq:")
        screen = await editor.screen.shows(lambda text: "\n:later\n" in text or "E11" in text)
        assert "E11" not in screen
        assert "0123456789abcdef.diff" in screen
        editor.screen.press(":quit\r")
        await editor.screen.shows(lambda text: "0123456789abcdef.diff" not in text)


async def test_what_was_typed_into_a_terminal_lands_nothing(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository) as editor:
        editor.screen.press(":terminal sh\ri")
        await editor.screen.shows("$" if os.getuid() else "#")
        answer = await editor.read_and_edit("a.py", "two", "2")
        for number in (1, 2, 3):
            question = await editor.wire.seen(ASK, number)
            await editor.screen.shows("3: Always for this session")
            editor.screen.press("2\r")
            told = await editor.wire.answered(question)
            assert told["result"]["title"] == "Approve"
        assert (await answer)["error"]["code"] == "USER_REJECTED"
    assert file.read_text() == TEXT


async def test_numbers_typed_into_a_terminal_land_nothing(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository, SERVER) as editor:
        editor.screen.press(":terminal sh\ri")
        await editor.screen.shows("$" if os.getuid() else "#")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.wire.seen(ASK)
        await editor.screen.shows("3: Always for this session")
        editor.screen.press("2\r")
        await editor.wire.seen(ASK, 2)
        await editor.screen.shows("12: ")
        editor.screen.press("make -j2\r")
        refused = await answer
    assert refused["context"]["review"]["decision"] == "dismissed"
    assert "The question was closed without approval." in refused["text"]
    assert file.read_text() == TEXT


async def test_the_diff_is_on_the_screen_with_the_question(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        screen = await editor.screen.shows("3: Always for this session")
        window, _, message = screen.partition("\nagentfs: Edit a.py")
        for shown in (window, message):
            assert "-two\n+2\n" in shown
        editor.screen.press("1\r")
        assert (await answer)["error"]["code"] == "USER_REJECTED"
        await editor.screen.shows(lambda text: "-two" not in text)


async def test_a_removed_diff_waits_for_no_key(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository, config=REMOVE) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await choose(editor, "Reject", 1)
        await answer
        editor.screen.press(":messages | echo 'all ' .. 'well'\r")
        assert "E211" not in await editor.screen.shows("all well")


async def test_each_page_of_a_long_diff_is_on_the_screen_as_a_whole(root: Path, repository: Path) -> None:
    lines = [f"line {number}" for number in range(LINES * 2)]
    async with neovim(root, repository, SERVER) as editor:
        params = {"path": "long.txt", "content": "\n".join(lines), "agent": "Ada"}
        answer = editor.wire.ask("agentfs/write", params)
        shown = ""
        page = 0
        while "Approve" not in shown:
            page += 1
            question = (await editor.wire.seen(ASK, page))["params"]
            onward = question["actions"][1]["title"]
            screen = await editor.screen.shows(f"2: {onward}")
            assert all(line in screen for line in question["message"].split("\n"))
            shown += screen
            editor.screen.press("2\r")
        await choose(editor, "Approve", page + 1)
        assert (await answer)["data"]["applied"]
    assert page > 2
    assert all(f"+{line}\n" in shown for line in lines)


async def test_a_question_an_error_hides_begins_measuring(root: Path, file: Path, repository: Path) -> None:
    """In the command-line window Neovim's own handler can't show the diff, and its error waits for a key."""
    async with neovim(root, repository, SERVER) as editor:
        editor.screen.press(":lua vim.lsp.get_clients()[1].handlers = {}\rq:")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("Press ENTER")
        question = (await editor.wire.seen(ASK))["params"]
        assert "The letter is" in question["message"]
        editor.screen.press("\r")
        screen = await editor.screen.shows("9: h")
        (letter,) = re.findall(r"The letter is (\w)\.", screen)
        await choose(editor, letter, 1)
        screen = await editor.screen.shows("3: Always for this session")
        assert "-two\n+2\n three" in screen
        await choose(editor, "Approve", 2)
        (letter,) = re.findall(r"The letter is (\w)\.", await editor.screen.shows("9: h"))
        await choose(editor, letter, 3)
        assert (await answer)["data"]["applied"]


@pytest.mark.parametrize("keys", [":edit a.xyz\r", ":edit new.xyz\r", ":enew\rione\x1b:write new.xyz\r"])
async def test_a_file_without_a_type_is_attached(root: Path, repository: Path, keys: str) -> None:
    (root / "a.xyz").write_text(TEXT)
    async with neovim(root, repository, SERVER) as editor:
        opened = await editor.press(keys, "textDocument/didOpen")
        assert opened["params"]["textDocument"]["uri"].endswith(".xyz")


@pytest.mark.parametrize(("size", "config"), [(15, ""), (24, "vim.o.cmdheight = 0\n")])
async def test_no_row_of_a_page_scrolls_away(
    root: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, size: int, config: str
) -> None:
    monkeypatch.setattr("support.terminal.LINES", size)
    (root / "a.py").write_text(f"{TEXT}# vim: set nomore:\n")
    async with neovim(root, repository, SERVER, f"vim.o.modeline = true\n{config}") as editor:
        await editor.press(":edit a.py\r", "textDocument/didOpen")
        content = "".join(f"line {number}\n" for number in range(20))
        editor.wire.ask("agentfs/write", {"path": "new.py", "content": content})
        assert "Create new.py" in await editor.screen.shows("-- More --" if size < 24 else "2: Next")


async def test_no_long_path_makes_an_edit_wait_for_a_key(root: Path, repository: Path) -> None:
    name = "components/settings/accounts/account_settings_table.tsx"
    (root / name).parent.mkdir(parents=True)
    (root / name).write_text(TEXT)
    async with neovim(root, repository, SERVER) as editor:
        await editor.press(f":edit {name}\r", "textDocument/didOpen")
        answer = await editor.read_and_edit(name, "two", "2")
        await choose(editor, "Approve", 1)
        await choose(editor, "Approve", 2)
        assert (await answer)["data"]["landing"] == "editor"


async def test_a_picker_cuts_no_page_to_its_title(root: Path, repository: Path) -> None:
    picker = "vim.ui.select = function(_, options) print(vim.split(options.prompt, '\\n')[1]) end\n"
    async with neovim(root, repository, SERVER, picker) as editor:
        editor.wire.ask("agentfs/write", {"path": "new.py", "content": "one\ntwo\n"})
        await editor.wire.seen(ASK)
        assert "+one\n+two\n" in await editor.screen.shows("2: Approve")


async def test_no_question_covers_that_of_another_server(root: Path, repository: Path) -> None:
    (root / "sub/.git").mkdir(parents=True)
    (root / "sub/notes.txt").write_text("")
    contents = {name: "".join(f"{name} {row}\n" for row in range(6)) for name in ("a.py", "b.py")}
    async with neovim(root, repository, SERVER) as editor:
        answers = [editor.wire.ask("agentfs/write", {"path": "a.py", "content": contents["a.py"]})]
        editor.screen.press(":edit sub/notes.txt\r")
        await editor.wire.seen("initialized", 2)
        answers += [editor.wire.ask("agentfs/write", {"path": "b.py", "content": contents["b.py"]})]
        await editor.wire.seen(ASK, 2)
        first, second = (
            re.search(r"Create (\S+)", ask["params"]["message"])[1] for ask in editor.wire.all(ASK)
        )
        for name in (first, second):
            rows = "".join(f"+{line}\n" for line in contents[name].splitlines())
            await editor.screen.shows(lambda text, rows=rows: rows in text and "3: Always" in text)
            editor.screen.press("1\r")
        assert [(await answer)["error"]["code"] for answer in answers] == ["USER_REJECTED"] * 2


async def test_ctrl_c_at_the_question_is_a_no(root: Path, file: Path, repository: Path) -> None:
    async with neovim(root, repository, SERVER) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("3: Always for this session")
        editor.screen.press("\x03")
        told = await answer
    assert told["error"]["code"] == "USER_REJECTED"
    assert told["context"]["review"]["decision"] == "dismissed"
    assert file.read_text() == TEXT


def test_no_modeline_of_a_diff_is_obeyed(tmp_path: Path, repository: Path) -> None:
    diff = tmp_path / "0123456789abcdef.diff"
    lines = ["--- a/a.c", "+++ b/a.c", "@@ -1 +1 @@", "-a", "+/* vim: set ts=3 nomore: */"]
    for head, obeyed in (("", b"3"), (diff_file._HEAD, b"8")):
        diff.write_text(head + "\n".join([*lines, *lines]) + "\n")
        ask = ["-c", "set modeline", "-c", f"edit {diff}", "-c", "verbose echo &tabstop", "-c", "quit"]
        command = [repository / NEOVIM, "-u", "NONE", "-es", *ask]
        run = subprocess.run(command, capture_output=True, check=True)
        assert (run.stdout + run.stderr).split()[-1] == obeyed


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


async def test_a_message_that_needs_no_answer_ends_no_question(
    root: Path, file: Path, repository: Path
) -> None:
    async with neovim(root, repository, SERVER) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("3: Always for this session")
        (root / ".agentfs.toml").write_text("nonsense = 1\n")
        await editor.wire.ask("agentfs/read", {"path": "a.py"})
        await editor.wire.seen("window/logMessage")
        editor.screen.press("1\r")
        assert (await answer)["error"]["code"] == "USER_REJECTED"
        await editor.screen.shows("ignored.")


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


def test_no_character_is_wider_than_it_counts(tmp_path: Path, repository: Path) -> None:
    characters = [chr(code) for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    lines = [escape_invisible(one) for one in characters if one != "\n"]
    lines += [escape_invisible(f"界{one}界") for one in characters if unicodedata.category(one) == "Cf"]
    listed, measured = tmp_path / "characters", tmp_path / "widths"
    listed.write_text("\n".join(lines), newline="")
    measure = "call writefile(map(readfile($LISTED), {_, line -> string(strdisplaywidth(line))}), $MEASURED)"
    subprocess.run(
        [repository / NEOVIM, "-u", "NONE", "--headless", "-c", measure, "-c", "quit"],
        env={**os.environ, "LISTED": str(listed), "MEASURED": str(measured), "LC_ALL": "C.UTF-8"},
        check=True,
    )
    widths = [int(width) for width in measured.read_text().split()]
    assert len(widths) == len(lines)
    wider = [ascii(line) for line, width in zip(lines, widths, strict=True) if width > width_of(line)]
    assert wider == []
