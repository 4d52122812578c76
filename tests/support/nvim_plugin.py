"""Real Neovims with agentfs.nvim (editors/nvim), driven by keys."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

from support.real_editors import RealEditor, editing
from support.wire import Message

NEOVIMS = {
    "0.10": ".editors/neovim-0.10/nvim",
    "0.11": ".editors/neovim/bin/nvim",
    "0.12": ".editors/neovim-0.12/nvim",
}
"""By version; install.sh says where they come from."""

INIT = """
vim.opt.rtp:prepend('{plugin}')
vim.g.ended, vim.g.layout, vim.g.mark = 0, '', ''
vim.api.nvim_create_autocmd('User', {{ pattern = 'AgentfsSettled', callback = function()
  vim.g.ended = vim.g.ended + 1
end }})
local waiting = '%{{v:lua.require("agentfs").statusline()}}'
vim.o.statusline = '%f %m [' .. waiting .. '] ended %{{g:ended}} %{{g:layout}} %{{g:mark}}'
vim.o.laststatus = 2
require('agentfs').setup({{ guard_ms = 1, idle_ms = 100, {options} }})
vim.api.nvim_create_user_command('Layout', function(args)
  local own = vim.tbl_filter(function(buffer)
    return vim.api.nvim_buf_get_name(buffer):match('agentfs:') ~= nil
  end, vim.api.nvim_list_bufs())
  local shown = {{ 'layout', args.args, #vim.api.nvim_list_tabpages(), #vim.api.nvim_list_wins() }}
  vim.list_extend(shown, {{ vim.fn.expand('%:t'), #own, vim.inspect(vim.wo.diff), vim.inspect(vim.wo.wrap) }})
  vim.list_extend(shown, {{ vim.inspect(vim.wo.winbar) }})
  vim.g.layout = table.concat(shown, ' ') .. ' .'
end, {{ nargs = 1 }})
{config}
"""


@contextlib.asynccontextmanager
async def plugin(
    root: Path,
    repository: Path,
    binary: Path,
    *,
    options: str = "",
    config: str = "",
    open_file: str = "notes.txt",
    server: list[str] | None = None,
) -> AsyncIterator[RealEditor]:
    """Neovim in the workspace with the plugin, `open_file` open."""
    (root / ".git").mkdir()
    (root / "notes.txt").touch()
    init = root.parent / "init.lua"
    folder = repository / "editors" / "nvim"
    init.write_text(INIT.format(plugin=folder, options=options, config=config))
    async with editing(root, [str(binary), "-n", "-u", str(init), open_file], server) as editor:
        await editor.wire.seen("textDocument/didOpen")
        yield editor


async def proposed(
    editor: RealEditor, path: str, old: str, new: str, count: int = 1
) -> asyncio.Future[Message]:
    """An agent's edit of a file that it has read, once `count` changes wait in the status line."""
    answer = await editor.read_and_edit(path, old, new)
    await waiting(editor, count)
    return answer


async def waiting(editor: RealEditor, count: int) -> None:
    """Wait until the status line counts so many changes."""
    await editor.screen.shows(f"[agentfs: {count}]" if count else "[]")


async def ended(editor: RealEditor, count: int = 1) -> None:
    """Wait until the editor knows that so many changes have ended."""
    await editor.screen.shows(f"ended {count}")


async def reviewed(editor: RealEditor, shows: str) -> str:
    """Open the review, and wait until it shows this and its keys."""
    editor.screen.press(":Agentfs review\r")
    return await editor.screen.shows(lambda text: "ga accept" in text and shows in text)


async def typed(editor: RealEditor, keys: str, shows: str) -> None:
    """Type in Insert mode, and leave it."""
    editor.screen.press(f"{keys}\x1b")
    await editor.screen.shows(lambda text: shows in text and "-- INSERT --" not in text)


async def pressed(editor: RealEditor, keys: str) -> Message:
    """Press a key that decides on what the review shows; returns what the server is told."""
    return await editor.press(keys, "agentfs/settle")


async def layout(editor: RealEditor, number: int) -> str:
    """What is on the screen: tabs, windows, the file, the plugin's buffers, and options of the window."""
    editor.screen.press(f":Layout {number}\r")
    pattern = re.compile(rf"layout {number} (.*) \.", re.MULTILINE)
    found = pattern.search(await editor.screen.shows(lambda text: pattern.search(text) is not None))
    assert found is not None
    return found[1]


async def quiet(editor: RealEditor, number: int = 1) -> None:
    """Wait until the keys that were pressed before have been handled; `number` is another one each time."""
    editor.screen.press(f":let g:mark = 'quiet' .. {number}\r")
    await editor.screen.shows(f"quiet{number}")
