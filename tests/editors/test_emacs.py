"""Emacs with Debian's eglot: the minibuffer shows each page completely, and `C-g` delays nothing."""

import contextlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from agentfs_lsp.domain.text.escaping import escape_invisible
from agentfs_lsp.domain.text.width import width_of
from support.docs import examples, section, text_of
from support.editor import CAN_SHOW, SERVER, path_of
from support.editor import editing as serving
from support.real_editors import ASK, SHOW, RealEditor, editing
from support.sample import TEXT
from support.terminal import terminal
from support.wire import Message

HASTY = [sys.executable, "-m", "support.hasty_server"]
C_G = "\x07"

INIT = """
(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil create-lockfiles nil)
(setq warning-minimum-level :error)
(require 'eglot)
(add-to-list 'eglot-server-programs '((text-mode markdown-mode) . ("agentfs-lsp")))
(add-hook 'emacs-startup-hook (lambda () (switch-to-buffer "notes.txt") (call-interactively #'eglot)))
"""

# Measured by the display engine: `string-width` does not know glyphless characters.
MEASURE = """
(setq inhibit-startup-screen t gc-cons-threshold 100000000)
(add-hook 'emacs-startup-hook
 (lambda ()
  (let ((coding-system-for-read 'utf-8-unix) lines widths)
   (with-temp-buffer
    (insert-file-contents (getenv "LISTED"))
    (setq lines (split-string (buffer-string) "\n")))
   (switch-to-buffer "one line")
   (buffer-disable-undo)
   (dolist (line lines)
    (erase-buffer)
    (insert line)
    (push (number-to-string (car (window-text-pixel-size nil (point-min) (point-max)))) widths))
   (with-temp-file (getenv "MEASURED") (insert (mapconcat #'identity (nreverse widths) "\n")))
   (message "all measured"))))
"""


@contextlib.asynccontextmanager
async def emacs(root: Path, server: list[str] | None = None, more: str = "") -> AsyncIterator[RealEditor]:
    """Emacs in the workspace, with notes.txt open."""
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    for name, text in (("notes.txt", ""), ("a.py", TEXT), ("b.py", TEXT)):
        (root / name).write_text(text)
    init = root.parent / "init.el"
    init.write_text(INIT + more)
    async with editing(root, ["emacs", "-nw", "-l", str(init), "notes.txt"], server) as editor:
        await editor.wire.seen("textDocument/didOpen")
        yield editor


async def turned_to_the_last_page(editor: RealEditor) -> str:
    """The screens on the way; on the last page is "Approve"."""
    await editor.screen.shows("make the window larger")
    (letter,) = re.findall(r"The letter is (\w)\.", await editor.screen.shows("Choose an option: Reject"))
    editor.screen.press(f"\x01\x0b{letter}\r")
    shown, page = "", 1
    while "Approve" not in str(question := (await editor.wire.seen(ASK, page := page + 1))["params"]):
        shown += await shows_question(editor, question)
        onward = question["actions"][1]["title"]
        editor.screen.press(f"\x01\x0b{onward}\r")  # C-a C-k: what stands there is "Reject"
    return shown + await shows_question(editor, question)


async def shows_question(editor: RealEditor, question: Message) -> str:
    """Wait until the screen shows the whole question and its prompt; returns the screen's text."""
    lines = [*question["message"].split("\n"), ", by Ada\nChoose an option: Reject"]
    return await editor.screen.shows(lambda text: all(one in text for one in lines))


async def approve(editor: RealEditor) -> None:
    """On the last page."""
    editor.screen.press("\x01\x0bApprove\r")
    await editor.screen.shows("Choose it to confirm")
    (letter,) = re.findall(r"The letter is (\w)\.", await editor.screen.shows("Choose an option: Reject"))
    editor.screen.press(f"\x01\x0b{letter}\r")


async def test_each_page_is_in_the_minibuffer_as_a_whole(root: Path) -> None:
    async with emacs(root, SERVER) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        shown = await turned_to_the_last_page(editor)
        assert all(f"{line} ⏎\n" in shown for line in ("-two", "+2", "␣three"))
        await approve(editor)
        assert (await answer)["data"]["applied"]
    assert (root / "a.py").read_text() == TEXT.replace("two", "2")


async def test_what_is_typed_after_saving_under_another_name_is_not_overwritten(root: Path) -> None:
    write = {"path": "c.txt", "content": "2\n", "overwrite": True, "dry_run": True}
    async with emacs(root, SERVER) as editor:
        await editor.press("\x18\x17c.txt\r", "textDocument/didSave")
        await editor.wire.ask("agentfs/read", {"path": "c.txt"})
        await editor.press("typed\r", "textDocument/didChange")
        assert (await editor.wire.ask("agentfs/write", write))["error"]["code"] == "CONFLICT"
        await editor.press("\x18\x13", "textDocument/didSave")
        data = (await editor.wire.ask("agentfs/read", {"path": "c.txt"}))["data"]
    assert (data["content"], data["dirty"], (root / "c.txt").read_text()) == ("typed\n", False, "typed\n")


async def test_saving_a_narrowed_buffer_hides_nothing(root: Path) -> None:
    async with emacs(root, SERVER, "(put 'narrow-to-region 'disabled nil)\n") as editor:
        editor.screen.press("one\rtwo\rthree\r\x1b<\x0e\x00\x1b>\x18nn")
        await editor.press("four\r\x18\x13", "textDocument/didSave")
        data = (await editor.wire.ask("agentfs/read", {"path": "notes.txt"}))["data"]
    assert (data["content"], data["dirty"]) == (f"{TEXT}four\n", False)


async def test_a_page_cut_short_is_never_asked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.terminal.LINES", 19)
    async with emacs(root, SERVER) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        screen = await editor.screen.shows("Edit a.py (+1/-1), by Ada\nChoose an option: Reject")
        assert "make the window larger" in screen
        assert "The letter is" not in screen
        editor.screen.press("\x01\x0bApprove\r")
        await editor.screen.shows("[No match]")
        editor.screen.press("\x01\x0bReject\r")
        assert (await answer)["error"]["code"] == "USER_REJECTED"


async def test_a_window_that_has_become_too_small_approves_nothing(root: Path) -> None:
    async with emacs(root, SERVER) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await turned_to_the_last_page(editor)
        editor.screen.resize(10)
        editor.screen.press("\x01\x0bApprove")
        await editor.screen.shows("Choose an option: Approve")
        editor.screen.press("\r")
        confirming = await editor.wire.seen(ASK, len(editor.wire.all(ASK)) + 1)
        assert "Choose it to confirm" in confirming["params"]["message"]
        # Keys that come before the question are not its answer.
        screen = await editor.screen.shows("Choose an option: Reject")
        assert "The letter is" not in screen
        editor.screen.press("\x01\x0bApprove\r")
        await editor.screen.shows("[No match]")
        editor.screen.press("\x01\x0bReject\r")
        assert (await answer)["error"]["code"] == "USER_REJECTED"


async def test_a_question_quit_with_c_g_comes_again_and_then_lets_the_next_one_appear(root: Path) -> None:
    async with emacs(root, HASTY) as editor:
        await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("Edit a.py (+1/-1), by Ada\nChoose an option")
        await editor.read_and_edit("b.py", "two", "2")
        for times in (1, 2):
            editor.screen.press(C_G)
            await editor.screen.shows("Quit")
            question = await editor.wire.seen(ASK, times + 1)
            end = question["params"]["message"].split("\n")[-1]
            await editor.screen.shows(f"{end}\nChoose an option")
        assert "Edit b.py" in end
    for name in ("a.py", "b.py"):
        assert (root / name).read_text() == TEXT


async def test_with_the_lines_of_the_documents_c_g_is_a_no_at_once(root: Path) -> None:
    lines, _ = examples(section(text_of("editors.md"), "Emacs: both"), "elisp")
    async with emacs(root, more=lines) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("Edit a.py (+1/-1), by Ada\nChoose an option")
        editor.screen.press(C_G)
        assert (await answer)["context"]["review"]["decision"] == "dismissed"


@pytest.mark.parametrize("keys", ["y", C_G])
async def test_eglot_reports_an_edit_at_once_with_the_lines_of_the_documents(root: Path, keys: str) -> None:
    """Else when its idle timer runs, which may be after the next key; here, never."""
    *_, lines = examples(section(text_of("editors.md"), "Emacs: eglot"), "elisp")
    rejects, _ = examples(section(text_of("editors.md"), "Emacs: both"), "elisp")
    async with emacs(root, SERVER, f"(setq eglot-send-changes-idle-time 3600){lines}{rejects}") as editor:
        (root / "a.txt").write_text(TEXT)
        await editor.press("\x18\x06a.txt\r", "textDocument/didOpen")
        answer = await editor.read_and_edit("a.txt", "two", "2")
        await turned_to_the_last_page(editor)
        await approve(editor)
        await editor.screen.shows("Proceed?")
        editor.screen.press(keys)
        answered = await answer
        if keys == "y":
            assert answered["data"]["landing"] == "editor"
        else:
            assert "was accepted but not applied: the editor did not apply it" in answered["text"]


async def test_every_file_of_a_project_is_attached_to_one_server(root: Path) -> None:
    attach, *_ = examples(section(text_of("editors.md"), "Emacs: eglot"), "elisp")
    async with emacs(root, SERVER, f"(setq emacs-startup-hook nil){attach}") as editor:
        for name in ("a.toml", "a.cfg", "a.patch", "a.html", "a.py"):
            await editor.press(f"\x18\x06{name}\r", "textDocument/didOpen")
        assert len(editor.wire.all("initialize")) == 1


async def test_with_the_lines_of_the_documents_a_question_that_timed_out_closes(root: Path) -> None:
    lines, _ = examples(section(text_of("editors.md"), "Emacs: both"), "elisp")
    limit = "(setq-default eglot-workspace-configuration '((:agentfs . (:approval (:timeout_s 2)))))"
    async with emacs(root, more=lines + limit) as editor:
        for file in ("a.py", "b.py"):
            answer = await editor.read_and_edit(file, "two", "2")
            await editor.screen.shows(f"Edit {file} (+1/-1), by Ada\nChoose an option")
            assert (await answer)["error"]["code"] == "TIMEOUT"
            await editor.screen.shows(lambda text: "Choose an option" not in text)


async def test_closing_a_finished_diff_leaves_the_keyboard_to_the_minibuffer(root: Path) -> None:
    diff = root / ".agentfs/review/0123456789abcdef.diff"
    diff.parent.mkdir(parents=True)
    diff.write_text("+two\n")
    (root / "notes.txt").write_text("")
    _, close = examples(section(text_of("editors.md"), "Emacs: both"), "elisp")
    init = root.parent / "init.el"
    init.write_text(close)
    show = f'(display-buffer (find-file-noselect "{diff}"))'
    command = ["emacs", "-Q", "-nw", "-l", str(init), "notes.txt", "--eval", show]
    async with terminal(command, root, {}) as screen:
        await screen.shows("+two")
        screen.press("\x1bxgoto")
        await screen.shows("M-x goto")
        diff.unlink()
        await screen.shows(lambda text: "+two" not in text)
        screen.press("-line")
        await screen.shows("M-x goto-line")


async def test_a_question_that_stays_open_is_not_taken_for_lost(root: Path) -> None:
    async with emacs(root, HASTY) as editor:
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("Edit a.py (+1/-1), by Ada\nChoose an option")
        await editor.read_and_edit("b.py", "two", "2")
        first = await editor.wire.seen(ASK)
        for number in (2, 3, 4):
            asked = await editor.wire.seen(ASK, number)
            assert asked["params"]["message"] == first["params"]["message"]
            assert (await editor.wire.answered(asked))["error"]["code"] == -32603
        editor.screen.press("\r")
        assert (await answer)["error"]["code"] == "USER_REJECTED"


def visiting(shown: list[str], seen: str) -> Callable[[Message], Message]:
    """Shows each file in a new Emacs, and keeps what the expression `seen` gives there."""

    def visit(params: Message) -> Message:
        visited = f'(progn (find-file "{path_of(params["uri"])}") (princ {seen}))'
        emacs = ["emacs", "-Q", "--batch", "--eval", visited]
        shown.append(subprocess.run(emacs, capture_output=True, check=False).stdout.decode(errors="replace"))
        return {"success": True}

    return visit


async def test_no_encoding_that_the_diff_names_hides_what_will_land(root: Path) -> None:
    shown: list[str] = []
    answers = {SHOW: visiting(shown, "(buffer-string)"), ASK: lambda _: None}
    async with serving(root, name="Eglot", capabilities=CAN_SHOW, answers=answers) as editor:
        for coding in ("hz-gb-2312", "utf-7"):
            block = f"# Local Variables:\n# coding: {coding}\n# End:\n"
            await editor.write(f"{coding}.sh", "echo ~{;touch${IFS}PWNED;id~} +AHwAfA-\n" + block)
    for text in shown:
        assert "+echo ~{;touch${IFS}PWNED;id~} +AHwAfA-\n" in text
    assert len(shown) == 2


async def test_no_variables_of_the_workspace_change_how_the_diff_is_shown(root: Path) -> None:
    (root / ".dir-locals.el").write_text("((nil . ((truncate-lines . t) (mode . text))))")
    shown: list[str] = []
    answers = {SHOW: visiting(shown, "(list truncate-lines major-mode)"), ASK: lambda _: None}
    async with serving(root, name="Eglot", capabilities=CAN_SHOW, answers=answers) as editor:
        await editor.write("a.txt", "one\n")
    assert shown == ["(nil diff-mode)"]
    assert [path.name for path in root.iterdir()] == [".dir-locals.el"]


async def test_no_character_is_wider_than_it_counts(root: Path) -> None:
    characters = [chr(code) for code in range(32, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    lines = [escape_invisible(one) for one in characters]
    listed, measured = root / "characters", root / "widths"
    listed.write_text("\n".join(lines), newline="")
    init = root.parent / "measure.el"
    init.write_text(MEASURE)
    env = {"LISTED": str(listed), "MEASURED": str(measured)}
    async with terminal(["emacs", "-q", "-nw", "-l", str(init)], root, env) as screen:
        await screen.shows("all measured")
    widths = [int(width) for width in measured.read_text().split()]
    assert len(widths) == len(lines)
    wider = [ascii(line) for line, width in zip(lines, widths, strict=True) if width > width_of(line)]
    assert wider == []
