"""agentfs.nvim: the command, the lists, history, installation, and what other plugins use."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.docs import examples
from support.editor import SERVER
from support.nvim_plugin import ended, layout, plugin, pressed, proposed, reviewed, waiting
from support.real_editors import ASK, editing
from support.sample import CHANGED, TEXT

ADAPTERS = """
_G.tools = {}
_G.load = function()
  require('agentfs.adapters.codecompanion').tools(function(tools) _G.tools.companion = tools end)
  require('agentfs.adapters.avante').tools(function(tools) _G.tools.avante = tools vim.notify('loaded') end)
end
local stderr = {}
_G.companion = function(path)
  local tool = _G.tools.companion.Read.callback()
  local chat = {}
  function chat:add_tool_output(of, told) vim.notify(of.name .. ': ' .. told:gsub('\\n', ',')) end
  tool.cmds[1]({ bufnr = 1 }, { path = path }, { output_cb = function(told)
    local data = { told.data }
    if told.status == 'error' then
      table.insert(stderr, told.data)
      data = stderr
    end
    tool.output[told.status](tool, data, { tools = { chat = chat } })
  end })
end
_G.avante = function()
  local edit = vim.iter(_G.tools.avante):find(function(tool) return tool.name == 'Edit' end)
  edit.func({ path = 'a.py', old_string = 'no such text', new_string = '2' }, { on_complete = function(_, err)
    vim.notify('refused: ' .. tostring(err))
  end })
end
"""
EVENTS = """
vim.g.events = ''
vim.api.nvim_create_autocmd('User', { pattern = 'Agentfs*', callback = function(event)
  if event.data and event.data.id then
    local told = { vim.g.events, event.match, event.data.title, event.data.outcome or 'waits' }
    vim.g.events = table.concat(told, ' ')
  end
end })
"""


async def test_what_waits_is_a_quickfix_list(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    (root / "b.py").write_text(TEXT)
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        await proposed(editor, "a.py", "two", "2")
        answer = await proposed(editor, "b.py", "three", "3", 2)
        editor.screen.press(":Agentfs pending\r")
        await editor.screen.shows("b.py|3| Ada: Edit b.py (+1/-1)")
        editor.screen.press("G\r")
        await editor.screen.shows("proposed: b.py")
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
        await editor.screen.shows("proposed: a.py")
        editor.screen.press("q")
        await editor.screen.shows(lambda text: "proposed:" not in text)
        assert (await layout(editor, 2)).split()[:3] == before.split()[:3]


async def test_next_and_previous(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    (root / "b.py").write_text(TEXT)
    async with plugin(root, repository, neovim) as editor:
        await proposed(editor, "a.py", "two", "2")
        await proposed(editor, "b.py", "three", "3", 2)
        editor.screen.press(":Agentfs next\r")
        await editor.screen.shows("proposed: a.py")
        editor.screen.press("]p")
        await editor.screen.shows("proposed: b.py")
        editor.screen.press("[p")
        await editor.screen.shows("proposed: a.py")
        assert not editor.wire.all("agentfs/settle")


async def test_what_landed_is_listed_and_undone(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    async with plugin(root, repository, neovim) as editor:
        answer = await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        await answer
        await ended(editor)
        assert file.read_text() == CHANGED
        editor.screen.press(":Agentfs history\r")
        await editor.screen.shows("Ada  edit  accepted  a.py +1/-1")
        editor.screen.press("\r")
        await editor.screen.shows("-two\n+2")
        editor.screen.press("qu")
        await waiting(editor, 1)
        await reviewed(editor, "Undo")
        await pressed(editor, "ga")
        await ended(editor, 2)
    assert file.read_text() == TEXT


async def test_the_undo_of_a_new_file_deletes_it(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        answer = editor.wire.ask("agentfs/write", {"path": "new.txt", "content": "new\n"})
        await waiting(editor, 1)
        await reviewed(editor, "proposed: new.txt")
        await pressed(editor, "ga")
        assert (await answer)["status"] == "success"
        await ended(editor)
        editor.screen.press(":Agentfs undo\r")
        await waiting(editor, 1)
        await reviewed(editor, "to be deleted: new.txt")
        await pressed(editor, "ga")
        await ended(editor, 2)
    assert not (root / "new.txt").exists()


async def test_the_block_of_the_readme_is_all_it_takes(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    block = block_of_the_readme(repository, "runtimepath").replace("~/agentfs-lsp", str(repository))
    await starts(block, root, neovim)


async def test_lazy_installs_it_by_the_block_of_the_readme(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    lazy = repository / ".editors/lazy.nvim"
    if not lazy.exists():
        pytest.skip("there is no .editors/lazy.nvim")
    block = block_of_the_readme(repository, "opts = {}").replace("~/agentfs-lsp", str(repository))
    await starts(f"vim.opt.rtp:prepend('{lazy}')\nrequire('lazy').setup({{ {block} }})", root, neovim)


async def test_the_plugin_manager_of_neovim_installs_it_by_the_block_of_the_readme(
    root: Path, file: Path, repository: Path, neovim: Path
) -> None:
    if "0.12" not in str(neovim):
        pytest.skip("vim.pack is new in Neovim 0.12")
    clone = root.parent / "clone"
    shutil.copytree(repository / "editors/nvim", clone / "editors/nvim")
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "All"]):
        subprocess.run(["git", *command], cwd=clone, check=True)
    block = block_of_the_readme(repository, "vim.pack").replace("URL", f"'file://{clone}'")
    confirmed = block.replace("} })\n", "} }, { confirm = false })\n", 1)
    await starts(confirmed, root, neovim)


def block_of_the_readme(repository: Path, having: str) -> str:
    """The block with this text."""
    readme = (repository / "editors" / "nvim" / "README.md").read_text()
    return next(block for block in examples(readme, "lua") if having in block)


async def starts(config: str, root: Path, neovim: Path) -> None:
    """See that a change is announced and reviewed with this init.lua."""
    init = root.parent / "init.lua"
    init.write_text(config)
    (root / ".git").mkdir()
    async with editing(root, [str(neovim), "-n", "-u", str(init), "a.py"]) as editor:
        await editor.wire.seen("textDocument/didOpen")
        answer = await editor.read_and_edit("a.py", "two", "2")
        await editor.screen.shows("Ada: Edit a.py (+1/-1). :Agentfs review")
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("\r")
        assert (await answer)["context"]["review"]["decision"] == "rejected"


async def test_a_question_about_a_read_waits(root: Path, repository: Path, neovim: Path) -> None:
    (root / ".env").write_text("SECRET=1\n")
    async with plugin(root, repository, neovim, server=SERVER) as editor:
        answer = editor.wire.ask("agentfs/read", {"path": ".env", "agent": "Ada"})
        await waiting(editor, 1)
        await editor.screen.shows(":Agentfs answer")
        editor.screen.press(":Agentfs answer\r")
        screen = await editor.screen.shows(lambda text: "2: Allow once" in text and "Type number" in text)
        assert "Ada asks to read '.env'." in screen
        editor.screen.press("2\r")
        assert (await answer)["data"]["content"] == "SECRET=1\n"
        await waiting(editor, 0)


async def test_only_a_withdrawn_question_is_no_longer_asked(
    root: Path, repository: Path, neovim: Path
) -> None:
    """The server withdraws other requests, too, such as one for diagnostics that come too late."""
    (root / ".env").write_text("SECRET=1\n")
    withdraw = """
      _G.withdraw = function(id)
        local client = vim.lsp.get_clients()[1]
        client.handlers['$/cancelRequest'](nil, { id = id }, { client_id = client.id })
      end
    """
    async with plugin(root, repository, neovim, config=withdraw, server=SERVER) as editor:
        answer = editor.wire.ask("agentfs/read", {"path": ".env", "agent": "Ada"})
        question = await editor.wire.seen(ASK)
        await editor.screen.shows(":Agentfs answer")
        other = question["id"].replace("question-", "")
        editor.screen.press(f":lua withdraw('{other}')\r:Agentfs answer\r")
        await editor.screen.shows(lambda text: "2: Allow once" in text and "Type number" in text)
        editor.screen.press("2\r")
        assert (await answer)["data"]["content"] == "SECRET=1\n"
        editor.wire.ask("agentfs/read", {"path": ".env", "session": "other"})
        await waiting(editor, 1)
        editor.wire.notify("$/cancelRequest", {"id": "test-2"})
        await waiting(editor, 0)


async def test_the_demo_needs_no_agent(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        editor.screen.press(":Agentfs demo\r")
        await editor.screen.shows("Demo: Edit greet.py (+1/-1)")
        await pressed(editor, "ga")
        await editor.screen.shows("[ ] docs/usage.md +3/-0 (create)")
        editor.screen.press("q")
        await editor.screen.shows(
            lambda text: "docs/usage.md" not in text and 'print(f"Hello, {name}!")' in text
        )


async def test_one_screen_says_whether_everything_works(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        before = await layout(editor, 1)
        editor.screen.press(":Agentfs status\r")
        screen = await editor.screen.shows("changes and questions wait")
        assert "ok    agentfs-lsp: agentfs-lsp 0." in screen
        assert f"workspace: {root}"[:60] in screen.replace("\n", "")
        editor.screen.press("q")
        await editor.screen.shows(lambda text: "changes and questions wait" not in text)
        assert await layout(editor, 2) == before
        editor.screen.press(":checkhealth agentfs\r")
        await editor.screen.shows(lambda text: "agentfs" in text and "OK" in text)


async def test_the_server_is_installed_on_request(root: Path, repository: Path, neovim: Path) -> None:
    tools = root.parent / "tools"
    tools.mkdir()
    for name in ("uv", "pipx"):
        (tools / name).write_text(f'#!/bin/sh\necho "$0 $@" >> {tools}/calls\n')
        (tools / name).chmod(0o755)
    config = f"vim.env.PATH = '{tools}:' .. vim.env.PATH"
    async with plugin(root, repository, neovim, config=config) as editor:
        editor.screen.press(":Agentfs install\r")
        screen = await editor.screen.shows("an environment of its own")
        assert "uv tool" in screen
        number = next(line for line in screen.splitlines() if "pipx" in line).split(":")[0]
        editor.screen.press(f"{number}\r")
        await editor.screen.shows("installed. :Agentfs demo shows what it does.")
    assert (tools / "calls").read_text() == f"{tools}/pipx install --force {repository}\n"


async def test_adapters_for_agents_plugins(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    """With stand-ins for what calls them; `test_agents_plugins.py` has the real ones."""
    async with plugin(root, repository, neovim, config=ADAPTERS) as editor:
        editor.screen.press(":lua load()\r")
        await editor.screen.shows("loaded")
        editor.screen.press(":lua companion('a.py')\r")
        await editor.screen.shows("Read: one,two,three,")
        editor.screen.press(":lua companion('first')\r")
        await editor.screen.shows("Read: File not found: 'first'")
        editor.screen.press(":lua companion('second')\r")
        await editor.screen.shows("Read: File not found: 'second'")
        editor.screen.press(":lua avante()\r")
        await editor.screen.shows("refused: ")


async def test_events_tell_what_happens(root: Path, file: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim, config=EVENTS) as editor:
        await proposed(editor, "a.py", "two", "2")
        await reviewed(editor, "proposed: a.py")
        await pressed(editor, "ga")
        await ended(editor)
        editor.screen.press(":echo g:events\r")
        title = "Edit a.py (+1/-1)"
        await editor.screen.shows(f"AgentfsProposed {title} waits AgentfsSettled {title} landed")


async def test_commands_are_completed(root: Path, repository: Path, neovim: Path) -> None:
    async with plugin(root, repository, neovim) as editor:
        editor.screen.press(":echo getcompletion('Agentfs re', 'cmdline')\r")
        await editor.screen.shows("['reject', 'restart', 'review']")
        editor.screen.press(":echo getcompletion('Agentfs mode ', 'cmdline')\r")
        await editor.screen.shows("['auto_edit', 'manual']")


async def test_wrong_options_are_told(root: Path, repository: Path, neovim: Path) -> None:
    config = "vim.schedule(function() require('agentfs').setup({ veiw = 'diff' }) end)"
    async with plugin(root, repository, neovim, config=config) as editor:
        await editor.screen.shows("There is no option veiw.")
