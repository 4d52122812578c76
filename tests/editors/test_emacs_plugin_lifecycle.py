"""Emacs with agentfs.el: the server ends, the package is loaded again, and all that is around a review."""

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agentfs_lsp.sockets import discovery
from support.mcp_agent import EDIT, agent, text
from support.outside import LAUNCHER
from support.real_emacs import EMACS, INIT, PACKAGE, Emacs, decision, reviewing
from support.sample import TEXT
from support.terminal import terminal
from support.wire import Message

CHANGED = TEXT.replace("two", "2")

AGENT = """
(defun test-agent ()
  (interactive)
  (agentfs-request "agentfs/read" '(:path "a.py" :session "s") :callback
   (lambda (_)
    (agentfs-request "agentfs/edit"
     '(:path "a.py" :old_string "two" :new_string "2" :session "s" :agent "Ada")
     :callback
     (lambda (answer)
       (write-region (json-serialize answer :false-object :json-false :null-object nil) nil
                     (expand-file-name "../answer" test-root) nil 'silent)
       (message "the agent has its answer"))))))
(defun test-kill ()
  (interactive)
  (signal-process (jsonrpc--process (agentfs-client-connection (cdar agentfs-clients))) 'SIGKILL))
(global-set-key (kbd "C-c g") #'test-agent)
(global-set-key (kbd "C-c k") #'test-kill)
"""
ASK, KILL = "\x03g", "\x03k"


async def answered(emacs: Emacs) -> Message:
    """What the agent in Emacs was told."""
    await emacs.screen.shows("the agent has its answer")
    answer = json.loads((emacs.root.parent / "answer").read_text())
    assert isinstance(answer, dict)
    return answer


async def test_a_proposal_survives_a_server_that_is_killed(root: Path) -> None:
    async with reviewing(root, AGENT) as emacs:
        emacs.screen.press(ASK)
        await emacs.review("+2")
        emacs.screen.press(KILL)
        await emacs.wire.seen("agentfs/proposed", 2)
        await emacs.screen.shows("The server ended before you decided")
        emacs.screen.press("y")
        await emacs.screen.shows("\nThe server ended before you decided")  # in the last line
        emacs.screen.press("q")
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answered(emacs)) == ("accepted", "disk")
    assert (root / "a.py").read_text() == CHANGED


async def test_a_text_that_is_being_typed_survives_a_server_that_is_killed(root: Path) -> None:
    async with reviewing(root, AGENT) as emacs:
        emacs.screen.press(ASK)
        await emacs.review("+2")
        emacs.screen.press("e")
        await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x1b>four\r")
        await emacs.screen.shows("four")
        emacs.screen.press(KILL)
        await emacs.wire.seen("agentfs/proposed", 2)
        await emacs.counts()
        emacs.screen.press("\x03\x03")
        await emacs.ready("+four")
        emacs.screen.press("y")
        assert decision(await answered(emacs)) == ("amended", "disk")
    assert (root / "a.py").read_text() == f"{CHANGED}four\n"


async def test_a_proposal_from_outside_survives_a_server_that_is_killed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="agents-") as above:
        sockets = Path(above, "agentfs")
        monkeypatch.setenv("AGENTFS_TEST_SOCKETS", str(sockets))
        monkeypatch.setattr(discovery, "folder", lambda: sockets)
        async with reviewing(root, AGENT, server=[sys.executable, "-P", LAUNCHER]) as emacs:
            while discovery.find(root) is None:
                await emacs.wire.ask("agentfs/status", {})
            async with agent("auto", root, sockets) as client:
                await client.call_tool("read", {"path": "a.py"})
                edited = asyncio.ensure_future(client.call_tool("edit", EDIT))
                await emacs.review("Agent:  outside: Tester")
                emacs.screen.press(f"q{KILL}")
                await emacs.wire.seen("agentfs/proposed", 2)
                await emacs.review("+2")
                emacs.screen.press("y")
                assert "Updated" in text(await edited)
    assert (root / "a.py").read_text() == CHANGED


async def test_unsaved_text_is_known_to_the_next_server(root: Path) -> None:
    async with reviewing(root, AGENT) as emacs:
        await emacs.press("x", "textDocument/didChange")
        emacs.screen.press(KILL)
        await emacs.wire.seen("initialize", 2)
        await emacs.wire.seen("textDocument/didOpen", 2)
        data = (await emacs.wire.ask("agentfs/read", {"path": "notes.txt"}))["data"]
        assert (data["content"], data["dirty"]) == ("x", True)


async def test_a_package_loaded_again_finds_its_proposals(root: Path) -> None:
    files = ("client", "text", "proposals", "review", "amend", "history", "install")
    loads = "".join(f'(load "{PACKAGE}/agentfs-{name}.el")' for name in files)
    again = f"""
(defun test-reload ()
  (interactive)
  (setq agentfs-proposals nil)
  {loads}
  (load "{PACKAGE}/agentfs.el")
  (agentfs-mode)
  (message "loaded again"))
(global-set-key (kbd "C-c r") #'test-reload)
"""
    async with reviewing(root, again) as emacs:
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.counts()
        emacs.screen.press("\x03r")
        await emacs.screen.shows("loaded again")
        await emacs.wire.seen("agentfs/proposal", 2)
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")


async def test_the_mode_switched_off_withdraws_what_waits(root: Path) -> None:
    async with reviewing(root, AGENT) as emacs:
        emacs.screen.press(ASK)
        await emacs.counts()
        emacs.screen.press("\x1bxagentfs-mode\r")
        assert (await answered(emacs))["status"] == "error"
        await emacs.screen.shows(lambda text: "agentfs:1" not in text)
    assert (root / "a.py").read_text() == TEXT


async def test_it_stays_beside_eglot(root: Path) -> None:
    """eglot's server here is another one of ours."""
    other = root.parent / "other-server"
    eglot = f"""
(require 'eglot)
(add-to-list 'eglot-server-programs '(python-mode . ("{other}")))
(add-hook 'python-mode-hook #'eglot-ensure)
"""
    launcher = root.parent / "home/agentfs-lsp"
    other.write_text(f'#!/bin/sh\nexec python3 -c "import sys; sys.stdin.read()" # not {launcher}\n')
    other.chmod(0o755)
    async with reviewing(root, eglot) as emacs:
        await emacs.visit("a.py")
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await emacs.review("+2")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")


async def test_the_demo_needs_no_agent(root: Path) -> None:
    folders = root.parent / "temporary"
    folders.mkdir()
    async with reviewing(root, f'(setq temporary-file-directory "{folders}/")') as emacs:
        emacs.screen.press("\x1bxagentfs-demo\r")
        await emacs.review("+Hello! Try what you like here.")
        emacs.screen.press("y")
        await emacs.screen.shows("reviews it")  # the keys before have cleared the line that announces
        await emacs.review("+- Timeout: 60 seconds")
        emacs.screen.press("e")
        await emacs.screen.shows("C-c C-c accept this text")
        emacs.screen.press("\x03\x03")
        await emacs.screen.shows("reviews it")
        await emacs.review("-Do not upload files with passwords.")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press("it stays\r")
        await emacs.screen.shows("that was the demo")
        assert "Timeout: 60 seconds" in await emacs.screen.shows("Hello!")
        emacs.screen.press("\x18k\r")
        await emacs.screen.shows("notes.txt -")
    assert list(folders.iterdir()) == []


async def test_one_screen_shows_whether_all_works(root: Path) -> None:
    async with reviewing(root) as emacs:
        emacs.screen.press("\x1bxagentfs-status\r")
        shown = await emacs.screen.shows("every change waits for you")
        for line in ("ok  server", "ok  agentfs-mode", "ok  project", "ok  connection", "ok  this buffer"):
            assert line in shown
        assert "!!" not in shown


async def test_what_waits_is_listed(root: Path) -> None:
    async with reviewing(root) as emacs:
        await emacs.read_and_edit("a.py", "two", "2")
        answer = await emacs.read_and_edit("b.py", "two", "2")
        await emacs.screen.shows("agentfs:2")
        emacs.screen.press("\x1bxagentfs-pending\r")
        await emacs.screen.shows("Edit b.py")
        emacs.screen.press("\x1b>\x10\r")
        await emacs.ready("b/b.py")
        emacs.screen.press("y")
        assert decision(await answer) == ("accepted", "disk")


async def test_the_server_is_installed_only_after_a_yes(root: Path) -> None:
    """A pipx that notes what it was asked for, and puts the server on the PATH."""
    home, programs = root.parent / "home", root.parent / "bin"
    asked = root.parent / "asked"
    for folder in (home, programs, root / ".git"):
        folder.mkdir()
    (programs / "server").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentfs_lsp "$@"\n')
    (programs / "pipx").write_text(
        f'#!/bin/sh\necho "$@" > "{asked}"\nln -s server "{programs}/agentfs-lsp"\n'
    )
    for program in programs.iterdir():
        program.chmod(0o755)
    (root / "notes.txt").write_text("")
    init = root.parent / "init.el"
    init.write_text(INIT + '(setq agentfs-install-source "the source")')
    env = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    async with terminal([EMACS, "-q", "-nw", "-l", str(init), "notes.txt"], root, env) as screen:
        await screen.shows("the server is not installed: M-x agentfs-install")
        screen.press("\x1bxagentfs-status\r")
        await screen.shows(
            "!!  server         agentfs-lsp was not found\n                     → M-x agentfs-install"
        )
        screen.press("\x1bxagentfs-install\r")
        await screen.shows("Install the server agentfs-lsp with:")
        screen.press("pipx\r")
        await screen.shows("Run pipx install --force the\\ source?")
        assert not asked.exists()
        screen.press("y")
        await screen.shows("agentfs: installed")
        screen.press("\x1bxagentfs-status\r")
        await screen.shows("ok  server")
    assert asked.read_text() == "install --force the source\n"


async def test_the_tools_of_gptel_read_and_change_after_a_review(root: Path) -> None:
    """With a stand-in for gptel's only function that is used; `test_emacs_gptel.py` has the real one."""
    other = root.parent / "other"
    subprocess.run(["git", "init", "-q", other], check=True)
    (other / "there.txt").write_text("elsewhere\n")
    more = """
(setq test-tools nil)
(defun gptel-make-tool (&rest tool) tool)
(require 'agentfs-gptel)
(agentfs-gptel-tools (lambda (tools) (setq test-tools tools) (message "there are %d tools" (length tools))))
(defun test-tool (name callback &rest values)
  (apply (plist-get (seq-find (lambda (tool) (equal (plist-get tool :name) name)) test-tools) :function)
         callback values))
(defun test-model ()
  (interactive)
  (test-tool "read"
             (lambda (text)
               (test-tool "edit" (lambda (told) (message "%s|%s" (string-trim text) told)) "a.py" "two" "2"))
             "a.py"))
(defun test-other ()
  (interactive)
  (with-current-buffer (get-buffer-create "*chat*")
    (setq default-directory (expand-file-name "../other/" test-root))
    (test-tool "read" (lambda (text) (message "%s" text)) "there.txt")))
(global-set-key (kbd "C-c g") #'test-model)
(global-set-key (kbd "C-c o") #'test-other)
"""
    async with reviewing(root, more) as emacs:
        await emacs.screen.shows("there are 3 tools")
        emacs.screen.press("\x03o")
        await emacs.screen.shows("elsewhere")
        emacs.screen.press(ASK)
        await emacs.review("Agent:  gptel")
        emacs.screen.press("y")
        await emacs.screen.shows("three|Updated ")
    assert (root / "a.py").read_text() == CHANGED
