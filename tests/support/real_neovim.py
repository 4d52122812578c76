"""Neovim 0.11 configured by docs/editors.md."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from support.docs import examples, section, text_of
from support.real_editors import ASK, RealEditor, editing

NEOVIM = ".editors/neovim/bin/nvim"


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
