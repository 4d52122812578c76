"""agentfs.nvim: what waits and what was typed survive the end of the server, and a reload of the plugin."""

import contextlib
import os
import signal
from pathlib import Path

from support.nvim_plugin import ended, layout, plugin, pressed, proposed, reviewed, typed, waiting
from support.real_editors import RealEditor
from support.sample import CHANGED, TEXT

AGENT = """
_G.agent = function()
  local agentfs = require('agentfs')
  agentfs.read({ path = 'a.py', session = 'chat' }, function()
    agentfs.edit({ path = 'a.py', old_string = 'two', new_string = '2', session = 'chat', agent = 'Inner' },
      function(answer) vim.schedule(function() vim.notify('told: ' .. answer.status) end) end)
  end)
end
"""
RELOAD = """
vim.api.nvim_create_user_command('Reload', function()
  for name in pairs(package.loaded) do
    if name:match('^agentfs') then package.loaded[name] = nil end
  end
  require('agentfs').setup({ guard_ms = 1, idle_ms = 100 })
end, {})
"""


async def kill_server(editor: RealEditor) -> None:
    """Kill the server, and wait until the next one has been set up."""
    seen = len(editor.wire.all("workspace/configuration"))
    socket = str(editor.root.parent / "home" / "relay").encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # a process that has just ended
            if socket in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
    await editor.wire.answered(await editor.wire.seen("workspace/configuration", seen + 1))


async def test_what_was_typed_is_there_when_the_change_is_proposed_again(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        before = await layout(editor, 1)
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await typed(editor, "A typed", "2 typed")
        await kill_server(editor)
        await editor.screen.shows("This change is lost: the server ended.")
        editor.screen.press("q")
        await editor.screen.shows(lambda text: "proposed:" not in text)
        assert await layout(editor, 2) == before
        assert file.read_text() == TEXT
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "2 typed")
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "amended"
    assert file.read_text() == CHANGED.replace("2", "2 typed")


async def test_a_change_of_an_agent_in_neovim_is_proposed_again(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py", config=AGENT) as editor:
        editor.screen.press(":lua agent()\r")
        await waiting(editor, 1)
        await kill_server(editor)
        await ended(editor)
        await waiting(editor, 1)
        assert "Inner: Edit a.py" in await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        await editor.screen.shows("told: success")
    assert file.read_text() == CHANGED


async def test_a_change_of_a_file_that_has_changed_meanwhile_is_a_conflict(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, config=AGENT) as editor:
        editor.screen.press(":lua agent()\r")
        await waiting(editor, 1)
        file.write_text("two\n")
        await kill_server(editor)
        await editor.screen.shows("told: error")
    assert file.read_text() == "two\n"


async def test_a_plugin_that_is_loaded_again_finds_what_waits(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py", config=RELOAD) as editor:
        before = await layout(editor, 1)
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await typed(editor, "A typed", "2 typed")
        editor.screen.press(":Reload\r")
        await editor.screen.shows(lambda text: "proposed:" not in text and "[agentfs: 1]" in text)
        assert (await layout(editor, 2)).split()[:3] == before.split()[:3]
        await reviewed(editor, "2 typed")
        await pressed(editor, "ga")
        assert (await answer)["data"]["review"]["decision"] == "amended"
        await ended(editor)
        assert await layout(editor, 3) == before
    assert file.read_text() == CHANGED.replace("2", "2 typed")


async def test_the_end_of_neovim_leaves_the_file_as_it_was(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim, open_file="a.py") as editor:
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press(":qa!\r")
        await editor.wire.seen("shutdown")
        assert not editor.wire.all("agentfs/settle")
    assert file.read_text() == TEXT
