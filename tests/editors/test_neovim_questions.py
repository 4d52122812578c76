"""In Neovim, typing approves nothing, and what is asked is visible."""

import os
import re
import subprocess
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest

from agentfs_lsp.adapters.review import diff_file
from agentfs_lsp.client import AsyncAgentFS, ServerGone
from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.text.width import width_of
from agentfs_lsp.sockets import discovery
from support.editor import SERVER
from support.real_editors import ASK, SHOW
from support.real_neovim import NEOVIM, choose, neovim
from support.sample import TEXT
from support.terminal import LINES

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
    assert len(editor.wire.all("initialize")) == 1, "the terminal starts no server of its own"
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
    contents = {name: "".join(f"# {name} {row}\n" for row in range(6)) for name in ("a.py", "b.py")}
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


async def test_an_agent_outside_is_listed_and_disconnected(root: Path, repository: Path) -> None:
    async with neovim(root, repository) as editor:
        while discovery.find(root) is None:
            await editor.wire.ask("agentfs/status", {})
        async with AsyncAgentFS.attach(root, name="Ada") as ada:
            await ada.status()
            editor.screen.press(":AgentfsAgents\r")
            await editor.screen.shows("1: Ada, pending changes: 0")
            editor.screen.press("1\r")
            await editor.wire.seen("agentfs/disconnect")
            while ada.is_connected:
                with suppress(ServerGone):
                    await ada.status()
