"""`agentfs-lsp review` in a terminal beside Neovim, configured by docs/editors.md, and beside the plugins for
Neovim and Emacs: whoever decides, the other one says so."""

import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.editor import SERVER
from support.nvim_plugin import ended, layout, plugin, proposed, reviewed
from support.outside import LAUNCHER, environment
from support.real_editors import ASK, RealEditor
from support.real_emacs import REVIEW, Emacs, decision, reviewing
from support.real_neovim import choose
from support.real_neovim import neovim as configured
from support.sample import CHANGED, TEXT
from support.terminal import Terminal, terminal

pytest.importorskip("textual", reason="the reviewer's package textual is not installed")


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the server of the real editor has its sockets."""
    with tempfile.TemporaryDirectory(prefix="agents-") as above:
        monkeypatch.setenv("AGENTFS_TEST_SOCKETS", str(Path(above, "agentfs")))
        yield Path(above, "agentfs")


@asynccontextmanager
async def beside(editor: RealEditor, sockets: Path) -> AsyncIterator[tuple[Terminal, str]]:
    """The reviewer's terminal, and its code."""
    while not list(sockets.with_name("agentfs-reviewers").glob("*.json")):
        await editor.wire.ask("agentfs/status", {})
    command = [sys.executable, "-P", LAUNCHER, "review"]
    async with terminal(command, editor.root, environment(editor.root, sockets)) as shown:
        text = await shown.shows(lambda text: re.search(r"Code: \S{7}\n", text) is not None)
        code = re.search(r"Code: (\S{7})", text)
        assert code is not None
        yield shown, code[1]


async def test_a_change_is_reviewed_in_a_terminal_beside_neovim(
    root: Path, file: Path, repository: Path, sockets: Path
) -> None:
    async with (
        configured(root, repository, SERVER) as editor,
        beside(editor, sockets) as (shown, code),
    ):
        await editor.screen.shows(code)
        await choose(editor, "Allow", 1)
        await choose(editor, "Allow", 2)  # confirms it
        await shown.shows("Nothing is waiting for you.")
        editor.screen.press(":edit a.py\r")
        await editor.screen.shows("two")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await shown.shows("+ 2")
        await shown.press_until("a", "unsaved")
        assert (await answer)["data"]["landing"] == "editor"
        await editor.screen.shows(lambda text: "2" in text.split("\n")[1])
        assert len(editor.wire.all(ASK)) == 2
        await editor.press(":write\r", "textDocument/didSave")
    assert file.read_text() == TEXT.replace("two", "2")


@asynccontextmanager
async def neovim_beside(
    root: Path, repository: Path, sockets: Path, binary: Path
) -> AsyncIterator[tuple[RealEditor, Terminal]]:
    """Neovim with the plugin, in which the user has allowed the reviewer, and the reviewer."""
    async with (
        plugin(root, repository, binary, open_file="a.py", server=SERVER) as editor,
        beside(editor, sockets) as (shown, code),
    ):
        await editor.screen.shows("A reviewer in a terminal")
        editor.screen.press(":Agentfs answer\r")
        screen = await editor.screen.shows(lambda text: "2: Allow" in text and "Type number" in text)
        assert code in screen
        editor.screen.press("2\r")
        await shown.shows("Nothing is waiting for you.")
        yield editor, shown


async def test_what_the_terminal_accepts_ends_in_neovim(
    root: Path, file: Path, repository: Path, sockets: Path, neovim: Path
) -> None:
    async with neovim_beside(root, repository, sockets, neovim) as (editor, shown):
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await shown.shows("+ 2")
        await shown.press_until("a", "on disk")
        assert (await answer)["data"]["review"]["decision"] == "accepted"
        assert file.read_text() == CHANGED
        await editor.screen.shows("was accepted in another place.")
        await editor.screen.shows(lambda text: "proposed: a.py" not in text)
        assert await layout(editor, 2) == before


async def test_what_the_terminal_rejects_ends_in_neovim(
    root: Path, file: Path, repository: Path, sockets: Path, neovim: Path
) -> None:
    async with neovim_beside(root, repository, sockets, neovim) as (editor, shown):
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await shown.shows("+ 2")
        shown.press("r")
        await shown.shows("eason")
        shown.press("two is right\r")
        assert (await answer)["context"]["review"]["feedback"] == "two is right"
        await editor.screen.shows("was rejected in another place.")
    assert file.read_text() == TEXT


@pytest.mark.parametrize(("keys", "said"), [("ga", "it is on disk"), ("gr", "rejected")])
async def test_what_neovim_decides_ends_in_the_terminal(
    root: Path, file: Path, repository: Path, sockets: Path, neovim: Path, keys: str, said: str
) -> None:
    async with neovim_beside(root, repository, sockets, neovim) as (editor, shown):
        answer = await proposed(editor, "a.py", "two", "2")
        await shown.shows("+ 2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press(keys)
        if keys == "gr":
            await editor.screen.shows("Reject, because:")
            editor.screen.press("\r")
        await shown.shows(f"Edit a.py (+1/-1): {said}.")
        assert ((await answer)["status"] == "success") == (keys == "ga")
        await ended(editor)


@asynccontextmanager
async def emacs_beside(root: Path, sockets: Path) -> AsyncIterator[tuple[Emacs, Terminal]]:
    """Emacs with the package, in which the user has allowed the reviewer, and the reviewer."""
    async with reviewing(root, server=SERVER) as emacs, beside(emacs, sockets) as (shown, code):
        await emacs.counts()
        emacs.screen.press(REVIEW)
        screen = await emacs.screen.shows("2  Allow")
        assert f"Allow the reviewer with the code {code}?" in screen
        await emacs.screen.shows("Press the number of an answer")
        emacs.screen.press("2")
        await shown.shows("Nothing is waiting for you.")
        yield emacs, shown


async def test_what_the_terminal_decides_ends_in_emacs(root: Path, sockets: Path, each_emacs: str) -> None:
    async with emacs_beside(root, sockets) as (emacs, shown):
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await shown.shows("+ 2")
        await emacs.review("+2")
        await shown.press_until("a", "on disk")
        assert decision(await answer) == ("accepted", "disk")
        await emacs.screen.shows("Edit a.py (+1/-1): done.")
        answer = await emacs.read_and_edit("a.py", "three", "3")
        await shown.shows("+ 3")
        await emacs.review("+3")
        shown.press("r")
        await shown.shows("eason")
        shown.press("three is right\r")
        assert (await answer)["context"]["review"]["feedback"] == "three is right"
        await emacs.screen.shows("Edit a.py (+1/-1): rejected, nothing changed.")
    assert (root / "a.py").read_text() == CHANGED


async def test_what_emacs_decides_ends_in_the_terminal(root: Path, sockets: Path, each_emacs: str) -> None:
    async with emacs_beside(root, sockets) as (emacs, shown):
        answer = await emacs.read_and_edit("a.py", "two", "2")
        await shown.shows("+ 2")
        await emacs.review("+2")
        await emacs.accept()
        await shown.shows("Edit a.py (+1/-1): it is on disk.")
        assert decision(await answer) == ("accepted", "disk")
        answer = await emacs.read_and_edit("a.py", "three", "3")
        await shown.shows("+ 3")
        await emacs.review("+3")
        emacs.screen.press("r")
        await emacs.screen.shows("Reject, because (may be empty):")
        emacs.screen.press("\r")
        await shown.shows("Edit a.py (+1/-1): rejected.")
        assert (await answer)["status"] == "error"
    assert (root / "a.py").read_text() == CHANGED
