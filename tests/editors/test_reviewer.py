"""`agentfs-lsp review` in a terminal beside Neovim, configured by docs/editors.md."""

import re
import sys
import tempfile
from pathlib import Path

import pytest

from support.editor import SERVER
from support.outside import LAUNCHER, environment
from support.real_editors import ASK
from support.real_neovim import choose, neovim
from support.sample import TEXT
from support.terminal import terminal

pytest.importorskip("textual", reason="the reviewer's package textual is not installed")


async def test_a_change_is_reviewed_in_a_terminal_beside_neovim(
    root: Path, file: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="agents-") as above:
        sockets = Path(above, "agentfs")
        monkeypatch.setenv("AGENTFS_TEST_SOCKETS", str(sockets))
        async with neovim(root, repository, SERVER) as editor:
            reviewers = sockets.with_name("agentfs-reviewers")
            while not list(reviewers.glob("*.json")):
                await editor.wire.ask("agentfs/status", {})
            command = [sys.executable, "-P", LAUNCHER, "review"]
            async with terminal(command, root, environment(root, sockets)) as shown:
                text = await shown.shows(lambda text: re.search(r"Code: \S{7}\n", text) is not None)
                code = re.search(r"Code: (\S{7})", text)
                assert code is not None
                await editor.screen.shows(code[1])
                await choose(editor, "Allow", 1)
                await choose(editor, "Allow", 2)  # confirms it
                await shown.shows("Nothing is waiting for you.")
                editor.screen.press(":edit a.py\r")
                await editor.screen.shows("two")
                answer = await editor.read_and_edit("a.py", "two", "2")
                await shown.shows("+ 2")
                shown.press("a")
                while "just appeared" in await shown.shows(
                    lambda text: "just appeared" in text or "unsaved" in text
                ):
                    shown.press("a")
                assert (await answer)["data"]["landing"] == "editor"
                await editor.screen.shows(lambda text: "2" in text.split("\n")[1])
                assert len(editor.wire.all(ASK)) == 2
                editor.screen.press(":write\r")
                await editor.wire.seen("textDocument/didSave")
    assert file.read_text() == TEXT.replace("two", "2")
