"""The adapters for agents' plugins with the real ones, and a scripted model."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.nvim_plugin import plugin, pressed, reviewed, waiting
from support.real_editors import RealEditor
from support.sample import CHANGED, TEXT
from support.scripted_model import Model, scripted_model

CODECOMPANION = """
for _, name in ipairs({ 'plenary.nvim', 'codecompanion.nvim' }) do
  vim.opt.rtp:append(EDITORS .. '/' .. name)
end
local function scripted()
  local env = { url = URL, api_key = 'none', chat_url = '/chat/completions' }
  local schema = { model = { default = 'scripted', choices = { 'scripted' } } }
  return require('codecompanion.adapters').extend('openai_compatible', { env = env, schema = schema })
end
require('codecompanion').setup({
  adapters = { http = { scripted = scripted } },
  interactions = { chat = { adapter = 'scripted' } },
  extensions = { agentfs = { callback = 'agentfs.adapters.codecompanion' } },
})
_G.is_ready = function()
  return require('codecompanion.config').interactions.chat.tools.Edit ~= nil
end
"""
AVANTE = """
for _, name in ipairs({ 'plenary.nvim', 'nui.nvim', 'avante.nvim' }) do
  vim.opt.rtp:append(EDITORS .. '/' .. name)
end
package.preload.avante_templates = function()
  return { initialize = function() end, render = function() return 'You are a test.' end }
end
vim.env.OPENAI_API_KEY = 'none'
require('avante').setup({
  provider = 'openai',
  providers = { openai = { endpoint = URL, model = 'scripted', use_response_api = false } },
  custom_tools = require('agentfs.adapters.avante').custom_tools,
  disabled_tools = require('agentfs.adapters.avante').own_tools,
})
_G.is_ready = function()
  return #require('agentfs.adapters.avante').custom_tools() > 0
end
"""
EDIT = {"path": "a.py", "old_string": "two", "new_string": "2"}


@dataclass(frozen=True, slots=True)
class Host:
    """A plugin with a model: what it needs, how it is set up, and its commands."""

    name: str
    plugins: tuple[str, ...]
    config: str
    ask: str
    stop: str

    def __str__(self) -> str:
        return self.name

    @contextlib.asynccontextmanager
    async def asked(
        self, root: Path, repository: Path, neovim: Path
    ) -> AsyncIterator[tuple[RealEditor, Model]]:
        """Neovim, and the model, which has been asked to change a file and has read it."""
        async with scripted_model() as model:
            editors = f"local EDITORS, URL = '{repository / '.editors'}', '{model.url}'"
            config = f"{editors}\n{self.config}"
            async with plugin(root, repository, neovim, config=config) as editor:
                editor.screen.press(f":lua vim.wait(60000, is_ready)\r{self.ask}\r")
                assert (await model.call("Read", {"path": "a.py"})).split() == TEXT.split()
                yield editor, model


HOSTS = [
    Host(
        "CodeCompanion",
        ("plenary.nvim", "codecompanion.nvim"),
        CODECOMPANION,
        ":CodeCompanionChat @{agentfs} change a.py",
        ":lua require('codecompanion').last_chat():stop()",
    ),
    Host(
        "avante", ("plenary.nvim", "nui.nvim", "avante.nvim"), AVANTE, ":AvanteAsk change a.py", ":AvanteStop"
    ),
]


@pytest.fixture(params=HOSTS, ids=str)
def host(request: pytest.FixtureRequest, repository: Path, neovim: Path) -> Host:
    """One of the plugins, of which there is a copy."""
    host = request.param
    for name in host.plugins:
        if not (repository / ".editors" / name).exists():
            pytest.skip(f"there is no .editors/{name}")
    if "0.10" in str(neovim):
        pytest.skip(f"{host} needs Neovim 0.11")
    return host


async def test_a_model_changes_a_file_after_a_review(
    root: Path, file: Path, repository: Path, neovim: Path, host: Host
) -> None:
    async with host.asked(root, repository, neovim) as (editor, model):
        told = asyncio.create_task(model.call("Edit", {**EDIT, "replace_all": False}))
        await waiting(editor, 1)
        screen = await reviewed(editor, "proposed: a.py")
        assert f"{host}: Edit a.py (+1/-1)" in screen
        await pressed(editor, "ga")
        assert "Updated 'a.py'" in await told
        assert file.read_text() == CHANGED
        assert "old_string was not found" in await model.call("Edit", {**EDIT, "old_string": "no such text"})


async def test_a_model_is_told_the_reason_of_a_rejection(
    root: Path, file: Path, repository: Path, neovim: Path, host: Host
) -> None:
    async with host.asked(root, repository, neovim) as (editor, model):
        told = asyncio.create_task(model.call("Edit", EDIT))
        await waiting(editor, 1)
        await reviewed(editor, "proposed: a.py")
        editor.screen.press("gr")
        await editor.screen.shows("Reject, because:")
        editor.screen.press("two is right\r")
        assert "two is right" in await told
    assert file.read_text() == TEXT


async def test_stopping_the_model_withdraws_its_change(
    root: Path, file: Path, repository: Path, neovim: Path, host: Host
) -> None:
    async with host.asked(root, repository, neovim) as (editor, model):
        told = asyncio.create_task(model.call("Edit", EDIT))
        await waiting(editor, 1)
        editor.screen.press(f"{host.stop}\r")
        await waiting(editor, 0)
        told.cancel()
    assert file.read_text() == TEXT
