"""Neovim 0.11 configured by docs/editors.md."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from support.docs import examples, section, text_of
from support.real_editors import ASK, RealEditor, editing

NEOVIM = ".editors/neovim/bin/nvim"


def documented() -> tuple[str, str]:
    """The configuration, and how a plugin of an agent calls the server."""
    attach, call, *more = examples(section(text_of("editors.md"), "Neovim 0.11 and newer"), "lua")
    return "".join((attach, *more)), call


@contextlib.asynccontextmanager
async def neovim(
    root: Path, repository: Path, server: list[str] | None = None, config: str = ""
) -> AsyncIterator[RealEditor]:
    """Neovim in the workspace, with notes.txt open."""
    (root / ".git").mkdir()
    (root / "notes.txt").write_text("")
    init = root.parent / "init.lua"
    init.write_text(documented()[0] + config)
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
