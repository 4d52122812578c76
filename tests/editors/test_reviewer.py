"""`agentfs-lsp review` in a terminal beside Neovim, configured by docs/editors.md, and with agentfs.nvim."""

import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from support.editor import SERVER
from support.nvim_plugin import NEOVIMS, ended, layout, plugin, proposed, reviewed
from support.outside import LAUNCHER, environment
from support.real_editors import ASK, RealEditor
from support.real_neovim import choose, neovim
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
        neovim(root, repository, SERVER) as editor,
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


async def test_a_change_that_the_plugin_shows_is_accepted_in_the_terminal(
    root: Path, file: Path, repository: Path, sockets: Path
) -> None:
    binary = repository / NEOVIMS["0.11"]
    async with (
        plugin(root, repository, binary, open_file="a.py", server=SERVER) as editor,
        beside(editor, sockets) as (shown, code),
    ):
        before = await layout(editor, 1)
        await editor.screen.shows("A reviewer in a terminal")
        editor.screen.press(":Agentfs answer\r")
        screen = await editor.screen.shows(lambda text: "2: Allow" in text and "Type number" in text)
        assert code in screen
        editor.screen.press("2\r")
        await shown.shows("Nothing is waiting for you.")
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await shown.shows("+ 2")
        await shown.press_until("a", "on disk")
        assert (await answer)["data"]["review"]["decision"] == "accepted"
        assert file.read_text() == CHANGED
        await ended(editor)
        assert await layout(editor, 2) == before
